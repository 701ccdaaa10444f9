/* SPDX-License-Identifier: MIT */
/* Rings that are offered at a socket: who is let in, and when he leaves. */
#include "door.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <linux/sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "ring/ring_memory.h"
#include "ring/write/ring_writer.h"

static void a_ring_lasts_as_long_as_its_session(void **state)
{
	struct door_guest *guest;
	int fd = -1;

	(void)state;
	assert_null(ring_door_next(door));
	guest = open_as_guest(&fd);
	assert_true(fd >= 0);
	assert_int_equal(guest->pid, getpid());
	assert_int_equal(guest->user, getuid());
	assert_false(door_guest_is_gone(guest));
	ue_close(fd);
	assert_true(door_guest_is_gone(guest));
	assert_int_equal(ring_door_count(door).guests, 1);
	door_guest_leave(door, guest);
	assert_int_equal(ring_door_count(door).guests, 0);
}

static void a_guest_has_its_control_group(void **state)
{
	struct door_guest *guest;
	char line[4096] = "", wanted[4096] = "";
	FILE *file = fopen("/proc/self/cgroup", "re");
	int fd = -1;

	(void)state;
	while (fgets(line, sizeof(line), file))
		sscanf(line, "0::%4095[^\n]", wanted);
	fclose(file);
	guest = open_as_guest(&fd);
	assert_string_equal(guest->cgroup, wanted);
	ue_close(fd);
}

/* A child with a pid of its own choice: 0 in it; -1: that cannot be had. */
static pid_t fork_as(pid_t pid)
{
	struct clone_args args = {
		.exit_signal = SIGCHLD, .set_tid = (uintptr_t)&pid, .set_tid_size = 1,
	};

	return (pid_t)syscall(SYS_clone3, &args, sizeof(args));
}

static void another_process_with_its_pid_is_not_the_guest(void **state)
{
	struct door_guest *guest;
	pid_t child = fork(), other;

	(void)state;
	if (!child) {
		close(offer(make_ring(), &right, sizeof(right)));
		_exit(0);
	}
	assert_int_equal(waitpid(child, NULL, 0), child);
	other = fork_as(child);
	if (!other)
		_exit(pause());
	guest = ring_door_next(door);
	assert_non_null(guest);
	assert_string_equal(guest->cgroup, "");
	assert_int_equal(guest->pid, child);
	if (other < 0)
		return; /* it needs the right to choose: nobody has its pid */
	kill(other, SIGKILL);
	waitpid(other, NULL, 0);
}

static void a_guest_that_leaves_goes_on_writing(void **state)
{
	struct ue_event event;
	struct door_guest *guest;
	int fd = -1;

	(void)state;
	guest = open_as_guest(&fd);
	assert_int_equal(ue_event_init(&event, "visit u32 a", 0), 0);
	assert_int_equal(ue_register(fd, &event), 0);
	door_guest_leave(door, guest);
	assert_true(ue_enabled(&event));
	assert_int_equal(ue_write(fd, &event, "1234", 4), 0);
	ue_close(fd);
}

static void an_offer_of_a_ring_that_was_read_changes_nothing(void **state)
{
	const int ring = make_ring();
	struct door_guest *guest;

	(void)state;
	close(offer(ring, &right, sizeof(right)));
	guest = ring_door_next(door);
	assert_non_null(guest);
	door_guest_leave(door, guest);
	close(offer(ring, &right, sizeof(right)));
	assert_null(ring_door_next(door));
	assert_int_equal(ring_door_count(door).refused, 0);
	assert_int_equal(ring_door_count(door).guests, 0);
	close(ring);
}

static void a_second_offer_of_a_ring_changes_nothing(void **state)
{
	struct door_guest *guest;
	int fd = -1;

	(void)state;
	guest = open_as_guest(&fd);
	for (int i = 0; i < 3; i++)
		close(offer(guest->ring, &right, sizeof(right)));
	assert_null(ring_door_next(door));
	assert_int_equal(ring_door_count(door).guests, 1);
	assert_int_equal(ring_door_count(door).refused, 0);
	ue_close(fd);
	ring_door_next(door); /* the last offer */
	assert_int_equal(ring_door_count(door).guests, 1);
}

static void assert_refused(int fd, const void *packet, size_t size)
{
	const uint64_t before = ring_door_count(door).refused;

	close(offer(fd, packet, size));
	assert_null(ring_door_next(door));
	assert_int_equal(ring_door_count(door).guests, 0);
	assert_int_equal(ring_door_count(door).refused, before + 1);
}

