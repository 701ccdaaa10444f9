/* SPDX-License-Identifier: MIT */
/*
 * The child of a fork writes, or its losses are counted, whatever its parent did before
 * and a sandbox denies: the rows of the table in doc/lifetime.md, for a ring and for a
 * capture.
 */
#define _GNU_SOURCE
#include "child.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <userevents/capture.h>
#include <userevents/ring.h>
#include <userevents/userevents.h>

#include "../support/seccomp.h"
#include "ring/ring_lock.h"
#include "ring/write/ring_writer.h"
#include "state/session.h"

UE_EVENT(tick, UE_U32(number));

/* The reader's: of a ring, its file; of a capture, the capture's writer. */
static struct ue_capture *reader;
static int source, session;

static int open_session(void)
{
	struct ue_open_opts opts = {
		.size = sizeof(opts), .flags = UE_OPEN_FD, .fd = source,
	};

	session = ue_open(&opts);
	MUST(session >= 0);
	MUST(!ue_register_all(session));
	MUST(!UE_WRITE(session, tick, 1));
	return 0;
}

static int open_ring(void)
{
	const struct ue_ring_opts opts = {
		.size = sizeof(opts), .bytes = UE_RING_BYTES_LEAST,
	};

	source = ue_ring_create(NULL, &opts);
	MUST(source >= 0);
	MUST(!ue_capture_open_ring(source, 0, &reader));
	return open_session();
}

static int open_capture(void)
{
	MUST(!ue_capture_open(NULL, &reader));
	source = ue_capture_writer_fd(reader);
	return open_session();
}

static struct ue__ring_writer *writer(void)
{
	return ue__session_find(session)->channel.ring;
}

static int is_line(unsigned number)
{
	char text[64];

	snprintf(text, sizeof(text), "user_events:tick number=%u", number);
	return !strcmp(ue_capture_line(reader), text);
}

/* The rows: each prepares a process that is about to fork. 1 after a failure. */

static int prepare_nothing(void)
{
	return 0;
}

static int close_session(void)
{
	MUST(!close(session));
	return 0;
}

/* Daemons do this. The child has no descriptor of the ring then. */
static int close_all(void)
{
	MUST(!close(session));
	MUST(!close(writer()->lock_fd));
	return 0;
}

/* Others may have the numbers, and nothing may reach these files. */
static int close_and_open_others(void)
{
	const int other = memfd_create("other", MFD_CLOEXEC), lock_fd = writer()->lock_fd;

	MUST(other >= 0);
	MUST(dup2(other, session) == session && dup2(other, lock_fd) == lock_fd);
	return 0;
}

static int leave_no_descriptor(void)
{
	const struct rlimit none = { 3, 3 };

	MUST(!setrlimit(RLIMIT_NOFILE, &none));
	return 0;
}

static int use_all_descriptors(void)
{
	const struct rlimit few = { 300, 300 };

	MUST(!setrlimit(RLIMIT_NOFILE, &few));
	while (dup(2) >= 0)
		;
	MUST(errno == EMFILE);
	return 0;
}

#define DENY(name, number)                                                          \
	static int deny_##name##_EPERM(void)                                        \
	{                                                                           \
		MUST(!filter(number, SECCOMP_RET_ERRNO | EPERM));                   \
		return 0;                                                           \
	}                                                                           \
	static int deny_##name##_ENOSYS(void)                                       \
	{                                                                           \
		MUST(!filter(number, SECCOMP_RET_ERRNO | ENOSYS));                  \
		return 0;                                                           \
	}
#ifdef SYS_newfstatat
DENY(newfstatat, SYS_newfstatat)
#endif
#ifdef SYS_fstat
DENY(fstat, SYS_fstat)
#endif
DENY(openat, SYS_openat)
DENY(fcntl, SYS_fcntl)
DENY(mremap, SYS_mremap)
DENY(madvise, SYS_madvise)
DENY(getpid, SYS_getpid)
DENY(getppid, SYS_getppid)
DENY(membarrier, SYS_membarrier)
DENY(prctl, SYS_prctl)
DENY(close, SYS_close)
#ifdef SYS_mmap
DENY(mmap, SYS_mmap)
#endif

static const struct row {
	const char *name;
	int (*prepare)(void);
} rows[] = {
#define ROW(function) { #function, function }
	ROW(prepare_nothing),
	ROW(close_session),
	ROW(close_all),
	ROW(close_and_open_others),
	ROW(leave_no_descriptor),
	ROW(use_all_descriptors),
#define DENIED(name) ROW(deny_##name##_EPERM), ROW(deny_##name##_ENOSYS)
#ifdef SYS_newfstatat
	DENIED(newfstatat),
#endif
#ifdef SYS_fstat
	DENIED(fstat),
#endif
	DENIED(openat),
	DENIED(fcntl),
	DENIED(mremap),
	DENIED(madvise),
	DENIED(getpid),
	DENIED(getppid),
	DENIED(membarrier),
	DENIED(prctl),
	DENIED(close),
#ifdef SYS_mmap
	DENIED(mmap),
#endif
};

