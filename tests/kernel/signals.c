/* SPDX-License-Identifier: MIT */
/*
 * Writes in restricted contexts: in handlers that interrupt a write, in cancelled
 * threads, on the smallest stacks.
 */
#define _GNU_SOURCE
#include "support.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define ROUNDS 200
/* A sanitizer needs more than there is. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define STACK (512 << 10)
#else
#define STACK (16 << 10)
#endif

UE_EVENT(signals_fixed, UE_U32(a));
UE_EVENT(signals_text, UE_STRING(a), UE_STRING(b), UE_BLOB(c));
UE_EVENT(signals_many, UE_BLOB(a), UE_BLOB(b), UE_BLOB(c), UE_BLOB(d), UE_BLOB(e),
	 UE_BLOB(f), UE_BLOB(g), UE_BLOB(h), UE_BLOB(i), UE_BLOB(j));

static int written; /* records, by all */

static char large[3000], middle[330];

static void count(int result)
{
	if (!result)
		__atomic_fetch_add(&written, 1, __ATOMIC_RELAXED);
	else
		_exit(100 - result % 50);
}

/* Packed; copied and by reference; many pieces of middle size. */
static void write_all(uint32_t value)
{
	const size_t m = sizeof(middle);

	count(UE_WRITE(session, signals_fixed, value));
	count(UE_WRITE(session, signals_text, "one", "two", "three", 5));
	count(UE_WRITE(session, signals_text, large, "two", "three", 5));
	count(UE_WRITE(session, signals_many, middle, m, middle, m, middle, m, middle, m,
		       middle, m, middle, m, middle, m, middle, m, middle, m, middle, m));
}

static void listen_to_all(void)
{
	assert_int_equal(ue_register_all(session), 0);
	listen_to(UE_EVENT_OF(signals_fixed));
	listen_to(UE_EVENT_OF(signals_text));
	listen_to(UE_EVENT_OF(signals_many));
	memset(large, 'x', sizeof(large) - 1);
	written = 0;
}

static void all_arrived(void)
{
	assert_true(written > 0);
	assert_int_equal(count_entries(), written);
}

static void done(void)
{
	stop_listening(UE_EVENT_OF(signals_fixed));
	stop_listening(UE_EVENT_OF(signals_text));
	stop_listening(UE_EVENT_OF(signals_many));
	assert_int_equal(ue_unregister_all(), 0);
}

static void in_handler(int number)
{
	(void)number;
	write_all(1);
}

static void *write_in_thread(void *rounds)
{
	errno = 4711;
	for (intptr_t i = 0; i < (intptr_t)rounds; i++)
		write_all(2);
	return errno == 4711 ? NULL : rounds;
}

/* A page that may not be touched, then the smallest stack: on arm64 it is 128 KiB. */
static void small_stack(pthread_attr_t *attributes)
{
	const size_t least = (size_t)PTHREAD_STACK_MIN;

	pthread_attr_init(attributes);
	assert_int_equal(pthread_attr_setstacksize(attributes, STACK > least ? STACK : least), 0);
	assert_int_equal(pthread_attr_setguardsize(attributes, 4096), 0);
}

static void interrupted_on_a_small_stack(void **state)
{
	const struct sigaction action = { .sa_handler = in_handler };
	pthread_attr_t attributes;
	pthread_t thread;
	void *result;

	(void)state;
	listen_to_all();
	small_stack(&attributes);
	sigaction(SIGUSR1, &action, NULL);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(pthread_create(&thread, &attributes, write_in_thread,
						(void *)40),
				 0);
		for (int j = 0; j < ROUNDS / 3; j++) {
			pthread_kill(thread, SIGUSR1);
			usleep(100);
		}
		assert_int_equal(pthread_join(thread, &result), 0);
		assert_null(result);
		all_arrived();
		written = 0;
	}
	done();
}

static void *write_until_cancelled(void *started)
{
	for (;;) {
		write_all(3);
		__atomic_store_n((int *)started, 1, __ATOMIC_RELEASE);
		pthread_testcancel();
	}
	return NULL;
}

