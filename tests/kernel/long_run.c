/* SPDX-License-Identifier: MIT */
/*
 * A program that runs for long, and in which everything comes and goes: threads, processes
 * that are forked, killed and executed, sessions, registrations, shared objects, and
 * listeners beside the one that stays. That one must have counted each event that was
 * written and not reported lost, and in the end the program holds no more than at first.
 * Argument: the seconds, 5 by default.
 */
#define _GNU_SOURCE
#include "support.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "plugin.h"

#define INSTANCE TRACING "/instances/long_run"
#define WRITERS 3
#define BURST 100

UE_EVENT(long_fixed, UE_U32(writer), UE_U64(number));
UE_EVENT(long_text, UE_U32(writer), UE_STRING(text));
UE_EVENT(long_churn, UE_U32(number));
UE_PROVIDER(long_run, "Test_LongRun");
UE_TRACEPOINT(long_steps, long_run, UE_LEVEL_INFORMATION, 0x1);
UE_EVENTHEADER(long_steps, step, UE_STRING(name), UE_U32(number));

/*
 * All processes count here. Who is killed has begun at most one event for each thread that
 * may have been written or not.
 */
static struct counts {
	uint64_t begun, done, lost, failures;
	uint64_t threads, forked, killed, executed, sessions, plugins, listeners;
	int first_failure;
} *counts;

static int counts_fd;
static long seconds = 5;
static const char *self;
static char large[10000];
static int stop;

static void add(uint64_t *count, uint64_t n)
{
	__atomic_fetch_add(count, n, __ATOMIC_RELAXED);
}

