/* SPDX-License-Identifier: MIT */
/*
 * Makes every system call and allocation of the library fail once, at each call site. The
 * linker replaces libc's functions with those below (--wrap). The first call of a
 * scenario fails in the first run, the second in the next, and so on until no call is
 * left. After each run nothing may have leaked, ue_explain() must know every error, and
 * the scenario must then succeed.
 *
 * (allocations_fail.c covers failures inside the kernel.)
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <userevents/userevents.h>

#include "early_threads.h"

/* Shared with children, which may make the call. */
static struct shared {
	int armed;
	int calls;  /* so far, while armed */
	int victim; /* the number of the one that fails */
	const char *victim_name; /* or its name */
	const char *failed;
} *shared;

static int allocated; /* by the library, and not freed */

/* Counts a call. Returns 1 if this one must fail. */
static int fails(const char *what, int error)
{
	int call;

	if (!shared || !__atomic_load_n(&shared->armed, __ATOMIC_RELAXED))
		return 0;
	call = __atomic_add_fetch(&shared->calls, 1, __ATOMIC_RELAXED);
	if (shared->victim_name ? strcmp(shared->victim_name, what) : shared->victim != call)
		return 0;
	shared->failed = what;
	errno = error;
	return 1;
}

#define REAL(type, name, ...)             \
	type __real_##name(__VA_ARGS__);  \
	type __wrap_##name(__VA_ARGS__);  \
	type __wrap_##name(__VA_ARGS__)

static void *count_allocation(void *memory)
{
	__atomic_fetch_add(&allocated, memory != NULL, __ATOMIC_RELAXED);
	return memory;
}

REAL(void *, malloc, size_t size)
{
	return fails("malloc", ENOMEM) ? NULL : count_allocation(__real_malloc(size));
}

REAL(void *, calloc, size_t count, size_t size)
{
	return fails("calloc", ENOMEM) ? NULL : count_allocation(__real_calloc(count, size));
}

REAL(void *, realloc, void *memory, size_t size)
{
	void *result;

	if (fails("realloc", ENOMEM))
		return NULL;
	result = __real_realloc(memory, size);
	return memory ? result : count_allocation(result);
}

REAL(char *, strdup, const char *text)
{
	return fails("strdup", ENOMEM) ? NULL : count_allocation(__real_strdup(text));
}

REAL(void, free, void *memory)
{
	__atomic_fetch_sub(&allocated, memory != NULL, __ATOMIC_RELAXED);
	__real_free(memory);
}

REAL(int, open64, const char *path, int flags, ...)
{
	return fails("open", EMFILE) ? -1 : __real_open64(path, flags);
}

/* The kernel closes the file even so. */
REAL(int, close, int fd)
{
	int result = __real_close(fd);

	return fails("close", EINTR) ? -1 : result;
}

REAL(ssize_t, read, int fd, void *buffer, size_t size)
{
	return fails("read", EIO) ? -1 : __real_read(fd, buffer, size);
}

REAL(int, ioctl, int fd, unsigned long request, ...)
{
	va_list arguments;
	void *argument;

	va_start(arguments, request);
	argument = va_arg(arguments, void *);
	va_end(arguments);
	return fails("ioctl", ENOMEM) ? -1 : __real_ioctl(fd, request, argument);
}

REAL(int, fcntl64, int fd, int request, ...)
{
	va_list arguments;
	long argument;

	va_start(arguments, request);
	argument = va_arg(arguments, long);
	va_end(arguments);
	return fails("fcntl", EMFILE) ? -1 : __real_fcntl64(fd, request, argument);
}

REAL(int, fstat64, int fd, struct stat *status)
{
	return fails("fstat", ENOMEM) ? -1 : __real_fstat64(fd, status);
}

REAL(int, stat64, const char *path, struct stat *status)
{
	return fails("stat", ENOMEM) ? -1 : __real_stat64(path, status);
}

REAL(int, fstatfs64, int fd, struct statfs *status)
{
	return fails("fstatfs", ENOMEM) ? -1 : __real_fstatfs64(fd, status);
}

REAL(ssize_t, readlink, const char *path, char *buffer, size_t size)
{
	return fails("readlink", EACCES) ? -1 : __real_readlink(path, buffer, size);
}

REAL(void *, mmap64, void *at, size_t size, int protection, int flags, int fd,
     off_t offset)
{
	return fails("mmap", ENOMEM) ? MAP_FAILED :
				       __real_mmap64(at, size, protection, flags, fd, offset);
}

REAL(int, pthread_create, pthread_t *thread, const pthread_attr_t *attributes,
     void *(*function)(void *), void *argument)
{
	return fails("pthread_create", 0) ?
		       EAGAIN :
		       __real_pthread_create(thread, attributes, function, argument);
}

REAL(int, pthread_attr_init, pthread_attr_t *attributes)
{
	return fails("pthread_attr_init", 0) ? ENOMEM :
					       __real_pthread_attr_init(attributes);
}

UE_EVENT(faults_text, UE_STRING(a), UE_U32(b));
UE_EVENT(faults_many, UE_BLOB(a), UE_BLOB(b), UE_BLOB(c), UE_BLOB(d), UE_BLOB(e),
	 UE_BLOB(f), UE_BLOB(g), UE_BLOB(h), UE_BLOB(i), UE_BLOB(j));

static char wrong[300]; /* what, if anything */

