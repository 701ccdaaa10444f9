/* SPDX-License-Identifier: MIT */
/* Those who wait at a collector's door: silent connections, and rings for which there is no place. */
#include "door.h"

#include "collect/door/ring_door.h"

ssize_t __real_recvmsg(int socket, struct msghdr *message, int flags);
ssize_t __wrap_recvmsg(int socket, struct msghdr *message, int flags);

static unsigned receptions;

ssize_t __wrap_recvmsg(int socket, struct msghdr *message, int flags)
{
	receptions++;
	return __real_recvmsg(socket, message, flags);
}

/* A new ring, offered. */
static int offer_ring(void)
{
	const int ring = make_ring();

	close(offer(ring, &right, sizeof(right)));
	return ring;
}

static void who_says_nothing_keeps_nobody_waiting(void **state)
{
	int fds[300], fd = -1;

	(void)state;
	for (int i = 0; i < 300; i++) {
		fds[i] = dial();
		assert_null(ring_door_next(door));
	}
	open_as_guest(&fd);
	assert_int_equal(ring_door_count(door).refused, 0);
	/* The first ones made room; the last one is heard whenever it speaks. */
	assert_true(ue__send_descriptor(fds[0], &right, sizeof(right), fd) < 0);
	ue_close(fd);
	fd = make_ring();
	assert_int_equal(ue__send_descriptor(fds[299], &right, sizeof(right), fd), 0);
	assert_non_null(ring_door_next(door));
	for (int i = 0; i < 300; i++)
		close(fds[i]);
	close(fd);
}

/* A look at the door costs nothing for those who wait there. */
static void who_says_nothing_is_not_asked(void **state)
{
	int fds[WAITING_MOST];

	(void)state;
	for (int i = 0; i < WAITING_MOST; i++) {
		fds[i] = dial();
		assert_null(ring_door_next(door));
	}
	receptions = 0;
	for (int i = 0; i < 100; i++)
		assert_null(ring_door_next(door));
	assert_int_equal(receptions, 0);
	for (int i = 0; i < WAITING_MOST; i++)
		close(fds[i]);
	for (int i = 0; i < 4 + 1; i++) /* 64 at once */
		assert_null(ring_door_next(door));
	assert_int_equal(receptions, WAITING_MOST);
}

/* Only the half of all places is for one user. */
static void a_user_takes_no_place_of_others(void **state)
{
	struct waiting_list *list = calloc(1, sizeof(*list));
	struct waiting *place;

	(void)state;
	for (int i = 0; i < WAITING_MOST; i++) {
		const struct waiting one = {
			.kind = WAITING_SILENT,
			.since = i + 1,
			.peer = { .uid = i < 100 ? 7 : 8 },
		};

		place = waiting_place(list, WAITING_SILENT, one.peer.uid);
		assert_int_equal(place->kind, WAITING_NONE);
		waiting_set(list, place, &one);
	}
	place = waiting_place(list, WAITING_SILENT, 8);
	assert_int_equal(place->since, 101); /* its own oldest */
	place = waiting_place(list, WAITING_SILENT, 7);
	assert_int_equal(place->since, 1);
	place = waiting_place(list, WAITING_OFFER, 8);
	assert_int_equal(place->kind, WAITING_NONE);
	free(list);
}

static void who_has_gone_without_an_offer_is_forgotten(void **state)
{
	(void)state;
	for (int i = 0; i < 100; i++)
		close(dial());
	for (int i = 0; i < 2; i++)
		assert_null(ring_door_next(door));
	assert_int_equal(ring_door_count(door).refused, 0);
}

static void a_user_has_a_limit(void **state)
{
	int rings[6];

	(void)state;
	for (int i = 0; i < 6; i++)
		rings[i] = offer_ring();
	for (int i = 0; i < 4; i++)
		assert_non_null(ring_door_next(door));
	assert_null(ring_door_next(door));
	assert_int_equal(ring_door_count(door).guests, 4);
	assert_int_equal(ring_door_count(door).refused, 0);
	assert_true(ring_door_is_short(door));
	monotonic_ahead = 2;
	for (int i = 0; i < 3; i++) /* both are of one program */
		assert_null(ring_door_next(door));
	assert_int_equal(ring_door_count(door).refused, 1);
	for (int i = 0; i < 6; i++)
		close(rings[i]);
}

