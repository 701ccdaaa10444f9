/* SPDX-License-Identifier: MIT */
/*
 * Makes the kernel's own allocations fail, one after the other, while it serves a call of
 * the library. Each round lets one more allocation succeed before one fails, until the
 * call makes no more of them. The failed allocation may be anything from the tracepoint
 * to the file's entry in tracefs. After each round the call either succeeded, or it
 * returned an error that ue_explain() knows and succeeds when called again.
 *
 * /proc/PID/task/TID/fail-nth counts down in a thread, and the allocation that reaches
 * zero fails (Documentation/fault-injection/fault-injection.rst). The test kernels have
 * it.
 */
#define _GNU_SOURCE
#include "support.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "early_threads.h"

#define DEBUG "/sys/kernel/debug"
#define THREADS_MAX 32
#define ROUNDS_MAX 2000

/* The files of the threads that existed when armed, the caller's first. */
static int counters[THREADS_MAX];
static unsigned counters_count;
static int is_armed_in_child; /* the round, when the child is to be armed by itself */

static void set(const char *path, const char *value)
{
	struct stat file;

	/* Some exist only in some versions. */
	if (!stat(path, &file))
		assert_int_equal(write_file(path, value), 0);
}

/* Most allocations may wait, and the kernel excludes those by default. */
static int prepare_kernel(void **state)
{
	if (access("/proc/thread-self/fail-nth", F_OK))
		return open_session(state); /* need_faults() reports it */
	if (access(DEBUG "/failslab", F_OK))
		assert_int_equal(mount("nodev", DEBUG, "debugfs", 0, NULL), 0);
	set(DEBUG "/failslab/ignore-gfp-wait", "N");
	set(DEBUG "/failslab/verbose", "0");
	set(DEBUG "/fail_page_alloc/ignore-gfp-wait", "N");
	set(DEBUG "/fail_page_alloc/min-order", "0");
	set(DEBUG "/fail_page_alloc/verbose", "0");
	return open_session(state);
}

static void need_faults(void)
{
	if (access("/proc/thread-self/fail-nth", F_OK)) {
		if (getenv("UE_TEST_ABI"))
			fail_msg("The kernel was built without CONFIG_FAULT_INJECTION.");
		skip();
	}
}

static int open_counter(const char *tid)
{
	char path[300];
	int fd;

	snprintf(path, sizeof(path), "/proc/self/task/%s/fail-nth", tid);
	fd = open(path, O_RDWR | O_CLOEXEC);
	assert_true(fd >= 0);
	return fd;
}

static void open_counters(void)
{
	DIR *directory = opendir("/proc/self/task");
	struct dirent *entry;
	char mine[32];

	snprintf(mine, sizeof(mine), "%d", (int)gettid());
	counters[0] = open_counter(mine);
	counters_count = 1;
	while ((entry = readdir(directory)))
		if (entry->d_name[0] != '.' && strcmp(entry->d_name, mine)) {
			assert_uint_in_range(counters_count, 1, THREADS_MAX - 1);
			counters[counters_count++] = open_counter(entry->d_name);
		}
	closedir(directory);
}

static void set_counter(int fd, int value)
{
	char text[16];
	int length = snprintf(text, sizeof(text), "%d", value);

	if (pwrite(fd, text, (size_t)length, 0) != length)
		abort();
}

/* The caller's file comes last: from then on, each of its allocations counts. */
static void arm(int nth)
{
	open_counters();
	for (unsigned i = counters_count; i-- > 0;)
		set_counter(counters[i], nth);
}

/* Did anything fail? */
static int disarm(void)
{
	char text[16];
	int failed = 0;

	for (unsigned i = 0; i < counters_count; i++) {
		memset(text, 0, sizeof(text));
		if (pread(counters[i], text, sizeof(text) - 1, 0) <= 0)
			abort();
		failed |= atoi(text) == 0;
		set_counter(counters[i], 0);
		close(counters[i]);
	}
	return failed;
}

static int count_descriptors(void)
{
	DIR *directory = opendir("/proc/self/fd");
	int count = 0;

	while (readdir(directory))
		count++;
	closedir(directory);
	return count;
}

static void require_named(enum ue_call call, int error)
{
	if (strstr(ue_explain(call, error), "does not know"))
		fail_msg("%d (%s) is not explained", error, strerror(-error));
}

static void require_works(struct ue_event *event)
{
	uint32_t value = 7;

	listen_to(event);
	assert_int_equal(ue_write(session, event, &value, sizeof(value)), 0);
	assert_int_equal(count_recorded(), 1);
	stop_listening(event);
}

static struct ue_event *make(const char *definition, uint32_t flags)
{
	struct ue_event *event = malloc(sizeof(*event));

	assert_int_equal(ue_event_init(event, definition, flags), 0);
	return event;
}

/* The object of a call, and the call. Returns 0 or -errno. */
struct call {
	const char *name;
	enum ue_call kind;
	int least; /* the number of allocations */
	void (*prepare)(void);
	int (*make)(void);
	void (*check)(void); /* once it has succeeded */
};

