/* SPDX-License-Identifier: MIT */
/*
 * The system calls that the library makes in fork() are those of the table in
 * doc/security.md, from which people write filters that end a process for any other
 * call. Needs no kernel with user_events, unless the argument is "kernel".
 *
 * A traced process forks and marks the beginning and the end with a getsid() of its
 * own. The tracer notes the calls between, of the parent and of the child.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <userevents/capture.h>
#include <userevents/ring.h>
#include <userevents/userevents.h>

#include "state/in_flight.h"

UE_EVENT(forked, UE_U32(number));

#define CALLS 512
/* Negative process ids, so that the marks are no calls that libc makes. */
#define MARK(number) (-1000l - (number))

struct calls {
	unsigned char has[CALLS];
};

/* Names, as strace(1) prints them */

#define CALL(name) { #name, SYS_##name }
static const struct {
	const char *name;
	int number;
} names[] = {
	CALL(clock_nanosleep), CALL(close), CALL(exit_group), CALL(fcntl), CALL(fstat),
	CALL(futex), CALL(getpgid), CALL(getpid), CALL(getppid), CALL(gettid),
	CALL(ioctl), CALL(madvise), CALL(membarrier), CALL(mmap), CALL(mremap),
	CALL(munmap), CALL(newfstatat), CALL(openat), CALL(poll), CALL(prctl),
	CALL(read), CALL(readlink), CALL(rt_sigprocmask), CALL(sendto), CALL(statx),
};
#define NAMES (sizeof(names) / sizeof(names[0]))

static const char *name_of(int number)
{
	static char text[32];

	for (size_t i = 0; i < NAMES; i++)
		if (names[i].number == number)
			return names[i].name;
	snprintf(text, sizeof(text), "number %d", number);
	return text;
}

static int number_of(const char *name, size_t length)
{
	for (size_t i = 0; i < NAMES; i++)
		if (strlen(names[i].name) == length &&
		    !memcmp(names[i].name, name, length))
			return names[i].number;
	return -1;
}

/* libc's own, of fork() without handlers. */
static const int of_libc[] = { SYS_clone, SYS_clone3, SYS_set_robust_list, SYS_rseq,
			       SYS_rt_sigprocmask };

/* The traced process */

enum session {
	NO_SESSION, RING, CAPTURE, IN_WRITE, STATUS_PAGE, ENABLE_ADDRESS, MANY_EVENTS, SESSIONS
};

static void register_many(int fd)
{
	static struct ue_event events[64];
	static char definitions[64][32];

	for (int i = 0; i < 64; i++) {
		snprintf(definitions[i], sizeof(definitions[i]), "fork_calls_%d u32 a", i);
		if (ue_event_init(&events[i], definitions[i], 0) || ue_register(fd, &events[i]))
			_exit(77);
	}
}

static int open_session(enum session kind)
{
	const struct ue_ring_opts ring = { .size = sizeof(ring) };
	struct ue_open_opts opts = { .size = sizeof(opts), .flags = UE_OPEN_FD };
	static struct ue_capture *capture;
	int fd;

	if (kind == RING || kind == IN_WRITE)
		opts.fd = ue_ring_create(NULL, &ring);
	if (kind == CAPTURE && !ue_capture_open(NULL, &capture))
		opts.fd = ue_capture_writer_fd(capture);
	fd = ue_open(kind >= STATUS_PAGE ? NULL : &opts);
	if (fd < 0 || ue_register_all(fd) || UE_WRITE(fd, forked, 1))
		_exit(77);
	if (kind == MANY_EVENTS)
		register_many(fd);
	return fd;
}

static void be_traced(enum session kind)
{
	const int fd = kind == NO_SESSION ? -1 : open_session(kind);
	uint32_t *writers = kind == IN_WRITE ? ue__enter(&writers) : NULL;
	pid_t child;

	ptrace(PTRACE_TRACEME, 0, NULL, NULL);
	raise(SIGSTOP);
	syscall(SYS_getsid, MARK(0));
	child = fork();
	syscall(SYS_getsid, MARK(1));
	if (writers)
		ue__leave(writers);
	/* The calls of fork() alone are complete if the child can write. */
	if (!child)
		_exit(kind != NO_SESSION && UE_WRITE(fd, forked, 2));
	_exit(child < 0);
}

/* The tracer */

struct traced {
	pid_t parent;
	int parent_is_forking, child_has_forked;
	struct calls of_parent, of_child;
};

static void note_call(struct traced *traced, pid_t thread)
{
	const int is_parent = thread == traced->parent;
	struct __ptrace_syscall_info info;
	int number;

	if (ptrace(PTRACE_GET_SYSCALL_INFO, thread, sizeof(info), &info) < 0 ||
	    info.op != PTRACE_SYSCALL_INFO_ENTRY)
		return;
	number = (int)info.entry.nr;
	if (number == SYS_getsid && (long)info.entry.args[0] == MARK(0))
		traced->parent_is_forking = 1;
	else if (number == SYS_getsid && (long)info.entry.args[0] == MARK(1))
		*(is_parent ? &traced->parent_is_forking : &traced->child_has_forked) =
			!is_parent;
	else if (number < CALLS && is_parent && traced->parent_is_forking)
		traced->of_parent.has[number] = 1;
	else if (number < CALLS && !is_parent && !traced->child_has_forked)
		traced->of_child.has[number] = 1;
}

