/* SPDX-License-Identifier: MIT */
/*
 * In a process that seccomp(2) denies system calls to, or does them for. Each test runs
 * in a child, as a filter cannot be removed.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include <userevents/activity.h>
#include <userevents/capture.h>
#include <userevents/event.h>
#include <userevents/loss.h>
#include <userevents/session.h>
#include <userevents/userevents.h>

#include "../support/seccomp.h"
#include "state/binding.h"
#include "child.h"

/* The exit status of a test that cannot run here. */
#define CANNOT 77


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
	MUST(!filter(SYS_openat, SECCOMP_RET_TRAP));
#ifdef SYS_open /* of musl */
	MUST(!filter(SYS_open, SECCOMP_RET_TRAP));
#endif
	MUST(ue_open(&opts) < 0);
	MUST(traps);
	return 0;
}

/* Sandboxes do system calls in a handler of SIGSYS, which ends who blocks it. */
static void calls_may_be_made_in_a_handler_of_SIGSYS(void **state)
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
	MUST(!filter(number, SECCOMP_RET_ERRNO | (unsigned)error));
#ifdef SYS_socketcall /* the same for libc, on some platforms */
	MUST(!filter(SYS_socketcall, SECCOMP_RET_ERRNO | (unsigned)error));
#endif
	MUST(ue_open(&opts) == -error);
	MUST(!strstr(ue_explain(UE_CALL_OPEN, -error), "does not know"));
	return 0;
}

UE_EVENT(sandbox_number, UE_U32(number));

/* A capture that was full once goes on when its events are read. */
static int fill_without_files(void)
{
	struct ue_open_opts opts = { .size = sizeof(opts), .flags = UE_OPEN_FD };
	const struct ue_capture_opts small = { .size = sizeof(small), .buffer = 256u << 10 };
	struct ue_capture *capture;
	struct ue_captured event;
	int fd, result;

	MUST(!filter(SYS_openat, SECCOMP_RET_ERRNO | ENOENT));
	MUST(!ue_capture_open(&small, &capture));
	opts.fd = ue_capture_writer_fd(capture);
	fd = ue_open(&opts);
	MUST(fd >= 0);
	MUST(!ue_register(fd, UE_EVENT_OF(sandbox_number)));
	do
		result = UE_WRITE(fd, sandbox_number, 1);
	while (!result);
	MUST(result == -ENOBUFS);
	MUST(UE_ENABLED(sandbox_number));
	while (ue_capture_next(capture, &event) == 1)
		;
	MUST(!UE_WRITE(fd, sandbox_number, 2));
	ue_capture_close(capture);
	MUST(!UE_ENABLED(sandbox_number));
	return 0;
}

static void a_full_capture_goes_on_without_files(void **state)
{
	(void)state;
	in_child(fill_without_files);
}

static int open_without_getsockopt(void)
{
	return open_without(SYS_getsockopt, EPERM);
}

static int open_without_recvmsg(void)
{
	return open_without(SYS_recvmsg, ENOSYS);
}

/* Otherwise the library would report a capture as another kind of file. */
static void a_denied_call_is_reported(void **state)
{
	(void)state;
	in_child(open_without_getsockopt);
	in_child(open_without_recvmsg);
}

static int lose_by(int error, enum ue_loss reason)
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
	/* as if it were the kernel's: it is written with system calls, into the socket */
	event.ue__binding &= ~(uint64_t)UE__IN_RING;
	event.ue__write_call = SYS_write;
	MUST(!filter(SYS_write, SECCOMP_RET_ERRNO | (unsigned)error));
	MUST(ue_write(fd, &event, &value, sizeof(value)) == -error);
	for (int i = 0; i < UE_LOSS_REASONS; i++) {
		MUST(ue_event_losses(&event, (enum ue_loss)i) == (i == (int)reason));
		MUST(ue_session_losses(fd, (enum ue_loss)i) == (i == (int)reason));
	}
	return 0;
}

static int write_with_EACCES(void)
{
	return lose_by(EACCES, UE_LOSS_NO_RIGHTS);
}

static int write_with_EPERM(void)
{
	return lose_by(EPERM, UE_LOSS_NO_RIGHTS);
}

static int write_with_ENOBUFS(void)
{
	return lose_by(ENOBUFS, UE_LOSS_CAPTURE_FULL);
}

static int write_with_EIO(void)
{
	return lose_by(EIO, UE_LOSS_OTHER);
}

static void a_write_that_fails_is_counted_by_its_reason(void **state)
{
	(void)state;
	in_child(write_with_EACCES);
	in_child(write_with_EPERM);
	in_child(write_with_ENOBUFS);
	in_child(write_with_EIO);
}

static int open_a_device(void)
{
	static const struct ue_open_opts opts = { .size = sizeof(opts), .path = "/dev/null" };
	struct sigaction action = { .sa_sigaction = refuse, .sa_flags = SA_SIGINFO };

	MUST(!sigaction(SIGSYS, &action, NULL));
	MUST(!filter(SYS_ioctl, SECCOMP_RET_TRAP));
	MUST(ue_open(&opts) == -ENOTTY);
	MUST(!traps);
	return 0;
}

/* The device might take it for one of its own. */
static void no_ioctl_reaches_a_file_that_is_not_tracefs(void **state)
{
	(void)state;
	in_child(open_a_device);
}

static int read_while_interrupted(void)
{
	struct ue_capture *capture;
	struct ue_captured event;

	MUST(!ue_capture_open(NULL, &capture));
	MUST(!filter(SYS_recvfrom, SECCOMP_RET_ERRNO | EINTR));
	MUST(!ue_capture_next(capture, &event));
	return 0;
}

static void a_signal_does_not_end_a_capture(void **state)
{
	(void)state;
	in_child(read_while_interrupted);
}

static int make_an_activity_without_random_numbers(void)
{
	static const struct ue_activity zero;
	struct ue_activity made;

	memset(&made, 0xff, sizeof(made));
	MUST(!filter(SYS_getrandom, SECCOMP_RET_ERRNO | ENOSYS));
	MUST(ue_activity_create(&made) == -ENOSYS);
	MUST(!memcmp(&made, &zero, sizeof(made)));
	return 0;
}

/* Else whatever was in memory would tie events of different activities together. */
static void an_activity_id_that_cannot_be_made_is_zero(void **state)
{
	(void)state;
	in_child(make_an_activity_without_random_numbers);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls_may_be_made_in_a_handler_of_SIGSYS),
		cmocka_unit_test(a_denied_call_is_reported),
		cmocka_unit_test(a_write_that_fails_is_counted_by_its_reason),
		cmocka_unit_test(no_ioctl_reaches_a_file_that_is_not_tracefs),
		cmocka_unit_test(a_signal_does_not_end_a_capture),
		cmocka_unit_test(a_full_capture_goes_on_without_files),
		cmocka_unit_test(an_activity_id_that_cannot_be_made_is_zero),
	};

	/* EFAULT: there is no filter, but a kernel that would take one */
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, NULL) && errno != EFAULT)
		return CANNOT;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