static void has_failed(int line, int result)
{
	int none = 0;

	if (result >= 0)
		return;
	add(&counts->failures, 1);
	__atomic_compare_exchange_n(&counts->first_failure, &none, line * 1000 - result,
				    0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}
#define CHECK(result) has_failed(__LINE__, result)

/* One expression that writes, counted before and after. */
#define COUNTED(events, write)                 \
	do {                                   \
		int result_;                   \
		add(&counts->begun, events);   \
		result_ = (write);             \
		if (result_ == -EMSGSIZE)      \
			add(&counts->lost, 1); \
		else                           \
			CHECK(result_);        \
		add(&counts->done, events);    \
	} while (0)

static int goes_on(void)
{
	return !__atomic_load_n(&stop, __ATOMIC_RELAXED);
}

static void write_some(int fd, uint32_t from, uint32_t end)
{
	for (uint32_t i = from; i < end; i++) {
		/* Texts of all lengths; one in 1000 is too large. */
		const char *text =
			large + (i % 1000 == 999 ? 0 : sizeof(large) - 1 - i % 60);

		COUNTED(1, UE_WRITE(fd, long_fixed, i, (uint64_t)i * i));
		COUNTED(1, UE_WRITE(fd, long_text, i, text));
		COUNTED(1, UE_WRITE(fd, step, "some", i));
	}
}

/* Threads */

static void *write_once(void *from)
{
	const uint32_t first = (uint32_t)(uintptr_t)from;

	write_some(session, first, first + BURST);
	return NULL;
}

static void *write_always(void *unused)
{
	for (uint32_t i = 0; goes_on(); i += BURST)
		write_some(session, i, i + BURST);
	return unused;
}

static void *start_threads(void *unused)
{
	pthread_t thread;

	for (uint32_t i = 0; goes_on(); i++) {
		CHECK(-pthread_create(&thread, NULL, write_once, (void *)(uintptr_t)i));
		CHECK(-pthread_join(thread, NULL));
		add(&counts->threads, 1);
	}
	return unused;
}

/* Sessions and registrations */

static void register_and_write(int fd)
{
	struct ue_event *event = UE_EVENT_OF(long_churn);

	CHECK(ue_register(fd, event));
	for (uint32_t i = 0; i < 10; i++)
		COUNTED(1, ue_write(fd, event, &i, sizeof(i)));
	CHECK(ue_unregister(event));
}

static void *change_sessions(void *unused)
{
	while (goes_on()) {
		int fd = ue_open(NULL);

		CHECK(fd);
		register_and_write(session);
		register_and_write(fd);
		CHECK(ue_close(fd));
		add(&counts->sessions, 1);
	}
	return unused;
}

/* Processes */

enum fate { ENDS, IS_KILLED, OPENS_ITS_OWN, FORKS, EXECUTES, IS_KILLED_EXECUTED, FATES };

/* A child that is killed has no end. */
static void write_for_ever(int fd)
{
	for (uint32_t i = 0;; i += BURST)
		write_some(fd, i, i + BURST);
}

static void open_and_write(void)
{
	int fd;

	CHECK(ue_close(session));
	fd = ue_open(NULL);
	CHECK(fd);
	CHECK(ue_register_all(fd));
	write_some(fd, 0, BURST);
	CHECK(ue_close(fd));
}

static void fork_and_write(void)
{
	pid_t child = fork();

	if (!child) {
		write_some(session, 0, BURST);
		_exit(0);
	}
	write_some(session, 0, BURST);
	CHECK(child < 0 ? -errno : 0);
	CHECK(waitpid(child, NULL, 0) < 0 ? -errno : 0);
}

static void execute(const char *how)
{
	char fd[12];

	snprintf(fd, sizeof(fd), "%d", counts_fd);
	fcntl(counts_fd, F_SETFD, 0);
	execl("/proc/self/exe", self, how, fd, (char *)NULL);
	CHECK(-errno);
}

static void be_child(enum fate fate)
{
	switch (fate) {
	case ENDS: write_some(session, 0, BURST); break;
	case IS_KILLED: write_for_ever(session); break;
	case OPENS_ITS_OWN: open_and_write(); break;
	case FORKS: fork_and_write(); break;
	case EXECUTES: execute("--ends"); break;
	default: execute("--goes-on");
	}
	_exit(0);
}

/* An executed program. */
static int be_program(const char *how, const char *fd)
{
	int own;

	counts = mmap(NULL, sizeof(*counts), PROT_READ | PROT_WRITE, MAP_SHARED, atoi(fd),
		      0);
	memset(large, 'x', sizeof(large) - 1);
	if (counts == MAP_FAILED)
		return 1;
	own = ue_open(NULL);
	CHECK(own);
	CHECK(ue_register_all(own));
	if (!strcmp(how, "--goes-on"))
		write_for_ever(own);
	write_some(own, 0, BURST);
	CHECK(ue_close(own));
	return 0;
}

static void have_child(enum fate fate, unsigned *random)
{
	const int is_killed = fate == IS_KILLED || fate == IS_KILLED_EXECUTED;
	pid_t child = fork();
	int status;

	if (!child)
		be_child(fate);
	CHECK(child < 0 ? -errno : 0);
	if (is_killed) {
		usleep((unsigned)rand_r(random) % 50000);
		kill(child, SIGKILL);
	}
	CHECK(waitpid(child, &status, 0) == child ? 0 : -ECHILD);
	CHECK(is_killed || status == 0 ? 0 : -ECANCELED);
	add(is_killed ? &counts->killed : &counts->forked, 1);
	add(&counts->executed, fate == EXECUTES || fate == IS_KILLED_EXECUTED);
}

static void *have_children(void *unused)
{
	unsigned random = 1;

	for (unsigned i = 0; goes_on(); i++)
		have_child(i % FATES, &random);
	return unused;
}

/* Shared objects */

static void *load_plugins(void *unused)
{
	while (goes_on()) {
		void *handle = dlopen(PLUGIN, RTLD_NOW | RTLD_LOCAL);
		const struct plugin *plugin = handle ? dlsym(handle, "plugin") : NULL;

		CHECK(plugin ? plugin->start(session) : -ENOENT);
		for (uint32_t i = 0; plugin && i < 10; i++)
			COUNTED(2, plugin->write(session, i));
		CHECK(handle && !dlclose(handle) ? 0 : -EBUSY);
		add(&counts->plugins, 1);
	}
	return unused;
}

/* Listeners */

static const char *const listened[] = { "long_fixed", "long_text",    "Test_LongRun_L4K1",
					"long_churn", "plugin_event", "plugin_made" };
#define LISTENED (int)(sizeof(listened) / sizeof(listened[0]))

static int set_in_instance(const char *name, const char *file, const char *value)
{
	char path[300];

	snprintf(path, sizeof(path), INSTANCE "/events/user_events/%s/%s", name, file);
	return write_file(path, value);
}

static void read_pipe(void)
{
	char bytes[4096];
	int fd = open(INSTANCE "/trace_pipe", O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	for (int i = 0; i < 5 && read(fd, bytes, sizeof(bytes)) > 0;)
		i++;
	CHECK(fd < 0 ? -errno : close(fd));
}

/* A child that was forked meanwhile has its pipe open for a while. */
static void remove_instance(void)
{
	while (rmdir(INSTANCE)) {
		CHECK(errno == EBUSY ? 0 : -errno);
		usleep(1000);
	}
}

static void listen_in_instance(void)
{
	CHECK(mkdir(INSTANCE, 0700) ? -errno : 0);
	CHECK(set_in_instance("long_fixed", "filter", "writer == 1"));
	for (int i = 0; i < LISTENED; i++)
		CHECK(set_in_instance(listened[i], "enable", "1"));
	read_pipe();
	for (int i = 0; i < LISTENED; i++)
		CHECK(set_in_instance(listened[i], "enable", "0"));
	remove_instance();
}

/* Its ring is small, nobody reads it, and it ends while others write. */
static void listen_with_perf(const char *name)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_TRACEPOINT,
					.size = sizeof(attr),
					.sample_period = 1,
					.sample_type = PERF_SAMPLE_RAW };
	const size_t size = 2 * (size_t)sysconf(_SC_PAGESIZE);
	char path[300];
	void *ring;
	int fd;

	snprintf(path, sizeof(path), "events/user_events/%s/id", name);
	attr.config = strtoull(read_file(path), NULL, 10);
	fd = (int)syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
	CHECK(fd < 0 ? -errno : 0);
	ring = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	CHECK(ring == MAP_FAILED ? -errno : 0);
	usleep(2000);
	munmap(ring, size);
	close(fd);
}

