/* SPDX-License-Identifier: MIT */
/* In a process that seccomp(2) denies system calls to, or does them for. */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <userevents/capture.h>
#include <userevents/event.h>
#include <userevents/loss.h>
#include <userevents/session.h>
#include <userevents/write.h>

#include "../support/seccomp.h"
#include "test.h"

#define CANNOT 77

/* A filter cannot be taken off again. */
static void in_child(int (*function)(void))
{
	pid_t child = fork();
	int status;

	assert_true(child >= 0);
	if (!child)
		_exit(function());
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == CANNOT)
		skip();
	assert_int_equal(WEXITSTATUS(status), 0);
}

/* A line for each thing that can go wrong; the status says which. */
#define MUST(condition)                  \
	do {                             \
		if (!(condition))        \
			return __LINE__ & 63; \
	} while (0)

static volatile sig_atomic_t traps;

static void refuse(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)info;
	(void)context;
	traps = traps + 1;
}

static int open_with_a_supervisor(void)
{
	static const struct ue_open_opts opts = {
		.size = sizeof(opts),
		.path = "/dev/null",
	};
	struct sigaction action = { .sa_sigaction = refuse, .sa_flags = SA_SIGINFO };

	MUST(!sigaction(SIGSYS, &action, NULL));
	if (filter(SYS_openat, SECCOMP_RET_TRAP))
		return CANNOT;
	MUST(ue_open(&opts) < 0);
	MUST(traps);
	return 0;
}

/* Sandboxes do system calls in a handler of SIGSYS, which ends who blocks it. */
static void test_calls_are_trapped(void **state)
{
	(void)state;
	in_child(open_with_a_supervisor);
}

static int open_without(unsigned number, int error)
{
	struct ue_open_opts opts = { .size = sizeof(opts), .flags = UE_OPEN_FD };
	struct ue_capture *capture;

	MUST(!ue_capture_open(NULL, &capture));
	opts.fd = ue_capture_writer_fd(capture);
	if (filter(number, SECCOMP_RET_ERRNO | (unsigned)error))
		return CANNOT;
	MUST(ue_open(&opts) == -error);
	MUST(!strstr(ue_explain(UE_CALL_OPEN, -error), "does not know"));
	return 0;
}

static int open_without_getsockopt(void)
{
	return open_without(SYS_getsockopt, EPERM);
}

static int open_without_recvmsg(void)
{
	return open_without(SYS_recvmsg, ENOSYS);
}

/* Else the capture would pass for something that is none. */
static void a_denied_call_is_reported_as_such(void **state)
{
	(void)state;
	in_child(open_without_getsockopt);
	in_child(open_without_recvmsg);
}

static int write_without_rights(int error)
{
	static struct ue_event event = UE_EVENT_INIT(event, "sandboxed u32 a");
	struct ue_open_opts opts = { .size = sizeof(opts), .flags = UE_OPEN_FD };
	struct ue_capture *capture;
	const unsigned value = 1;
	int fd;

	MUST(!ue_capture_open(NULL, &capture));
	opts.fd = ue_capture_writer_fd(capture);
	fd = ue_open(&opts);
	MUST(fd >= 0);
	MUST(!ue_register(fd, &event));
	if (filter(SYS_write, SECCOMP_RET_ERRNO | (unsigned)error))
		return CANNOT;
	MUST(ue_write(fd, &event, &value, sizeof(value)) == -error);
	MUST(ue_event_losses(&event, UE_LOSS_NO_RIGHTS) == 1);
	MUST(ue_session_losses(fd, UE_LOSS_NO_RIGHTS) == 1);
	MUST(!ue_event_losses(&event, UE_LOSS_OTHER));
	return 0;
}

static int write_with_EACCES(void)
{
	return write_without_rights(EACCES);
}

static int write_with_EPERM(void)
{
	return write_without_rights(EPERM);
}

static void a_denied_write_is_counted_as_one_without_rights(void **state)
{
	(void)state;
	in_child(write_with_EACCES);
	in_child(write_with_EPERM);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_calls_are_trapped),
		cmocka_unit_test(a_denied_call_is_reported_as_such),
		cmocka_unit_test(a_denied_write_is_counted_as_one_without_rights),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
