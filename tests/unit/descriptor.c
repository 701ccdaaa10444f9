/* SPDX-License-Identifier: MIT */
/*
 * A session's descriptor has a number that the program's other files do not get. A
 * capture stands in for user_events_data. Each test runs in a child, as it closes files
 * of cmocka.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <userevents/capture.h>
#include <userevents/userevents.h>

#include "child.h"
#include "test.h"

#define FAR 64

static struct ue_capture *capture;

static int open_capture_session(void)
{
	struct ue_open_opts opts = { .size = sizeof(opts), .flags = UE_OPEN_FD };

	if (!capture && ue_capture_open(NULL, &capture))
		return -ENOMEM;
	opts.fd = ue_capture_writer_fd(capture);
	return ue_open(&opts);
}

static void limit_to(unsigned count)
{
	struct rlimit limit;

	getrlimit(RLIMIT_NOFILE, &limit);
	limit.rlim_cur = count;
	setrlimit(RLIMIT_NOFILE, &limit);
}

static int is_far_away_and_close_on_exec(void)
{
	int fd = open_capture_session();

	MUST(fd >= FAR);
	MUST(fcntl(fd, F_GETFD) == FD_CLOEXEC);
	MUST(open_capture_session() > fd);
	return 0;
}

static void the_number_is_higher_than_those_of_other_files(void **state)
{
	(void)state;
	in_child(is_far_away_and_close_on_exec);
}

static int is_far_away_by_the_environment(void)
{
	char number[16];
	int fd;

	MUST(!ue_capture_open(NULL, &capture));
	snprintf(number, sizeof(number), "%d", ue_capture_writer_fd(capture));
	MUST(!setenv(UE_ENVIRONMENT_FD, number, 1));
	fd = ue_open(NULL);
	MUST(fd >= FAR);
	MUST(fcntl(fd, F_GETFD) == FD_CLOEXEC);
	return 0;
}

static void the_number_for_an_inherited_descriptor_is_high_too(void **state)
{
	(void)state;
	in_child(is_far_away_by_the_environment);
}

static int is_moved_as_far_as_the_limit_allows(void)
{
	MUST(!ue_capture_open(NULL, &capture));
	limit_to(FAR + 10);
	MUST(open_capture_session() >= FAR);
	limit_to(FAR);
	MUST(open_capture_session() >= 3);
	MUST(open_capture_session() < FAR);
	return 0;
}

static void a_low_limit_is_respected(void **state)
{
	(void)state;
	in_child(is_moved_as_far_as_the_limit_allows);
}

static int is_no_standard_stream(void)
{
	MUST(!ue_capture_open(NULL, &capture));
	for (int fd = 0; fd < 3; fd++)
		close(fd);
	limit_to(FAR);
	MUST(open_capture_session() >= 3);
	return 0;
}

static void the_number_is_never_0_to_2(void **state)
{
	(void)state;
	in_child(is_no_standard_stream);
}

static struct ue_event event = UE_EVENT_INIT(event, "tick u32 count");

#define FILES 8
#define WRITES 100

static int no_file_has_a_byte(const int *files)
{
	struct stat file;

	for (int i = 0; i < FILES; i++)
		if (fstat(files[i], &file) || file.st_size)
			return 0;
	return 1;
}

/* Daemons close all descriptors, and then open files of their own. A ring needs none. */
static int writes_go_to_no_other_file(void)
{
	int fd = open_capture_session(), files[FILES];
	const uint32_t count = 1;

	MUST(fd >= 0);
	MUST(!ue_register(fd, &event));
	for (int i = 3; i < 1024; i++)
		close(i);
	for (int i = 0; i < FILES; i++) {
		files[i] = memfd_create("own", MFD_CLOEXEC);
		MUST(files[i] >= 0);
	}
	for (int i = 0; i < WRITES; i++)
		MUST(!ue_write(fd, &event, &count, sizeof(count)));
	MUST(no_file_has_a_byte(files));
	MUST(ue_capture_skip(capture) == WRITES);
	return 0;
}

static void after_close_range_no_write_reaches_another_file(void **state)
{
	(void)state;
	in_child(writes_go_to_no_other_file);
}

/* A daemon's standard streams are /dev/null. */
static int outlives_dup2(void)
{
	const uint32_t count = 7;
	int fd, null;

	MUST(!ue_capture_open(NULL, &capture));
	for (int i = 0; i < 3; i++)
		close(i);
	fd = open_capture_session();
	MUST(fd >= 0);
	MUST(!ue_register(fd, &event));
	null = open("/dev/null", O_RDWR | O_CLOEXEC);
	for (int i = 0; i < 3; i++)
		MUST(dup2(null, i) == i);
	MUST(!ue_write(fd, &event, &count, sizeof(count)));
	MUST(ue_capture_skip(capture) == 1);
	return 0;
}

static void standard_streams_can_be_replaced(void **state)
{
	(void)state;
	in_child(outlives_dup2);
}

/* No number is free. */
static int says_so_when_full(void)
{
	const struct ue_open_opts by_path = {
		.size = sizeof(by_path), .path = "/dev/null",
	};

	MUST(!ue_capture_open(NULL, &capture));
	for (unsigned limit = 0; limit <= 3; limit++) {
		limit_to(limit);
		MUST(open_capture_session() == -EMFILE);
		MUST(ue_open(&by_path) == -EMFILE);
		MUST(ue_open(NULL) == -EMFILE);
	}
	return 0;
}

static void a_reached_descriptor_limit_is_reported(void **state)
{
	(void)state;
	in_child(says_so_when_full);
}

/* The session gets one number, the capture's ring needs one for a moment, and a lock one. */
static int says_so_when_few_are_left(void)
{
	int free[3];

	MUST(!ue_capture_open(NULL, &capture));
	for (int i = 0; i < 3; i++)
		free[i] = dup(0);
	for (int i = 0; i < 3; i++)
		close(free[i]);
	for (int i = 0; i < 3; i++) {
		limit_to((unsigned)free[i] + 1);
		MUST((open_capture_session() == -EMFILE) == (i < 2));
	}
	return 0;
}

static void a_limit_that_leaves_two_numbers_is_reported(void **state)
{
	(void)state;
	in_child(says_so_when_few_are_left);
}

/* One of the same file system: only the inode differs. */
static int leaves_another_socket_alone(void)
{
	int fd = open_capture_session(), ends[2];

	MUST(fd >= 0);
	MUST(!ue_register(fd, &event));
	MUST(!socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends));
	MUST(dup2(ends[0], fd) == fd);
	MUST(ue_close(fd) == -EBADF);
	MUST(fcntl(fd, F_GETFD) >= 0);
	return 0;
}

static void a_socket_that_reuses_the_number_stays_open(void **state)
{
	(void)state;
	in_child(leaves_another_socket_alone);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_number_is_higher_than_those_of_other_files),
		cmocka_unit_test(the_number_for_an_inherited_descriptor_is_high_too),
		cmocka_unit_test(a_low_limit_is_respected),
		cmocka_unit_test(the_number_is_never_0_to_2),
		cmocka_unit_test(after_close_range_no_write_reaches_another_file),
		cmocka_unit_test(standard_streams_can_be_replaced),
		cmocka_unit_test(a_socket_that_reuses_the_number_stays_open),
		cmocka_unit_test(a_reached_descriptor_limit_is_reported),
		cmocka_unit_test(a_limit_that_leaves_two_numbers_is_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