/* Memory that could be cut, or be missing, while it is read. */
static void what_is_no_sealed_memory_is_refused(void **state)
{
	int file = ue_ring_create("ring", NULL), null = open("/dev/null", O_RDWR | O_CLOEXEC);
	int open_memory = memfd_create("other", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	int huge = memfd_create("huge", MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_HUGETLB);
	const struct ue_ring_opts large = {
		.size = sizeof(large), .bytes = 8 << 20, .mode = UE_RING_DROP,
	};
	int ring = ue_ring_create(NULL, &large);

	(void)state;
	assert_refused(file, &right, sizeof(right));
	assert_refused(null, &right, sizeof(right));
	assert_int_equal(ftruncate(open_memory, UE_RING_BYTES_LEAST), 0);
	assert_int_equal(fcntl(open_memory, F_ADD_SEALS, F_SEAL_SHRINK), 0); /* it can grow */
	assert_refused(open_memory, &right, sizeof(right));
	if (huge >= 0) {
		assert_int_equal(fcntl(huge, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW |
					       F_SEAL_SEAL), 0);
		assert_refused(huge, &right, sizeof(right));
	}
	assert_refused(ring, &right, sizeof(right));
	unlink("ring");
	close(file);
	close(null);
	close(open_memory);
	close(huge);
	close(ring);
}

static void another_protocol_is_refused(void **state)
{
	const struct ue_ring_offer wrong = { .magic = UE_RING_OFFER_MAGIC + 1 };
	const struct { struct ue_ring_offer offer; char more[100]; } later = { .offer = right };
	int ring = make_ring(), fd;

	(void)state;
	assert_refused(ring, &wrong, sizeof(wrong));
	close(offer(ring, &right, sizeof(right) - 1)); /* the same program */
	fd = dial();
	assert_int_equal(send(fd, &right, sizeof(right), 0), sizeof(right));
	close(fd);
	assert_null(ring_door_next(door));
	assert_int_equal(ring_door_count(door).refused, 1);
	close(offer(ring, &later, sizeof(later)));
	assert_non_null(ring_door_next(door));
	close(ring);
}

/* Closing it would wait for its peer as long as its owner likes. */
static void a_socket_that_lingers_keeps_nobody_waiting(void **state)
{
	struct linger linger = { .l_onoff = 1, .l_linger = 1000 };
	const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	socklen_t length = sizeof(linger);

	(void)state;
	assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, length), 0);
	assert_refused(fd, &right, sizeof(right));
	assert_int_equal(getsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, &length), 0);
	assert_int_equal(linger.l_onoff, 1);
	assert_int_equal(linger.l_linger, 0);
	close(fd);
}

static void of_two_descriptors_none_leaks(void **state)
{
	union {
		struct cmsghdr header;
		char room[CMSG_SPACE(2 * sizeof(int))];
	} control = { .header = { CMSG_LEN(2 * sizeof(int)), SOL_SOCKET, SCM_RIGHTS } };
	struct iovec piece = { (void *)(uintptr_t)&right, sizeof(right) };
	const struct msghdr message = {
		.msg_iov = &piece, .msg_iovlen = 1,
		.msg_control = &control, .msg_controllen = sizeof(control),
	};
	const int both[2] = { make_ring(), make_ring() }, fd = dial(), before = dup(0);
	struct door_guest *guest;
	int after;

	(void)state;
	memcpy(CMSG_DATA(&control.header), both, sizeof(both));
	assert_int_equal(sendmsg(fd, &message, 0), sizeof(right));
	close(before);
	guest = ring_door_next(door);
	assert_non_null(guest); /* with the first of them */
	door_guest_leave(door, guest);
	after = dup(0);
	assert_int_equal(after, before);
	close(after);
	close(fd);
	close(both[0]);
	close(both[1]);
}

static void a_ring_that_is_old_comes_late(void **state)
{
	struct ue__ring_memory memory;
	int rings[3];

	(void)state;
	for (int i = 0; i < 3; i++) {
		rings[i] = make_ring();
		assert_int_equal(ue__ring_map(&memory, rings[i]), 0);
		memory.ring->created.real -= i ? INT64_C(5000000000) : 0;
		memory.ring->looked = i == 2; /* it had a collector before */
		ue__ring_unmap(&memory);
		close(offer(rings[i], &right, sizeof(right)));
		assert_non_null(ring_door_next(door));
		close(rings[i]);
	}
	assert_int_equal(ring_door_count(door).late, 1);
}

static void a_ring_of_the_collector_before_is_adopted(void **state)
{
	int ring = make_ring();
	struct door_guest *guest = ring_door_adopt(door, dup(ring), 4711, 42, "/some.slice");

	(void)state;
	assert_non_null(guest);
	assert_int_equal(guest->pid, 4711);
	assert_int_equal(guest->user, 42);
	assert_string_equal(guest->cgroup, "/some.slice");
	assert_null(ring_door_adopt(door, dup(ring), 4711, 42, "")); /* it has that */
	close(offer(ring, &right, sizeof(right)));
	assert_null(ring_door_next(door));
	assert_int_equal(ring_door_count(door).guests, 1);
	close(ring);
}

