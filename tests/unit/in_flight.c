/* SPDX-License-Identifier: MIT */
/*
 * Numbers are released when their writers are done, and no later. A capture replaces
 * user_events_data; the test makes the steps of the writers by hand.
 */
#define _GNU_SOURCE
#include "test.h"

#include <fcntl.h>
#include <string.h>
#include <time.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <userevents/capture.h>
#include <userevents/session.h>

#include "state/in_flight.h"
#include "state/session.h"

int __real_sched_yield(void);
int __wrap_sched_yield(void);
void *__real_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size);
void __real_free(void *memory);
void __wrap_free(void *memory);

int __real_clock_nanosleep(clockid_t clock, int flags, const struct timespec *time,
			   struct timespec *rest);
int __wrap_clock_nanosleep(clockid_t clock, int flags, const struct timespec *time,
			   struct timespec *rest);
int __real_clock_gettime(clockid_t clock, struct timespec *time);
int __wrap_clock_gettime(clockid_t clock, struct timespec *time);

static struct ue_capture *capture;
static int yields;
static void (*at_yield)(void); /* once */

/* A clock that advances only while ue_close() waits, one step for each yield or sleep. */
static struct {
	int64_t step_ms; /* 0: the system's clock */
	int64_t now_ms;
} fake;

int __wrap_clock_gettime(clockid_t clock, struct timespec *time)
{
	if (!fake.step_ms)
		return __real_clock_gettime(clock, time);
	*time = (struct timespec){ .tv_sec = fake.now_ms / 1000,
				   .tv_nsec = fake.now_ms % 1000 * 1000000 };
	return 0;
}

int __wrap_clock_nanosleep(clockid_t clock, int flags, const struct timespec *time,
			   struct timespec *rest)
{
	fake.now_ms += fake.step_ms;
	return fake.step_ms ? 0 : __real_clock_nanosleep(clock, flags, time, rest);
}

/* ue_close() waits for a writer. */
int __wrap_sched_yield(void)
{
	void (*function)(void) = at_yield;

	yields++;
	fake.now_ms += fake.step_ms;
	at_yield = NULL;
	if (function)
		function();
	return __real_sched_yield();
}

/* The next session reuses the memory of a session. */
static void *last, *freed;

void *__wrap_calloc(size_t count, size_t size)
{
	void *memory = freed;

	if (size != sizeof(struct ue__session))
		return __real_calloc(count, size);
	if (!memory)
		return last = __real_calloc(count, size);
	freed = NULL;
	return memset(memory, 0, size);
}

void __wrap_free(void *memory)
{
	if (memory && memory == last)
		freed = memory;
	else
		__real_free(memory);
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

	opts.fd = ue_capture_writer_fd(capture);
	return ue_open(&opts);
}

