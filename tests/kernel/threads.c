/* SPDX-License-Identifier: MIT */
/* Events belong to the process, whichever thread makes a call. */
#define _GNU_SOURCE
#include "support.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "early_threads.h"

static struct ue_event *make(const char *definition)
{
	struct ue_event *event = malloc(sizeof(*event));

	assert_int_equal(ue_event_init(event, unique(definition), 0), 0);
	return event;
}

static void *registering(void *event)
{
	return (void *)(intptr_t)ue_register(session, event);
}

static void *unregistering(void *event)
{
	return (void *)(intptr_t)ue_unregister(event);
}

/* Listeners reach the word: enabling and disabling. */
static void follows(struct ue_event *event)
{
	uint32_t value = 1;

	listen_to(event);
	assert_int_equal(ue_write(session, event, &value, 4), 0);
	assert_int_equal(count_recorded(), 1);
	stop_listening(event);
}

static void registered_by_a_thread_that_ended(void **state)
{
	struct ue_event *early = make("early u32 a"), *new = make("new u32 a");

	(void)state;
	assert_null(in_early_thread_that_ends(registering, early));
	assert_null(in_new_thread(registering, new));
	follows(early);
	follows(new);
	assert_null(in_new_thread(unregistering, early));
	assert_null(in_early_thread(unregistering, new));
	assert_int_equal(ue_register(session, early), 0);
	follows(early);
	assert_null(in_early_thread(unregistering, early));
}

static void *closing(void *unused)
{
	(void)unused;
	return (void *)(intptr_t)ue_close(session);
}

static void *opening(void *unused)
{
	(void)unused;
	session = ue_open(NULL);
	return session < 0 ? &session : NULL;
}

static void opened_and_closed_by_any_thread(void **state)
{
	struct ue_event *one = make("one u32 a"), *two = make("two u32 a");

	(void)state;
	for (int i = 0; i < rounds; i++) {
		assert_null(in_early_thread(closing, NULL));
		assert_null(in_new_thread(opening, NULL));
		assert_null(in_new_thread(registering, one));
		assert_null(in_early_thread(registering, two));
		assert_null(in_new_thread(unregistering, two));
	}
	follows(one);
}

/* Each thread has events of its own and one in common with all. */
static struct ue_event common;
static int stop;

static void *churn(void *unused)
{
	struct ue_event *mine = make("mine u32 a");
	uint32_t value = 1;
	int result = 0;

	(void)unused;
	for (int i = 0; i < rounds && !result; i++) {
		result = ue_register(session, mine);
		if (!result)
			result = ue_write(session, mine, &value, 4);
		if (!result)
			result = ue_write(session, &common, &value, 4);
		if (!result)
			result = ue_unregister(mine);
	}
	return (void *)(intptr_t)result;
}

static void *register_common(void *unused)
{
	(void)unused;
	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
		int result = ue_register(session, &common);

		if (!result || result == -EALREADY)
			result = ue_unregister(&common);
		if (result && result != -ENOENT)
			return (void *)(intptr_t)result;
	}
	return NULL;
}

static void everything_at_once(void **state)
{
	pthread_t threads[4], registerers[2];
	void *result;

	(void)state;
	ue_event_init(&common, unique("common u32 a"), 0);
	assert_int_equal(ue_register(session, &common), 0);
	listen_to(&common);
	stop = 0;
	for (int i = 0; i < 2; i++)
		pthread_create(&registerers[i], NULL, register_common, NULL);
	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, churn, NULL);
	for (int i = 0; i < 4; i++) {
		pthread_join(threads[i], &result);
		assert_null(result);
	}
	__atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
	for (int i = 0; i < 2; i++) {
		pthread_join(registerers[i], &result);
		assert_null(result);
	}
	ue_unregister(&common);
	assert_int_equal(ue_register(session, &common), 0);
	follows(&common);
}

/*
 * Threads write while their session is closed and opened, and while another thread opens
 * files that get the numbers. Two events swap places in each session, and always carry
 * the same values. An event that passes the filter reached the wrong one.
 */
static struct ue_event pair[2];
static int number; /* the session's, also while it is closed */

static void *write_pair(void *unused)
{
	uint32_t values[] = { 1, 2 };

	(void)unused;
	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED))
		for (int i = 0; i < 2; i++) {
			int fd = __atomic_load_n(&number, __ATOMIC_RELAXED);
			int result = ue_write(fd, &pair[i], &values[i], 4);

			if (result && result != -EBADF && result != -EXDEV)
				return (void *)(intptr_t)result;
		}
	return NULL;
}