/* The child writes, and its own child does. */
static int write_in_child(unsigned depth)
{
	pid_t child;
	int status;

	fflush(stdout);
	child = fork();
	if (!child) {
		MUST(UE_ENABLED(tick));
		MUST(!UE_WRITE(session, tick, 1 + depth));
		if (depth < 2 && write_in_child(depth + 1))
			_exit(1);
		_exit(0);
	}
	MUST(child > 0);
	MUST(waitpid(child, &status, 0) == child);
	MUST(!status);
	return 0;
}

static const struct row *row;
static int (*open_it)(void);

/* The parent goes on, too, and the events are in the order of time. */
static int fork_and_write(void)
{
	MUST(!open_it());
	MUST(!row->prepare());
	MUST(!write_in_child(1));
	MUST(!UE_WRITE(session, tick, 4));
	for (unsigned i = 1; i <= 4; i++)
		MUST(is_line(i));
	return 0;
}

static int check_row(const struct row *one)
{
	pid_t child;
	int status;

	row = one;
	fflush(stdout);
	child = fork();
	if (!child) {
		status = fork_and_write();
		fflush(stdout);
		_exit(status);
	}
	return waitpid(child, &status, 0) == child ? status : -1;
}

static void check_rows(void)
{
	int failed = 0;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (check_row(&rows[i])) {
			print_message("# failed: %s\n", rows[i].name);
			failed++;
		}
	assert_int_equal(failed, 0);
}

static void the_child_of_a_process_with_a_ring_writes(void **state)
{
	(void)state;
	open_it = open_ring;
	check_rows();
}

static void so_does_that_of_one_with_a_capture(void **state)
{
	(void)state;
	open_it = open_capture;
	check_rows();
}

/* No place in the ring */

/* Processes that live have them. */
static int use_all_slots(void)
{
	const struct ue__ring_memory *memory = &writer()->memory;
	int others = ue__ring_open_again(writer()->lock_fd);

	MUST(others >= 0);
	for (uint32_t i = 0; i < memory->slot_count; i++)
		if (!ue__ring_lock(others, UE__RING_SLOT_LOCK(i)))
			memory->slots[i].id = 1 + i;
	return 0;
}

static int lose_in_child(void)
{
	for (int i = 0; i < 3; i++)
		MUST(UE_WRITE(session, tick, 2) == -ENOBUFS);
	MUST(ue_session_losses(session, UE_LOSS_CAPTURE_FULL) == 3);
	MUST(ue_event_losses(UE_EVENT_OF(tick), UE_LOSS_CAPTURE_FULL) == 3);
	MUST(!ue_close(session));
	return 0;
}

static int fork_without_a_place(void)
{
	struct ue_capture_counts counts = { .size = sizeof(counts) };
	pid_t child;
	int status;

	MUST(!open_it());
	MUST(!use_all_slots());
	child = fork();
	if (!child)
		_exit(lose_in_child());
	MUST(waitpid(child, &status, 0) == child && !status);
	MUST(!UE_WRITE(session, tick, 2));
	MUST(is_line(1) && is_line(2));
	ue_capture_count(reader, &counts);
	MUST(counts.lost[UE_LOSS_CAPTURE_FULL] == 3);
	return 0;
}

static void without_a_place_in_the_ring_losses_are_counted(void **state)
{
	(void)state;
	open_it = open_ring;
	in_child(fork_without_a_place);
	open_it = open_capture;
	in_child(fork_without_a_place);
}

/* A reader that is gone frees nothing, and the child must not wait for it. */
static int wait_for_nobody(void)
{
	const struct ue_capture_opts opts = {
		.size = sizeof(opts), .flags = UE_CAPTURE_WAIT, .buffer = 256u << 10,
	};
	pid_t child;
	int status, result = 0;

	MUST(!ue_capture_open(&opts, &reader));
	source = ue_capture_writer_fd(reader);
	MUST(!open_session());
	MUST(!close_all());
	child = fork();
	if (!child) {
		alarm(60);
		while (!result)
			result = UE_WRITE(session, tick, 2);
		_exit(result != -ENOBUFS);
	}
	MUST(waitpid(child, &status, 0) == child && !status);
	return 0;
}

static void a_child_does_not_wait_for_a_reader_that_it_cannot_see(void **state)
{
	(void)state;
	in_child(wait_for_nobody);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_child_of_a_process_with_a_ring_writes),
		cmocka_unit_test(so_does_that_of_one_with_a_capture),
		cmocka_unit_test(without_a_place_in_the_ring_losses_are_counted),
		cmocka_unit_test(a_child_does_not_wait_for_a_reader_that_it_cannot_see),
	};

	/* EFAULT: there is no filter, but a kernel that would take one */
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, NULL) && errno != EFAULT)
		return 77;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
