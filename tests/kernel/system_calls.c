/* SPDX-License-Identifier: MIT */
/*
 * The number of system calls that registering, unregistering and closing make.
 *
 * A traced child does the work in phases, and marks each with a getsid() of its number.
 * The tracer counts the calls of all its threads. With the argument "late", the library
 * has a thread of its own for the kernel's requests (early_threads.h).
 */
#define _GNU_SOURCE
#include "support.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "early_threads.h"

#define EVENTS 500
/* A negative process id, so that the marks are no call that libc makes. */
#define MARK(phase) (-1000l - (phase))

enum phase { OUTSIDE, REGISTER, REGISTER_AGAIN, UNREGISTER, UNREGISTER_AGAIN, CLOSE, PHASES };

static struct {
	unsigned requests, others;
} counts[PHASES];

/* The child */

static void begin(enum phase phase)
{
	syscall(SYS_getsid, MARK(phase));
}

static void work(void)
{
	static struct ue_event events[EVENTS], *all[EVENTS];
	const struct ue__module module = { .begin = all, .end = all + EVENTS };
	int fd = ue_open(NULL);

	if (fd < 0)
		_exit(77);
	for (int i = 0; i < EVENTS; i++) {
		all[i] = &events[i];
		ue_event_init(all[i], unique("e u32 a; __rel_loc char[] b"), 0);
	}
	begin(REGISTER);
	if (ue__register_events(fd, &module, NULL, NULL))
		_exit(1);
	begin(REGISTER_AGAIN);
	if (ue__register_events(fd, &module, NULL, NULL))
		_exit(2);
	begin(UNREGISTER);
	if (ue__unregister_events(&module))
		_exit(3);
	begin(UNREGISTER_AGAIN);
	if (ue__unregister_events(&module))
		_exit(4);
	begin(OUTSIDE);
	if (ue__register_events(fd, &module, NULL, NULL))
		_exit(5);
	begin(CLOSE);
	if (ue_close(fd))
		_exit(6);
	begin(OUTSIDE);
	_exit(0);
}

static void be_traced(int argc, char **argv)
{
	ptrace(PTRACE_TRACEME, 0, NULL, NULL);
	raise(SIGSTOP);
	start_early_threads(argc, argv);
	work();
}

/* The tracer */

static enum phase phase;

static void count_call(pid_t thread)
{
	struct __ptrace_syscall_info info;

	if (ptrace(PTRACE_GET_SYSCALL_INFO, thread, sizeof(info), &info) < 0 ||
	    info.op != PTRACE_SYSCALL_INFO_ENTRY)
		return;
	if (info.entry.nr == SYS_getsid && (int)info.entry.args[0] <= MARK(0))
		phase = (enum phase)(MARK(0) - (int)info.entry.args[0]);
	else if (info.entry.nr == SYS_ioctl)
		counts[phase].requests++;
	else
		counts[phase].others++;
}

/* The signal to deliver when the thread continues. */
static int signal_of(pid_t thread, int status)
{
	const int stop = WSTOPSIG(status);

	if (stop == (SIGTRAP | 0x80))
		count_call(thread);
	return stop == (SIGTRAP | 0x80) || stop == SIGTRAP || stop == SIGSTOP ? 0 : stop;
}

/* The exit status of the child's main thread. */
static int trace(pid_t child)
{
	pid_t thread;
	int status;

	waitpid(child, &status, 0);
	ptrace(PTRACE_SETOPTIONS, child, NULL,
	       PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC |
		       PTRACE_O_EXITKILL);
	ptrace(PTRACE_SYSCALL, child, NULL, NULL);
	while ((thread = waitpid(-1, &status, __WALL)) > 0) {
		if (WIFSTOPPED(status))
			ptrace(PTRACE_SYSCALL, thread, NULL,
			       (long)signal_of(thread, status));
		else if (thread == child)
			return status;
	}
	return -1;
}

/* The tests */

static int child_status;

static void the_child_did_its_work(void **state)
{
	(void)state;
	assert_int_equal(child_status, 0);
	for (int i = REGISTER; i < PHASES; i++)
		print_message("# phase %d: %u requests, %u other calls\n", i,
			      counts[i].requests, counts[i].others);
}

/*
 * The lock, the descriptor, and on the way of a request to the library's own thread: once
 * in 64 events, and a few in all.
 */
#define SHARED (EVENTS / 64 * 12 + 16)

/* Linux 6.1 does not compare the fields of a name: the library reads them from a file. */
static unsigned unavoidable(void)
{
	return is_status_page() ? 4 * EVENTS : 0;
}

static void registering_is_one_request_an_event(void **state)
{
	(void)state;
	assert_int_equal(counts[REGISTER].requests, EVENTS);
	assert_uint_in_range(counts[REGISTER].others, 1, unavoidable() + SHARED);
}

static void registering_what_is_registered_is_no_request(void **state)
{
	(void)state;
	assert_int_equal(counts[REGISTER_AGAIN].requests, 0);
	assert_uint_in_range(counts[REGISTER_AGAIN].others, 1, SHARED);
}

static void unregistering_is_one_request_an_event(void **state)
{
	(void)state;
	assert_int_equal(counts[UNREGISTER].requests, is_status_page() ? 0 : EVENTS);
	assert_uint_in_range(counts[UNREGISTER].others, 1, SHARED);
}

static void unregistering_what_is_not_registered_is_no_request(void **state)
{
	(void)state;
	assert_int_equal(counts[UNREGISTER_AGAIN].requests, 0);
	assert_uint_in_range(counts[UNREGISTER_AGAIN].others, 1, 16);
}

static void closing_is_one_request_an_event(void **state)
{
	(void)state;
	assert_int_equal(counts[CLOSE].requests, is_status_page() ? 0 : EVENTS);
	assert_uint_in_range(counts[CLOSE].others, 1, SHARED);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_child_did_its_work),
		cmocka_unit_test(registering_is_one_request_an_event),
		cmocka_unit_test(registering_what_is_registered_is_no_request),
		cmocka_unit_test(unregistering_is_one_request_an_event),
		cmocka_unit_test(unregistering_what_is_not_registered_is_no_request),
		cmocka_unit_test(closing_is_one_request_an_event),
	};
	pid_t child;

	if (argc > 1 && !strcmp(argv[1], "hidden")) {
		start_early_threads(argc, argv);
		work();
	}
	child = fork();
	if (!child)
		be_traced(argc, argv);
	child_status = trace(child);
	return RUN_TESTS(tests, argc, argv);
}