/* A writer that has counted itself in and out leaves nothing to wait for. */
static int number_comes_back(void)
{
	const int number = open_session(), before = yields;

	return number >= 0 && !ue_close(number) && yields == before;
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

/* The parent's other threads do not exist in the child, and never count themselves
 * out. */
static int close_without_waiting(int unused)
{
	(void)unused;
	return number_comes_back();
}

static void test_another_thread_writes_in_the_parent(void **state)
{
	uint32_t *others = ue__enter(&state);

	holds_in_child(close_without_waiting, 0);
	ue__leave(others);
}

/*
 * Each handler's child writes, and another handler interrupts that. Another thread of each
 * parent writes, too.
 */
static int fork_in_writes(int generations)
{
	uint32_t *writers[UE__SETS];

	for (int i = 0; i < generations; i++) {
		writers[i] = ue__enter(&writers[i]);
		ue__enter(&generations);
		fork_on(1);
	}
	for (int i = generations; i--;)
		ue__leave(writers[i]);
	return number_comes_back();
}

/* Forks before the library runs out of sets of counters. */
#define NESTED_FORKS ((int)UE__SETS - 2)

/* The number stays taken, but ue_close() returns. */
static int close_after_nested_forks(int generations)
{
	fake.step_ms = 100;
	return !fork_in_writes(generations) && fake.now_ms >= 200 && fake.now_ms <= 400;
}

static void forked_in_writes_within_writes(void **state)
{
	(void)state;
	for (int i = 1; i <= NESTED_FORKS; i++)
		holds_in_child(fork_in_writes, i);
	holds_in_child(close_after_nested_forks, NESTED_FORKS + 1);
}

/* While ue_close() waits, writers are in both sets, and one of them forks. */
static int forked_from_both_sets(int unused)
{
	uint32_t *first = ue__enter(&unused), *second;
	struct ue__in_flight in_flight;

	ue__all_in_flight(&in_flight);
	ue__still_in_flight(&in_flight);
	second = ue__enter(&unused);
	if (first == second)
		return 0;
	fork_on(1);
	ue__leave(second);
	ue__leave(first);
	return number_comes_back();
}

static void forked_with_writers_in_both_sets(void **state)
{
	(void)state;
	holds_in_child(forked_from_both_sets, 0);
}

/* While ue_close() waits, the writer's handler forks: the number is its child's, too. */
static int fd;
static uint32_t *writers;

static void fork_while_closing(void)
{
	pid_t child = fork();
	int status;

	if (!child)
		_exit(fcntl(fd, F_GETFD) < 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	ue__leave(writers);
}

static void test_forked_in_a_write_while_another_closes(void **state)
{
	(void)state;
	fd = open_session();
	writers = ue__enter(&state);
	at_yield = fork_while_closing;
	assert_int_equal(ue_close(fd), 0);
	assert_null(at_yield);
	assert_true(fcntl(fd, F_GETFD) < 0);
}

/* The session is gone, and another session that waits has its memory. */
static int yields_within;

static void close_another(void)
{
	ue__leave(writers);
	fd = open_session(); /* this closes the first one, before it allocates */
	writers = ue__enter(&fd);
	assert_int_equal(ue_close(fd), 0);
	yields_within = yields;
}

static void test_each_waits_for_its_own_session(void **state)
{
	(void)state;
	fd = open_session();
	writers = ue__enter(&state);
	at_yield = close_another;
	assert_int_equal(ue_close(fd), 0);
	assert_int_equal(yields, yields_within);
	ue__leave(writers);
	assert_true(number_comes_back());
}

/* While ue_close() waits, another file gets the number. */
static int is_writer_stuck;

static void take_number(void)
{
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

	assert_int_equal(dup2(null, fd), fd);
	close(null);
	if (!is_writer_stuck)
		ue__leave(writers);
}

static int is_dev_null(int number)
{
	struct stat file, null;

	return !fstat(number, &file) && !stat("/dev/null", &null) &&
	       file.st_ino == null.st_ino && file.st_dev == null.st_dev;
}

static void a_file_that_reuses_the_number_stays_open(void **state)
{
	(void)state;
	for (is_writer_stuck = 0; is_writer_stuck < 2; is_writer_stuck++) {
		fd = open_session();
		writers = ue__enter(&state);
		at_yield = take_number;
		assert_int_equal(ue_close(fd), 0);
		assert_true(is_dev_null(fd));
		if (is_writer_stuck)
			ue__leave(writers);
		assert_true(number_comes_back());
		assert_true(is_dev_null(fd));
		close(fd);
	}
}

/* The time that ue_close() waits for a stuck writer. */
static int64_t wait_with_steps_of(int64_t ms)
{
	int number = open_session();
	uint32_t *stuck = ue__enter(&number);

	fake.step_ms = ms;
	fake.now_ms = 900; /* seconds change meanwhile */
	assert_int_equal(ue_close(number), 0);
	fake.step_ms = 0;
	ue__leave(stuck);
	return fake.now_ms - 900;
}

/* Also on a machine where each check of the writers is slow. */
static void ue_close_waits_by_the_clock(void **state)
{
	(void)state;
	assert_uint_in_range(wait_with_steps_of(1), 200, 201);
	assert_uint_in_range(wait_with_steps_of(30), 200, 230);
	assert_int_equal(wait_with_steps_of(5000), 5000);
	assert_true(number_comes_back());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_forked_in_a_write, open_capture,
						close_capture),
		cmocka_unit_test_setup_teardown(test_another_thread_writes_in_the_parent,
						open_capture, close_capture),
		cmocka_unit_test_setup_teardown(forked_in_writes_within_writes,
						open_capture, close_capture),
		cmocka_unit_test_setup_teardown(forked_with_writers_in_both_sets,
						open_capture, close_capture),
		cmocka_unit_test_setup_teardown(
			test_forked_in_a_write_while_another_closes, open_capture,
			close_capture),
		cmocka_unit_test_setup_teardown(test_each_waits_for_its_own_session,
						open_capture, close_capture),
		cmocka_unit_test_setup_teardown(
			a_file_that_reuses_the_number_stays_open, open_capture,
			close_capture),
		cmocka_unit_test_setup_teardown(ue_close_waits_by_the_clock, open_capture,
						close_capture),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
