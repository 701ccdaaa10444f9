/* SPDX-License-Identifier: MIT */
/*
 * Numbers are given back when their writers are done, and no later. A capture stands in
 * the place of user_events_data; what writers do is done by hand.
 */
#define _GNU_SOURCE
#include "test.h"

#include <sys/wait.h>
#include <unistd.h>

#include <userevents/capture.h>
#include <userevents/session.h>

#include "in_flight.h"

int __real_sched_yield(void);
int __wrap_sched_yield(void);

static struct ue_capture *capture;
static int yields;

/* ue_close() waits for a writer. */
int __wrap_sched_yield(void)
{
	yields++;
	return __real_sched_yield();
}

static int open_capture(void **state)
{
	(void)state;
	return ue_capture_open(NULL, &capture);
}

static int close_capture(void **state)
{
	(void)state;
	ue_capture_close(capture);
	return 0;
}

static int open_session(void)
{
	struct ue_open_opts opts = { .size = sizeof(opts), .flags = UE_OPEN_FD };

	opts.fd = ue_capture_fd(capture);
	return ue_open(&opts);
}

/* Whoever has counted itself in and out leaves nothing to wait for. */
static int number_comes_back(void)
{
	const int fd = open_session(), before = yields;

	return fd >= 0 && !ue_close(fd) && yields == before;
}

/* In a child: a handler forks, its child forks on, ..., and only the last one returns. */
static void fork_on(int generations)
{
	for (int i = 0; i < generations; i++) {
		pid_t child = fork();
		int status;

		if (child)
			_exit(waitpid(child, &status, 0) != child || status);
	}
}

static void holds_in_child(int (*function)(int), int argument)
{
	pid_t child = fork();
	int status;

	if (!child)
		_exit(!function(argument));
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

static int fork_in_a_write(int generations)
{
	uint32_t *writers = ue__enter(&writers);

	fork_on(generations);
	ue__leave(writers);
	return number_comes_back();
}

static void test_forked_in_a_write(void **state)
{
	(void)state;
	for (int i = 0; i < 12; i++)
		holds_in_child(fork_in_a_write, i);
}

/* Each handler's child writes, and another handler interrupts that. */
static int fork_in_writes(int generations)
{
	uint32_t *writers[UE__FAMILIES];

	for (int i = 0; i < generations; i++) {
		writers[i] = ue__enter(&writers[i]);
		fork_on(1);
	}
	for (int i = generations; i--;)
		ue__leave(writers[i]);
	return number_comes_back();
}

static void test_forked_in_writes_within_writes(void **state)
{
	(void)state;
	for (int i = 1; i < UE__FAMILIES; i++)
		holds_in_child(fork_in_writes, i);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_forked_in_a_write, open_capture,
						close_capture),
		cmocka_unit_test_setup_teardown(test_forked_in_writes_within_writes,
						open_capture, close_capture),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