static void a_ring_waits_for_its_place(void **state)
{
	struct door_guest *guests[4];
	int rings[6];

	(void)state;
	for (int i = 0; i < 6; i++)
		rings[i] = offer_ring();
	for (int i = 0; i < 4; i++)
		guests[i] = ring_door_next(door);
	for (int i = 2; i < 4; i++) {
		assert_null(ring_door_next(door));
		door_guest_leave(door, guests[i]);
		assert_non_null(ring_door_next(door));
	}
	assert_null(ring_door_next(door));
	assert_int_equal(ring_door_count(door).guests, 4);
	assert_int_equal(ring_door_count(door).refused, 0);
	for (int i = 0; i < 6; i++)
		close(rings[i]);
}

/* The place of a connection that left is free before those of older offers. */
static void who_waits_longest_is_let_in_first(void **state)
{
	struct door_guest *guests[4], *next;
	struct stat first, second;
	int rings[6], silent;

	(void)state;
	for (int i = 0; i < 6; i++)
		rings[i] = make_ring();
	assert_int_equal(fstat(rings[4], &first) | fstat(rings[5], &second), 0);
	for (int i = 0; i < 4; i++) {
		close(offer(rings[i], &right, sizeof(right)));
		guests[i] = ring_door_next(door);
	}
	silent = dial();
	assert_null(ring_door_next(door));
	close(offer(rings[4], &right, sizeof(right)));
	assert_null(ring_door_next(door));
	close(silent);
	assert_null(ring_door_next(door));
	close(offer(rings[5], &right, sizeof(right)));
	assert_null(ring_door_next(door));
	door_guest_leave(door, guests[0]);
	next = ring_door_next(door);
	assert_non_null(next);
	assert_int_equal(next->inode, first.st_ino);
	door_guest_leave(door, guests[1]);
	next = ring_door_next(door);
	assert_non_null(next);
	assert_int_equal(next->inode, second.st_ino);
	for (int i = 0; i < 6; i++)
		close(rings[i]);
}

static int write_events(unsigned count)
{
	const int fd = ue_open(NULL);
	struct ue_event event;

	MUST(fd >= 0);
	MUST(!ue_event_init(&event, "visit u32 a", 0));
	MUST(!ue_register(fd, &event));
	for (unsigned i = 0; i < count; i++)
		ue_write(fd, &event, "1234", 4);
	return 0;
}

static int write_three(void)
{
	return write_events(3);
}

/* A program that lives offers its ring once more. */
static void of_rings_without_a_place_those_of_ended_programs_are_counted(void **state)
{
	int rings[4];

	(void)state;
	for (int i = 0; i < 4; i++) {
		rings[i] = offer_ring();
		assert_non_null(ring_door_next(door));
	}
	in_child(write_three);
	assert_int_equal(write_events(2), 0);
	assert_null(ring_door_next(door));
	assert_int_equal(left, 0);
	ring_door_turn_away(door);
	assert_int_equal(left, 3);
	assert_null(ring_door_next(door));
	for (int i = 0; i < 4; i++)
		close(rings[i]);
}

#define FLOOD 50000

/* More than the smallest ring holds, and it counts the others. */
static int flood(void)
{
	setenv(UE_ENVIRONMENT_RING_SIZE, "256k", 1);
	return write_events(FLOOD);
}

static void so_is_what_such_a_ring_has_lost(void **state)
{
	int rings[4];

	(void)state;
	for (int i = 0; i < 4; i++) {
		rings[i] = offer_ring();
		assert_non_null(ring_door_next(door));
	}
	in_child(flood);
	assert_null(ring_door_next(door));
	ring_door_turn_away(door);
	assert_int_equal(left, FLOOD);
	for (int i = 0; i < 4; i++)
		close(rings[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(who_says_nothing_keeps_nobody_waiting),
		TEST(who_says_nothing_is_not_asked),
		TEST(a_user_takes_no_place_of_others),
		TEST(who_has_gone_without_an_offer_is_forgotten),
		TEST(a_user_has_a_limit),
		TEST(a_ring_waits_for_its_place),
		TEST(who_waits_longest_is_let_in_first),
		TEST(of_rings_without_a_place_those_of_ended_programs_are_counted),
		TEST(so_is_what_such_a_ring_has_lost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