static struct ue_event *subject, *other;
static int fd;
static int invisible; /* tracepoints */

/* One round; 1 if something failed. */
static int run_round(const struct call *call, int nth)
{
	int result, failed, descriptors = count_descriptors();

	call->prepare();
	arm(nth);
	result = call->make();
	failed = disarm();
	if (result)
		require_named(call->kind, result);
	if (result && !failed)
		fail_msg("%d without a fault", result);
	if (result)
		result = call->make();
	/* A call that worked in spite of its error need not be made again. */
	if (result && result != -ENOENT)
		fail_msg("%d when asked again", result);
	call->check();
	assert_int_equal(count_descriptors(), descriptors);
	return failed;
}

static void run(const struct call *call)
{
	int nth = 1;

	need_faults();
	while (run_round(call, nth))
		assert_uint_in_range(nth++, 1, ROUNDS_MAX);
	printf("# %s: %d allocations failed\n", call->name, nth - 1);
	assert_uint_in_range(nth - 1, call->least, ROUNDS_MAX);
}

static void prepare_nothing(void)
{
}

static int open_again(void)
{
	fd = ue_open(NULL);
	return fd < 0 ? fd : 0;
}

static void close_it(void)
{
	assert_int_equal(ue_close(fd), 0);
}

static void opening(void **state)
{
	(void)state;
	run(&(struct call){ "opening", UE_CALL_OPEN, 2, prepare_nothing, open_again,
			    close_it });
}

static void prepare_new(void)
{
	subject = make(unique("fresh u32 a"), 0);
}

static int register_it(void)
{
	return ue_register(session, subject);
}

static void check_registered(void)
{
	require_works(subject);
	assert_int_equal(ue_unregister(subject), 0);
	free(subject);
}

static int is_forgotten(void)
{
	return !strstr(read_file("user_events_status"), name_of(subject->definition));
}

/*
 * The kernel returns 0 even if it could not create the event's files in tracefs
 * (__add_event_to_tracers() drops the error, Linux 6.1 and 6.12). This must do no harm,
 * and a registration after the kernel has dropped the name must create the files. The
 * kernel drops a name some time after the last descriptor that registered it was closed,
 * and up to 6.3 when the event is deleted.
 */
static void check_new(void)
{
	char path[600];
	uint32_t value = 7;

	snprintf(path, sizeof(path), TRACING "/events/user_events/%s/enable",
		 name_of(subject->definition));
	if (access(path, F_OK)) {
		invisible++;
		assert_int_equal(ue_write(session, subject, &value, sizeof(value)), 0);
		assert_int_equal(ue_close(session), 0);
		if (is_status_page())
			assert_int_equal(ue_delete(name_of(subject->definition), NULL),
					 0);
		EVENTUALLY(is_forgotten());
		session = ue_open(NULL);
		assert_int_equal(ue_register(session, subject), 0);
	}
	check_registered();
}

static void registering_a_new_tracepoint(void **state)
{
	(void)state;
	run(&(struct call){ "registering", UE_CALL_REGISTER, 5, prepare_new, register_it,
			    check_new });
	printf("# registered, but without files: %d\n", invisible);
}

static void prepare_multi_format(void)
{
	subject = make(unique("several u32 a"), UE_EVENT_MULTI_FORMAT);
}

static void check_multi_format(void)
{
	assert_int_equal(ue_unregister(subject), 0);
	free(subject);
}

static void registering_one_of_several_formats(void **state)
{
	(void)state;
	if (is_status_page()) {
		prepare_multi_format();
		assert_int_equal(ue_register(session, subject), -EOPNOTSUPP);
		return;
	}
	run(&(struct call){ "registering one of several formats", UE_CALL_REGISTER, 5,
			    prepare_multi_format, register_it, check_multi_format });
}

/* The tracepoint exists, so only this process's part can fail. */
static void prepare_second(void)
{
	subject = make(other->definition, 0);
}

static void registering_an_existing_tracepoint(void **state)
{
	(void)state;
	other = make(unique("there u32 a"), 0);
	assert_int_equal(ue_register(session, other), 0);
	run(&(struct call){ "registering once more", UE_CALL_REGISTER,
			    is_status_page() ? 1 : 2, prepare_second, register_it,
			    check_registered });
	assert_int_equal(ue_unregister(other), 0);
}

static void prepare_registered(void)
{
	prepare_second();
	assert_int_equal(ue_register(session, subject), 0);
}

static int unregister_it(void)
{
	return ue_unregister(subject);
}

/* The kernel enables the other event, and would enable this one if it still knew it. */
static void check_unregistered(void)
{
	assert_int_equal(ue_unregister(subject), -ENOENT);
	listen_to(other);
	assert_int_equal(*subject->word, 0);
	stop_listening(other);
	free(subject);
}

static void unregistering(void **state)
{
	(void)state;
	other = make(unique("left u32 a"), 0);
	assert_int_equal(ue_register(session, other), 0);
	run(&(struct call){ "unregistering", UE_CALL_UNREGISTER, 0, prepare_registered,
			    unregister_it, check_unregistered });
	assert_int_equal(ue_unregister(other), 0);
}