static void *open_files(void *unused)
{
	struct stat status;

	(void)unused;
	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
		int fd = memfd_create("innocent", MFD_CLOEXEC);

		sched_yield();
		if (fd >= 0 && (fstat(fd, &status) || status.st_size))
			return &pair;
		close(fd);
	}
	return NULL;
}

static void filter(const struct ue_event *event, const char *text)
{
	char path[300];

	snprintf(path, sizeof(path), "events/user_events/%s/filter",
		 name_of(event->definition));
	assert_int_equal(write_file(path, text), 0);
}

static void closed_while_others_write(void **state)
{
	pthread_t writers[3], opener;
	void *result;

	(void)state;
	for (int i = 0; i < 2; i++) {
		ue_event_init(&pair[i], unique("pair u32 a"), 0);
		assert_int_equal(ue_register(session, &pair[i]), 0);
		listen_to(&pair[i]);
	}
	filter(&pair[0], "a != 1");
	filter(&pair[1], "a != 2");
	stop = 0;
	number = session;
	for (int i = 0; i < 3; i++)
		pthread_create(&writers[i], NULL, write_pair, NULL);
	pthread_create(&opener, NULL, open_files, NULL);
	for (int i = 0; i < 2 * rounds; i++) {
		assert_int_equal(ue_close(session), 0);
		session = ue_open(NULL);
		assert_true(session >= 0);
		__atomic_store_n(&number, session, __ATOMIC_RELAXED);
		assert_int_equal(ue_register(session, &pair[i % 2]), 0);
		assert_int_equal(ue_register(session, &pair[!(i % 2)]), 0);
	}
	__atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
	for (int i = 0; i < 3; i++) {
		pthread_join(writers[i], &result);
		assert_null(result);
	}
	pthread_join(opener, &result);
	assert_null(result);
	assert_int_equal(count_recorded(), 0);
	/* The events were still written, and the filters do pass wrong ones. */
	assert_int_equal(ue_write(session, &pair[0], "\2\0\0\0", 4), 0);
	assert_int_equal(count_recorded(), 1);
}

/* Reuses the name of an event that has just ended, with other fields. */
static void a_name_that_the_kernel_releases_late(void **state)
{
	const char *definition = unique("linger u32 a");
	struct ue_event one, two;
	char other[300];

	(void)state;
	if (is_status_page())
		return; /* there it stays until it is deleted */
	snprintf(other, sizeof(other), "%s u64 a", name_of(definition));
	for (int i = 0; i < rounds; i++) {
		ue_event_init(&one, i % 2 ? definition : other, 0);
		/* The library waits 0.3 s, on a busy machine the kernel may need longer. */
		EVENTUALLY(ue_register(session, &one) == 0);
		assert_int_equal(ue_close(session), 0);
		session = ue_open(NULL);
	}
	/* While another event of this process has the name, waiting does not help. */
	ue_event_init(&one, definition, 0);
	ue_event_init(&two, other, 0);
	assert_int_equal(ue_register(session, &one), 0);
	assert_int_equal(ue_register(session, &two), -EADDRINUSE);
	assert_int_equal(ue_unregister(&one), 0);
}

/* Runs this program again, which only opens a session. The loader needs /proc, too. */
static const char *self;

/* AddressSanitizer calls it; without /proc it does not find ASAN_OPTIONS. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "detect_leaks=0";
}

static void start_without_proc(void)
{
	Dl_info library;

	if (!dladdr((void *)ue_open, &library) ||
	    setenv("LD_LIBRARY_PATH", dirname(strdup(library.dli_fname)), 1))
		_exit(6);
	if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("none", "/proc", "tmpfs", 0, NULL))
		_exit(2);
	execl(self, self, "alone", NULL);
	_exit(3);
}

/* The kernel denies this to one of several threads. */
static int open_alone(void)
{
	int fd = ue_open(NULL);

	return fd < 0 ? 4 : unshare(CLONE_THREAD) ? 5 : ue_close(fd) != 0;
}

static void without_proc_a_single_thread_needs_no_other(void **state)
{
	pid_t child = fork();
	int status;

	(void)state;
	if (!child)
		start_without_proc();
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		SESSION_TEST(registered_by_a_thread_that_ended),
		SESSION_TEST(opened_and_closed_by_any_thread),
		SESSION_TEST(everything_at_once),
		SESSION_TEST(closed_while_others_write),
		SESSION_TEST(a_name_that_the_kernel_releases_late),
		SESSION_TEST(without_proc_a_single_thread_needs_no_other),
	};
	static char path[4096];

	if (argc > 1 && !strcmp(argv[1], "alone"))
		return open_alone();
	if (readlink("/proc/self/exe", path, sizeof(path) - 1) > 0)
		self = path;

	start_early_threads(argc, argv);
	return RUN_TESTS(tests, argc, argv);
}