static void note(const char *what, int result)
{
	snprintf(wrong, sizeof(wrong), "%s: %d (%s)", what, result, strerror(-result));
}

/* 0, or an error that has a sentence of its own. */
static int named(const char *what, enum ue_call call, int result)
{
	if (result < 0 && strstr(ue_explain(call, result), "does not know"))
		note(what, result);
	return result;
}

static int write_both(int fd)
{
	static const char middle[330];
	const size_t m = sizeof(middle);
	int result = named("write", UE_CALL_WRITE, UE_WRITE(fd, faults_text, "x", 1));

	return named("write many", UE_CALL_WRITE,
		     UE_WRITE(fd, faults_many, middle, m, middle, m, middle, m, middle, m,
			      middle, m, middle, m, middle, m, middle, m, middle, m, middle,
			      m)) |
	       result;
}

/* Everything a child must be able to do, whatever failed in its fork. */
static int fork_once(int fd)
{
	pid_t child = fork();
	int status;

	if (!child) {
		int result = write_both(fd);

		if (!shared->failed && result)
			note("write in child", result);
		named("close in child", UE_CALL_CLOSE, ue_close(fd));
		if (*wrong)
			printf("# in the child: %s\n", wrong);
		fflush(stdout);
		_exit(!!*wrong);
	}
	if (waitpid(child, &status, 0) != child || status)
		note("the child", -status);
	return 0;
}

/* Does everything a program would do: skips a failed step and continues. */
static int scenario(void)
{
	struct ue_event other;
	int result = named("ue_open", UE_CALL_OPEN, ue_open(NULL)), fd = result;

	if (fd < 0)
		return fd;
	result = named("ue_register_all", UE_CALL_REGISTER, ue_register_all(fd));
	ue_event_init(&other, "faults_other u32 a", 0);
	result |= named("ue_register", UE_CALL_REGISTER, ue_register(fd, &other));
	if (!result) {
		*UE_EVENT_OF(faults_text)->word |= UE__WORD_LISTENED;
		*UE_EVENT_OF(faults_many)->word |= UE__WORD_LISTENED;
		result |= write_both(fd);
	}
	result |= fork_once(fd);
	result |= named("ue_unregister", UE_CALL_UNREGISTER, ue_unregister(&other));
	/* It may have to be asked again. */
	if (ue_unregister(&other) == 0 && ue_unregister(&other) != -ENOENT)
		note("ue_unregister again", 0);
	return result | named("ue_close", UE_CALL_CLOSE, ue_close(fd));
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

static int tests, failures;

static void report(const char *what)
{
	tests++;
	failures += *wrong != 0;
	printf("%s %d - %s\n", *wrong ? "not ok" : "ok", tests, what);
	if (*wrong)
		printf("# %s\n", wrong);
	fflush(stdout);
}

/* One run. Returns 0 when no call was left to fail. */
static int run(int victim)
{
	const int descriptors = count_descriptors(), before = allocated;
	char what[100];
	int result;

	*wrong = '\0';
	*shared = (struct shared){ .armed = 1, .victim = victim };
	result = scenario();
	shared->armed = 0;
	if (!shared->failed && result)
		note("without a fault", result);
	if (allocated != before)
		note("memory leaks", allocated - before);
	if (count_descriptors() != descriptors)
		note("descriptors leak", count_descriptors() - descriptors);
	result = scenario();
	if (result)
		note("afterwards", result);
	snprintf(what, sizeof(what), "call %d, %s, fails", victim,
		 shared->failed ? shared->failed : "none");
	report(what);
	return shared->failed != NULL;
}

/* The thread that the library needs if other threads existed first. */
static void run_thread(const char *victim, int expected)
{
	char what[100];
	int fd;

	*wrong = '\0';
	*shared = (struct shared){ .armed = 1, .victim_name = victim };
	fd = named("ue_open", UE_CALL_OPEN, ue_open(NULL));
	shared->armed = 0;
	if (fd != expected || !shared->failed)
		note("ue_open", fd);
	snprintf(what, sizeof(what), "%s fails", victim);
	report(what);
}

/* Skips in the same way as the other kernel tests. */
static int skip_without_kernel(const char *name)
{
	static const char *const names[] = { "none", "status-page", "enable-address" };
	const char *wanted = getenv("UE_TEST_ABI");
	int fd = ue_open(NULL), abi = fd < 0 ? 0 : ue_abi(fd);

	ue_close(fd);
	printf("# %s: interface: %s\n", name, names[abi]);
	fflush(stdout);
	if (wanted && strcmp(wanted, names[abi])) {
		printf("not ok 1 - interface is %s\n", wanted);
		return 1;
	}
	if (!abi)
		printf("1..0 # SKIP no user_events\n");
	return abi ? 0 : 77;
}

int main(int argc, char **argv)
{
	int victim = 1, skip;

	start_early_threads(argc, argv);
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		return 1;
	if (argc > 1 && !access("/proc/sys/kernel/user_events_max", F_OK)) {
		run_thread("pthread_attr_init", -ENOMEM);
		run_thread("pthread_create", -EAGAIN);
	}
	skip = skip_without_kernel(argv[0]);
	if (skip)
		return skip;
	scenario(); /* the library keeps the memory of registrations */
	while (run(victim) && victim < 1000)
		victim++;
	*wrong = '\0';
	if (victim < 30)
		note("too few calls to be all", victim);
	report("every call failed once");
	printf("1..%d\n", tests);
	return failures != 0;
}