static void prepare_session(void)
{
	fd = ue_open(NULL);
	assert_true(fd >= 0);
	subject = make(other->definition, 0);
	assert_int_equal(ue_register(fd, subject), 0);
}

/* The second time there is no session to close. */
static int close_session_once(void)
{
	int result = ue_close(fd);

	return result == -EBADF ? -ENOENT : result;
}

static void closing(void **state)
{
	(void)state;
	other = make(unique("closed u32 a"), 0);
	assert_int_equal(ue_register(session, other), 0);
	run(&(struct call){ "closing", UE_CALL_CLOSE, 0, prepare_session, close_session_once,
			    check_unregistered });
	assert_int_equal(ue_unregister(other), 0);
}

/* In a child: the line of the failed check. */
#define REQUIRE(condition)                         \
	do {                                       \
		if (!(condition))                  \
			_exit(__LINE__ % 200 + 1); \
	} while (0)

/*
 * The registrations exist and are up to date, or the event is marked as not registered
 * and can be registered.
 */
static void check_child(void)
{
	uint32_t value = 7;
	int result = ue_register(session, subject);

	if (result == -EBADF) {
		session = ue_open(NULL);
		result = ue_register(session, subject);
	}
	REQUIRE(!result || result == -EALREADY);
	/* The kernel may write to a page shared with the parent a little later. */
	for (int i = 0; i < 30000 && !ue_enabled(subject); i++)
		usleep(1000);
	REQUIRE(ue_enabled(subject));
	REQUIRE(!ue_write(session, subject, &value, sizeof(value)));
	REQUIRE(!ue_unregister(subject));
	_exit(0);
}

static void arm_child(void)
{
	if (is_armed_in_child)
		arm(is_armed_in_child);
}

/* Runs before any constructor, including the library's: in a child, handlers run in the
 * order of their registration. */
static void watch_forks(void)
{
	pthread_atfork(NULL, NULL, arm_child);
}

static void (*const before_all)(void)
	__attribute__((section(".preinit_array"), used)) = watch_forks;

/* Round NTH of a fork: in the parent, or in the child while the library is called. */
static int fork_round(int nth, int in_child)
{
	int failed = 0, status = 0;
	pid_t child;

	is_armed_in_child = in_child ? nth : 0;
	if (!in_child)
		arm(nth);
	child = fork();
	if (!child) {
		failed = in_child ? disarm() : 0;
		is_armed_in_child = 0;
		if (in_child && !failed)
			_exit(0);
		check_child();
	}
	if (!in_child)
		failed = disarm();
	if (child < 0) {
		assert_true(failed);
		return 1;
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		fail_msg("round %d: the child ended with %#x", nth, (unsigned)status);
	if (!in_child)
		assert_int_equal(count_recorded(), 1);
	else
		failed = count_recorded() == 1;
	return failed;
}

static void fork_with_faults(int in_child, int least)
{
	int nth = 1;

	need_faults();
	subject = make(unique("forked u32 a"), 0);
	assert_int_equal(ue_register(session, subject), 0);
	listen_to(subject);
	while (fork_round(nth, in_child))
		assert_uint_in_range(nth++, 1, ROUNDS_MAX);
	printf("# forking, in the %s: %d allocations failed\n",
	       in_child ? "child" : "parent", nth - 1);
	assert_uint_in_range(nth - 1, least, ROUNDS_MAX);
	stop_listening(subject);
	assert_int_equal(ue_unregister(subject), 0);
}

static void forking(void **state)
{
	(void)state;
	fork_with_faults(0, 10);
}

static void born(void **state)
{
	(void)state;
	fork_with_faults(1, is_status_page() ? 0 : 2);
}

/* Reported as lost, or recorded. */
static void writing(void **state)
{
	uint32_t value = 7, lost = 0;
	int failed = 1;

	(void)state;
	need_faults();
	subject = make(unique("written u32 a"), 0);
	assert_int_equal(ue_register(session, subject), 0);
	listen_to(subject);
	for (int nth = 1; failed; nth++) {
		int result;

		assert_uint_in_range(nth, 1, ROUNDS_MAX);
		arm(nth);
		result = ue_write(session, subject, &value, sizeof(value));
		failed = disarm();
		lost += result != 0;
		assert_int_equal(count_recorded(), !result);
	}
	printf("# writing: %u lost\n", lost);
	assert_int_equal(ue_event_losses(subject, UE_LOSS_OTHER), lost);
	stop_listening(subject);
	assert_int_equal(ue_unregister(subject), 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(opening, prepare_kernel, close_session),
		SESSION_TEST(registering_a_new_tracepoint),
		SESSION_TEST(registering_one_of_several_formats),
		SESSION_TEST(registering_an_existing_tracepoint),
		SESSION_TEST(unregistering),
		SESSION_TEST(closing),
		SESSION_TEST(forking),
		SESSION_TEST(born),
		SESSION_TEST(writing),
	};

	start_early_threads(argc, argv);
	return RUN_TESTS(tests, argc, argv);
}