/* Returns the worst exit status. */
static int trace(struct traced *traced)
{
	int status, worst = 0;
	pid_t thread;

	waitpid(traced->parent, &status, 0);
	if (!WIFSTOPPED(status))
		return WEXITSTATUS(status);
	ptrace(PTRACE_SETOPTIONS, traced->parent, NULL,
	       PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEFORK | PTRACE_O_TRACECLONE |
		       PTRACE_O_EXITKILL);
	ptrace(PTRACE_SYSCALL, traced->parent, NULL, NULL);
	while ((thread = waitpid(-1, &status, __WALL)) > 0) {
		if (WIFSTOPPED(status)) {
			if (WSTOPSIG(status) == (SIGTRAP | 0x80))
				note_call(traced, thread);
			ptrace(PTRACE_SYSCALL, thread, NULL, NULL);
		} else if (!WIFEXITED(status) || WEXITSTATUS(status)) {
			worst = WIFEXITED(status) ? WEXITSTATUS(status) : 1;
		}
	}
	return worst;
}

/* The document */

struct documented {
	struct calls all, rarely;
};

/* A name in backquotes; those after the word "rarely" need not be seen. */
static int read_names(const char *text, struct documented *documented)
{
	const char *rarely = strstr(text, "rarely"), *end;

	while ((text = strchr(text, '`'))) {
		end = strchr(++text, '`');
		const int number = end ? number_of(text, (size_t)(end - text)) : -1;

		if (number < 0) {
			printf("# the test does not know all of %s", text);
			return -1;
		}
		documented->all.has[number] = 1;
		if (rarely && text > rarely)
			documented->rarely.has[number] = 1;
		text = end + 1;
	}
	return 0;
}

/* Add the calls of a row, which begins "| WHERE | SESSION |". */
static int read_row(const char *where, const char *session, struct documented *documented)
{
	char line[4096], begin[200];
	FILE *file = fopen(DOCUMENT, "r");
	int result = -1;

	if (!file)
		return -1;
	snprintf(begin, sizeof(begin), "| %s | %s |", where, session);
	while (fgets(line, sizeof(line), file))
		if (!strncmp(line, begin, strlen(begin)))
			result = read_names(line + strlen(begin), documented);
	fclose(file);
	if (result)
		printf("# %s has no row \"%s\"\n", DOCUMENT, begin);
	return result;
}

/* Comparison */

static int is_of_libc(int number)
{
	for (size_t i = 0; i < sizeof(of_libc) / sizeof(of_libc[0]); i++)
		if (of_libc[i] == number)
			return 1;
	return 0;
}

static int compare(const struct calls *seen, const struct documented *documented,
		   const char *where)
{
	int failed = 0;

	for (int i = 0; i < CALLS; i++) {
		const int is_expected = documented->all.has[i];
		const char *wrong = NULL;

		if (seen->has[i] && !is_expected && !is_of_libc(i))
			wrong = "not in the table, but called";
		if (!seen->has[i] && is_expected && !documented->rarely.has[i])
			wrong = "in the table, but not called";
		if (wrong)
			printf("# %s: %s is %s\n", where, name_of(i), wrong);
		failed |= !!wrong;
	}
	return failed;
}

#define INTERRUPTED \
	"a ring or capture, if a signal handler forks that interrupted a write"

static const struct {
	const char *test;
	const char *rows[4];
} sessions[SESSIONS] = {
	[NO_SESSION] = { "without_a_session", { NULL } },
	[RING] = { "a_ring", { "a session", "a ring or capture" } },
	[CAPTURE] = { "a_capture", { "a session", "a ring or capture" } },
	[IN_WRITE] = { "a_ring_in_the_middle_of_a_write",
		       { "a session", "a ring or capture", INTERRUPTED } },
	[STATUS_PAGE] = { "the_kernel_up_to_6.3", { "a session" } },
	[ENABLE_ADDRESS] = { "the_kernel", { "a session", "the kernel, 6.4 and later" } },
	[MANY_EVENTS] = { "many_events_of_the_kernel",
			  { "a session", "the kernel, 6.4 and later",
			    "the kernel, 6.4 and later, if a session has 64 events or more" } },
};

/* In a process of its own: this one has no session, nor a thread of the library's. */
static enum session session_of_kernel(void)
{
	int status = 0;
	pid_t child = fork();

	if (!child)
		_exit(ue_abi(ue_open(NULL)) == UE_ABI_STATUS_PAGE);
	waitpid(child, &status, 0);
	return status ? STATUS_PAGE : ENABLE_ADDRESS;
}

static int check(enum session kind)
{
	struct documented of_parent = { 0 }, of_child = { 0 };
	struct traced traced = { 0 };
	int status;

	fflush(stdout);
	traced.parent = fork();
	if (!traced.parent)
		be_traced(kind);
	status = trace(&traced);
	if (status)
		return status;
	if (read_row("the parent", "always", &of_parent) ||
	    read_row("the child", "always", &of_child))
		return 1;
	for (int i = 0; i < 4 && sessions[kind].rows[i]; i++)
		if (read_row("the child", sessions[kind].rows[i], &of_child))
			return 1;
	return compare(&traced.of_parent, &of_parent, "the parent") |
	       compare(&traced.of_child, &of_child, "the child");
}

int main(int argc, char **argv)
{
	const int on_kernel = argc > 1 && !strcmp(argv[1], "kernel");
	const enum session first = on_kernel ? session_of_kernel() : NO_SESSION;
	const enum session last = !on_kernel ? IN_WRITE :
				  first == STATUS_PAGE ? first : MANY_EVENTS;
	int tests = 0, failed = 0;

	for (enum session kind = first; kind <= last; kind++) {
		const int result = check(kind);

		if (result == 77)
			return 77;
		failed |= result;
		printf("%sok %d - %s\n", result ? "not " : "", ++tests,
		       sessions[kind].test);
	}
	printf("1..%d\n", tests);
	return failed;
}