static int run_out_of_descriptors(void)
{
	struct rlimit limit = { 64, 64 };
	int fd, last = -1;

	MUST(!setrlimit(RLIMIT_NOFILE, &limit));
	fd = make_ring();
	close(offer(fd, &right, sizeof(right)));
	for (int next; (next = dup(fd)) >= 0;)
		last = next;
	MUST(!ring_door_next(door));
	MUST(ring_door_fd(door) < 0); /* or poll(2) would return at once, again and again */
	close(last);
	MUST(!ring_door_next(door)); /* there is none for its ring */
	MUST(ring_door_count(door).refused == 1);
	return 0;
}

static void without_descriptors_the_door_rests(void **state)
{
	(void)state;
	in_child(run_out_of_descriptors);
}

/* It offers a ring and lives, without a session. */
static pid_t start_visitor(struct door_guest **guest)
{
	char done;
	int ends[2];
	pid_t child;

	assert_int_equal(pipe(ends), 0);
	child = fork();
	if (!child) {
		close(offer(make_ring(), &right, sizeof(right)));
		_exit(write(ends[1], "x", 1) < 0 || pause());
	}
	assert_int_equal(read(ends[0], &done, 1), 1);
	*guest = ring_door_next(door);
	assert_non_null(*guest);
	close(ends[0]);
	close(ends[1]);
	return child;
}

/* The first process lives as long as any. */
static void store_a_process_without_a_lock(int ring)
{
	struct ue__ring_memory memory;
	const uint32_t id = UE__RING_UNLOCKED | 1;

	assert_int_equal(ue__ring_map(&memory, ring), 0);
	memory.slots[0] = (struct ue__ring_slot){
		.id = id, .pid = 1, .lives_in = (uint64_t)id << 32 | memory.pid_namespace,
	};
	ue__ring_unmap(&memory);
}

static void a_process_without_a_lock_keeps_no_unused_ring(void **state)
{
	struct door_guest *guest;
	const pid_t visitor = start_visitor(&guest);

	(void)state;
	store_a_process_without_a_lock(guest->ring);
	guest->is_unused = 1;
	assert_false(door_guest_is_gone(guest));
	assert_int_equal(kill(visitor, SIGKILL), 0);
	assert_int_equal(waitpid(visitor, NULL, 0), visitor);
	guest->is_unused = 0;
	assert_false(door_guest_is_gone(guest));
	guest->is_unused = 1;
	assert_true(door_guest_is_gone(guest));
	door_guest_leave(door, guest);
}

/* A child, say. */
static void a_process_with_a_lock_keeps_an_unused_ring(void **state)
{
	struct ue__ring_writer *writer = malloc(sizeof(*writer));
	struct door_guest *guest;
	const pid_t visitor = start_visitor(&guest);

	(void)state;
	assert_int_equal(ue__ring_attach(writer, guest->ring, -1), 0);
	assert_int_equal(kill(visitor, SIGKILL), 0);
	assert_int_equal(waitpid(visitor, NULL, 0), visitor);
	guest->is_unused = 1;
	assert_false(door_guest_is_gone(guest));
	ue__ring_detach(writer);
	assert_true(door_guest_is_gone(guest));
	free(writer);
}

static void a_destroyed_ring_is_given_back(void **state)
{
	int fd = -1;
	struct door_guest *guest = open_as_guest(&fd);

	(void)state;
	assert_int_equal(pwrite(guest->ring, "destroyed", 9, 0), 9);
	assert_true(door_guest_is_gone(guest));
	door_guest_leave(door, guest);
	ue_close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_ring_lasts_as_long_as_its_session),
		TEST(a_guest_has_its_control_group),
		TEST(another_process_with_its_pid_is_not_the_guest),
		TEST(a_guest_that_leaves_goes_on_writing),
		TEST(a_second_offer_of_a_ring_changes_nothing),
		TEST(an_offer_of_a_ring_that_was_read_changes_nothing),
		TEST(what_is_no_sealed_memory_is_refused),
		TEST(a_socket_that_lingers_keeps_nobody_waiting),
		TEST(another_protocol_is_refused),
		TEST(of_two_descriptors_none_leaks),
		TEST(a_ring_that_is_old_comes_late),
		TEST(a_ring_of_the_collector_before_is_adopted),
		TEST(without_descriptors_the_door_rests),
		TEST(a_process_without_a_lock_keeps_no_unused_ring),
		TEST(a_process_with_a_lock_keeps_an_unused_ring),
		TEST(a_destroyed_ring_is_given_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
