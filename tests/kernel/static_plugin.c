/* SPDX-License-Identifier: MIT */
/*
 * Loads and unloads plugins that contain libuserevents.a, as a host does that knows
 * nothing of it: this program is not linked with the library, and has another thread.
 * Arguments: how often, then the plugins: an ordinary one, and one whose copy of the
 * library cannot ask to stay in memory.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define LOADS 6
#define CANNOT 77

static const char *ordinary, *other;

/* Ends a child. Its exit status is not that of a test that cannot run. */
#define MUST(condition)                                                        \
	do {                                                                   \
		if (!(condition)) {                                            \
			printf("# line %d: not so: %s\n", __LINE__, #condition); \
			fflush(stdout);                                        \
			_exit(1);                                              \
		}                                                              \
	} while (0)

static void *idle(void *unused)
{
	pause();
	return unused;
}

/* The result of the plugin's call. */
static int load_and_unload(const char *path)
{
	void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL), *symbol;
	int (*call)(void) = NULL, result;

	if (!handle)
		printf("# %s\n", dlerror());
	MUST(handle);
	symbol = dlsym(handle, "call");
	MUST(symbol);
	*(void **)&call = symbol;
	result = call();
	MUST(!dlclose(handle));
	return result;
}

static int count_mappings(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	int count = 0, c;

	MUST(maps);
	while ((c = getc(maps)) != EOF)
		count += c == '\n';
	fclose(maps);
	return count;
}

static int count_threads(void)
{
	int count = 0;
	char line[256];
	FILE *status = fopen("/proc/self/status", "r");

	MUST(status);
	while (fgets(line, sizeof(line), status))
		sscanf(line, "Threads: %d", &count);
	fclose(status);
	return count;
}

static void have_another_thread(void)
{
	pthread_t thread;

	alarm(600);
	MUST(!pthread_create(&thread, NULL, idle, NULL));
}

static void end_child(void)
{
	int status;
	pid_t child;

	/* Its handlers of fork() are gone, or their code stays. */
	child = fork();
	if (!child)
		_exit(0);
	MUST(waitpid(child, &status, 0) == child && !status);
	exit(0); /* with the functions that exit() calls */
}

/* Whatever a program needs to use the library may stay after the first time. */
static void stay(void)
{
	int before, result;

	have_another_thread();
	result = load_and_unload(ordinary);
	if (result == -ENOENT || result == -ENODEV)
		_exit(CANNOT);
	MUST(!result);
	before = count_mappings();
	for (int i = 1; i < LOADS; i++)
		MUST(!load_and_unload(ordinary));
	usleep(1000); /* the library's thread runs */
	MUST(count_mappings() == before);
	end_child();
}

/* Where the first has a thread (Linux 6.4 and later), the other has no session. */
static void refuse(void)
{
	int expected;

	have_another_thread();
	MUST(!load_and_unload(ordinary));
	expected = count_threads() > 2 ? -EAGAIN : 0;
	for (int i = 0; i < LOADS; i++) {
		MUST(load_and_unload(other) == expected);
		MUST(!dlopen(other, RTLD_NOW | RTLD_NOLOAD));
	}
	MUST(count_threads() == (expected ? 3 : 2));
	end_child();
}

static int tests, failed;

static int run(void (*function)(void))
{
	pid_t child;
	int status;

	fflush(stdout);
	child = fork();
	if (!child)
		function();
	if (child < 0 || waitpid(child, &status, 0) != child)
		return 1;
	if (WIFSIGNALED(status))
		printf("# signal %d\n", WTERMSIG(status));
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

static void test(const char *name, void (*function)(void), int times)
{
	int result = 0, i = 0;

	while (!result && i < times) {
		result = run(function);
		i++;
	}
	if (result == CANNOT)
		exit(CANNOT);
	if (result)
		printf("# in run %d of %d\n", i, times);
	printf("%sok %d - %s\n", result ? "not " : "", ++tests, name);
	failed |= result;
}

int main(int argc, char **argv)
{
	const int times = argc > 1 ? atoi(argv[1]) : 0;

	if (argc != 4 || times < 1)
		return 2;
	ordinary = argv[2];
	other = argv[3];
	/* one of an earlier run may have another layout */
	if (getenv("USEREVENTS_RING"))
		unlink(getenv("USEREVENTS_RING"));
	test("a_plugin_with_the_static_library_stays_loaded", stay, times);
	test("one_that_cannot_stay_has_no_thread", refuse, times);
	printf("1..%d\n", tests);
	return failed;
}