static void *change_listeners(void *unused)
{
	for (unsigned i = 0; goes_on(); i++) {
		listen_in_instance();
		listen_with_perf(listened[i % LISTENED]);
		add(&counts->listeners, 2);
	}
	return unused;
}

/* Together */

static void all_for(long time)
{
	static void *(*const actors[])(void *) = { start_threads, change_sessions,
						   have_children, load_plugins,
						   change_listeners };
	pthread_t threads[WRITERS + sizeof(actors) / sizeof(actors[0])];
	const size_t count = sizeof(threads) / sizeof(threads[0]);

	__atomic_store_n(&stop, 0, __ATOMIC_RELAXED);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(
			pthread_create(&threads[i], NULL,
				       i < WRITERS ? write_always : actors[i - WRITERS],
				       NULL),
			0);
	sleep((unsigned)time);
	/* On a slow machine it lasts until there was one of each kind. */
	EVENTUALLY(counts->killed && counts->executed && counts->plugins);
	__atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(pthread_join(threads[i], NULL), 0);
}

struct holdings {
	long descriptors, mappings, kibibytes;
};

static long count_lines(const char *text)
{
	long lines = 0;

	for (; (text = strchr(text, '\n')); text++)
		lines++;
	return lines;
}

static long count_descriptors(void)
{
	long count = 0;

	for (int fd = 0; fd < 1024; fd++)
		count += fcntl(fd, F_GETFD) >= 0;
	return count;
}

static struct holdings count_holdings(void)
{
	struct holdings now;
	const char *rss;

	/* The number of a session that was closed while a write was stuck is given back by a
	 * later call. */
	assert_int_equal(ue_close(ue_open(NULL)), 0);
	now.descriptors = count_descriptors();
	now.mappings = count_lines(read_file("/proc/self/maps"));
	rss = strstr(read_file("/proc/self/status"), "RssAnon:");
	assert_non_null(rss);
	now.kibibytes = atol(rss + strlen("RssAnon:"));
	return now;
}

