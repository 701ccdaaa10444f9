/* SPDX-License-Identifier: MIT */
/* Rings that are handed out at a socket: who gets one, and when it is given back. */
#include "child.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>

#include <userevents/abi/ring_socket.h>
#include <userevents/ring.h>
#include <userevents/userevents.h>

#include "collect/door/ring_door.h"
#include "ring/ring_memory.h"
#include "ring/write/ring_writer.h"
#include "patience.h"

#define PATH "socket"

static char directory[] = "/tmp/ring-door-XXXXXX";
static struct ring_door *door;

static int enter(void **state)
{
	static const struct door_options options = {
		.path = PATH, .mode = 0600, .rings = 6, .rings_of_user = 4,
		.bytes = UE_RING_BYTES_LEAST,
	};

	(void)state;
	strcpy(directory + strlen(directory) - 6, "XXXXXX");
	if (!mkdtemp(directory) || chdir(directory))
		return 1;
	setenv(UE_ENVIRONMENT_SOCKET, PATH, 1);
	door = ring_door_open(&options);
	return !door;
}

static int leave(void **state)
{
	(void)state;
	ring_door_close(door);
	/* rmdir() fails if the socket is left; the file of the lock stays, as another
	 * collector may hold it open */
	return unlink(PATH ".lock") || chdir("/") || rmdir(directory);
}

static int dial(void)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX, .sun_path = PATH };
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	assert_int_equal(connect(fd, (const void *)&address, sizeof(address)), 0);
	return fd;
}

static void *open_session(void *argument)
{
	*(int *)argument = ue_open(NULL);
	return NULL;
}

/* A session of this process, as a guest. */
static struct door_guest *open_as_guest(int *fd)
{
	struct door_guest *guest = NULL;
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, open_session, fd), 0);
	while (!guest)
		guest = ring_door_next(door);
	assert_int_equal(pthread_join(thread, NULL), 0);
	return guest;
}

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
	assert_int_equal(guest->connection, -1);
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

static void a_guest_that_leaves_finds_its_events_disabled(void **state)
{
	struct ue_event event;
	struct door_guest *guest;
	int fd = -1;

	(void)state;
	guest = open_as_guest(&fd);
	assert_int_equal(ue_event_init(&event, "visit u32 a", 0), 0);
	assert_int_equal(ue_register(fd, &event), 0);
	assert_true(ue_enabled(&event));
	door_guest_leave(door, guest);
	assert_false(ue_enabled(&event));
	ue_close(fd);
}

static void who_has_not_read_the_answer_is_a_guest(void **state)
{
	int fd = dial();
	struct door_guest *guest = ring_door_next(door);

	(void)state;
	assert_non_null(guest);
	assert_false(door_guest_is_gone(guest));
	close(fd);
	assert_true(door_guest_is_gone(guest));
	door_guest_leave(door, guest);
}

static void who_has_gone_before_the_answer_gets_no_ring(void **state)
{
	(void)state;
	for (int i = 0; i < 100; i++)
		close(dial());
	while (ring_door_next(door))
		fail();
	assert_int_equal(ring_door_count(door).refused, 0);
}

static void a_user_has_a_limit(void **state)
{
	struct ue_ring_offer offer;
	int fds[6];

	(void)state;
	for (int i = 0; i < 6; i++)
		fds[i] = dial();
	for (int i = 0; i < 4; i++)
		assert_non_null(ring_door_next(door));
	assert_null(ring_door_next(door));
	assert_int_equal(ring_door_count(door).guests, 4);
	assert_int_equal(ring_door_count(door).refused, 2);
	assert_true(ring_door_is_short(door));
	assert_int_equal(recv(fds[5], &offer, sizeof(offer), 0), sizeof(offer));
	assert_int_equal(offer.magic, UE_RING_OFFER_MAGIC);
	assert_int_equal(offer.refusal, EUSERS);
	for (int i = 0; i < 6; i++)
		close(fds[i]);
}

static int run_out_of_descriptors(void)
{
	struct rlimit limit = { 64, 64 };
	int fd, last = -1;

	MUST(!setrlimit(RLIMIT_NOFILE, &limit));
	fd = dial();
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

/* It connects, takes its ring and lives, without a session. */
static pid_t start_visitor(struct door_guest **guest)
{
	struct ue_ring_offer offer;
	char done;
	int ends[2], fd;
	pid_t child;

	assert_int_equal(pipe(ends), 0);
	child = fork();
	if (!child) {
		fd = dial();
		recv(fd, &offer, sizeof(offer), 0);
		close(fd);
		_exit(write(ends[1], "x", 1) < 0 || pause());
	}
	while (!(*guest = ring_door_next(door)))
		;
	assert_int_equal(read(ends[0], &done, 1), 1);
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

#define TEST(name) cmocka_unit_test_setup_teardown(name, enter, leave)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_ring_lasts_as_long_as_its_session),
		TEST(a_guest_has_its_control_group),
		TEST(a_guest_that_leaves_finds_its_events_disabled),
		TEST(who_has_not_read_the_answer_is_a_guest),
		TEST(who_has_gone_before_the_answer_gets_no_ring),
		TEST(a_user_has_a_limit),
		TEST(without_descriptors_the_door_rests),
		TEST(a_process_without_a_lock_keeps_no_unused_ring),
		TEST(a_process_with_a_lock_keeps_an_unused_ring),
		TEST(a_destroyed_ring_is_given_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