/* The write that began is finished, and nothing remains of the thread. */
static void cancelled(void **state)
{
	pthread_attr_t attributes;
	int fd = session;

	(void)state;
	listen_to_all();
	small_stack(&attributes);
	for (int i = 0; i < ROUNDS; i++) {
		pthread_t thread;
		void *result;
		int started = 0;

		assert_int_equal(pthread_create(&thread, &attributes, write_until_cancelled,
						&started),
				 0);
		while (!__atomic_load_n(&started, __ATOMIC_ACQUIRE))
			usleep(100);
		pthread_cancel(thread);
		pthread_join(thread, &result);
		assert_ptr_equal(result, PTHREAD_CANCELED);
		if (i % 20 == 0) {
			all_arrived();
			written = 0;
		}
	}
	assert_int_equal(ue_close(session), 0);
	session = ue_open(NULL);
	assert_int_equal(session, fd);
	write_file("set_event", "");
}

static void *register_until_cancelled(void *started)
{
	struct ue_event *event = malloc(sizeof(*event));

	ue_event_init(event, unique("cancel u32 a"), 0);
	for (;;) {
		int fd;

		if (ue_register(session, event) || ue_unregister(event))
			return event;
		fd = ue_open(NULL);
		if (fd < 0 || ue_close(fd))
			return event;
		__atomic_store_n((int *)started, 1, __ATOMIC_RELEASE);
		pthread_testcancel();
	}
}

static int count_descriptors(void)
{
	int count = 0;

	for (int fd = 0; fd < 1024; fd++)
		count += fcntl(fd, F_GETFD) >= 0;
	return count;
}

/* No lock stays held, no descriptor open. */
static void cancelled_while_registering(void **state)
{
	struct ue_event event;
	const int before = count_descriptors();

	(void)state;
	for (int i = 0; i < ROUNDS; i++) {
		pthread_t thread;
		void *result;
		int started = 0;

		pthread_create(&thread, NULL, register_until_cancelled, &started);
		while (!__atomic_load_n(&started, __ATOMIC_ACQUIRE))
			usleep(100);
		pthread_cancel(thread);
		pthread_join(thread, &result);
		assert_ptr_equal(result, PTHREAD_CANCELED);
	}
	ue_event_init(&event, unique("after u32 a"), 0);
	assert_int_equal(ue_register(session, &event), 0);
	assert_int_equal(ue_unregister(&event), 0);
	assert_int_equal(before, count_descriptors());
}

/* A writer that never returns blocks only its number. */
static sigjmp_buf away;

static void leave(int number)
{
	siglongjmp(away, number);
}

static void *leave_a_write(void *unused)
{
	const struct sigaction action = { .sa_handler = leave };

	(void)unused;
	sigaction(SIGSEGV, &action, NULL);
	if (!sigsetjmp(away, 1))
		ue_write(session, UE_EVENT_OF(signals_text), (void *)8, 100);
	return NULL;
}

static void a_writer_that_never_returns(void **state)
{
	pthread_t thread;
	uint32_t value = 1;
	int fd = session;

	(void)state;
	listen_to_all();
	pthread_create(&thread, NULL, leave_a_write, NULL);
	pthread_join(thread, NULL);
	signal(SIGSEGV, SIG_DFL);
	assert_int_equal(ue_close(session), 0);
	/* The number stays in use, and refers to no event file. */
	session = ue_open(NULL);
	assert_int_not_equal(session, fd);
	assert_int_equal(write(fd, &value, 4), -1);
	assert_int_equal(errno, EBADF);
	assert_int_equal(ue_close(fd), -EBADF);
	assert_int_equal(ue_register_all(session), 0);
	EVENTUALLY(UE_ENABLED(signals_fixed));
	assert_int_equal(UE_WRITE(session, signals_fixed, 1), 0);
	assert_int_equal(count_recorded(), 1);
	done();
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		SESSION_TEST(interrupted_on_a_small_stack),
		SESSION_TEST(cancelled),
		SESSION_TEST(cancelled_while_registering),
		SESSION_TEST(a_writer_that_never_returns),
	};

	return RUN_TESTS(tests, argc, argv);
}