/* This listener stays. It needs each event once; then it keeps the events. */
static void begin_to_listen(void)
{
	void *handle = dlopen(PLUGIN, RTLD_NOW | RTLD_LOCAL);
	const struct plugin *plugin = handle ? dlsym(handle, "plugin") : NULL;
	char path[300];

	if (!plugin)
		fail_msg("%s", dlerror());
	assert_int_equal(ue_register_all(session), 0);
	assert_int_equal(plugin->start(session), 0);
	listen_to(UE_EVENT_OF(long_churn)); /* which empties the trace */
	for (int i = 0; i < LISTENED; i++) {
		snprintf(path, sizeof(path), "events/user_events/%s/enable", listened[i]);
		assert_int_equal(write_file(path, "1"), 0);
	}
	EVENTUALLY(UE_ENABLED(long_fixed) && UE_ENABLED(long_text) && UE_ENABLED(step));
	assert_int_equal(ue_unregister(UE_EVENT_OF(long_churn)), 0);
	assert_int_equal(dlclose(handle), 0);
	assert_int_equal(count_of_kernel(), 0);
}

static void report(uint64_t recorded)
{
	printf("# %llu written = %llu recorded + %llu reported lost, %llu of killed "
	       "ones open\n"
	       "# %llu threads, %llu processes, %llu killed, %llu executed, %llu "
	       "sessions, "
	       "%llu shared objects and %llu listeners came and went\n",
	       (unsigned long long)counts->done, (unsigned long long)recorded,
	       (unsigned long long)counts->lost,
	       (unsigned long long)(counts->begun - counts->done),
	       (unsigned long long)counts->threads,
	       (unsigned long long)(counts->forked + counts->killed),
	       (unsigned long long)counts->killed, (unsigned long long)counts->executed,
	       (unsigned long long)counts->sessions, (unsigned long long)counts->plugins,
	       (unsigned long long)counts->listeners);
}

static void nothing_that_goes_leaves_anything(void **state)
{
	const long first = seconds < 300 ? seconds / 5 + 1 : 60;
	struct holdings before, after;
	uint64_t recorded;

	(void)state;
	begin_to_listen();
	all_for(first);
	before = count_holdings();
	all_for(seconds - first);
	after = count_holdings();
	recorded = count_of_kernel();
	report(recorded);
	printf("# descriptors %ld, then %ld; mappings %ld, %ld; KiB %ld, %ld\n",
	       before.descriptors, after.descriptors, before.mappings, after.mappings,
	       before.kibibytes, after.kibibytes);
	if (counts->failures)
		fail_msg("%llu calls failed, the first with errno %d in line %d",
			 (unsigned long long)counts->failures,
			 counts->first_failure % 1000, counts->first_failure / 1000);
	assert_uint_in_range(recorded + counts->lost, counts->done, counts->begun);
	assert_uint_in_range(counts->begun - counts->done, 0, counts->killed);
	assert_true(counts->killed && counts->executed && counts->plugins);
	assert_int_equal(after.descriptors, before.descriptors);
	assert_uint_in_range(after.mappings, 0, before.mappings + 8);
	assert_uint_in_range(after.kibibytes, 0, before.kibibytes + 2048);
}

static int count_here(void)
{
	counts_fd = memfd_create("counts", MFD_CLOEXEC);
	if (counts_fd < 0 || ftruncate(counts_fd, sizeof(*counts)))
		return -1;
	counts = mmap(NULL, sizeof(*counts), PROT_READ | PROT_WRITE, MAP_SHARED,
		      counts_fd, 0);
	return counts == MAP_FAILED ? -1 : 0;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		SESSION_TEST(nothing_that_goes_leaves_anything),
	};

	self = argv[0];
	if (argc == 3)
		return be_program(argv[1], argv[2]);
	if (argc > 1)
		seconds = atol(argv[1]);
	memset(large, 'x', sizeof(large) - 1);
	return count_here() ? 1 : RUN_TESTS(tests, argc, argv);
}
