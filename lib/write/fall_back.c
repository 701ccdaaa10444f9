/* SPDX-License-Identifier: MIT */
/*
 * Send a record, and send it again with write(2) where pwrite64(2) is not possible.
 *
 * user_events_data is a regular file, so write(2) takes the lock of its position, and the
 * threads of a process write one after the other. The position means nothing to
 * user_events, which only requires that it is 0. pwrite64(2) at offset 0 takes no lock and
 * needs fewer instructions. But a sandbox may allow write(2) alone, and a kernel may
 * declare the file a stream one day.
 *
 * The session finds out with an event that it must not lose: user_events itself
 * refuses a record with EFAULT, EINVAL, ENOENT, or EBADF (6.1 and 6.12), so any other error
 * comes from a layer above it. Then the record is sent again with write(2), and from
 * then on the session uses write(2). Only the answer to that counts as the event's.
 *
 * Each event of the session keeps the number of the call. Those that were registered before
 * find out by themselves, so that no write has to look at the session.
 *
 * A write does not remember which call it made, as that would cost an instruction. If it
 * failed and finds the event switched, the kernel refused it write(2), or it refused it
 * pwrite64(2) just before another thread switched the event. The first DOUBTS_MAX such
 * records of a session are sent again. By then no thread is between the two any more.
 */
#include <errno.h>

#include "state/session.h"
#include "util/errno_guard.h"
#include "write.h"

static int is_answer_of_user_events(long result)
{
	return result >= 0 || result == -EFAULT || result == -EINVAL || result == -ENOENT ||
	       result == -EBADF;
}

/* Far more than the threads that can be in a write when an event is switched. */
#define DOUBTS_MAX 1024u

static int is_settled(struct ue__session *session, const struct ue_event *event)
{
	return ue__write_call_of(event) == SYS_write &&
	       (__atomic_load_n(&session->doubts, __ATOMIC_RELAXED) >= DOUBTS_MAX ||
		__atomic_fetch_add(&session->doubts, 1, __ATOMIC_RELAXED) >= DOUBTS_MAX);
}

/* 0 if the program closed the descriptor: another file may have its number. */
static int is_open(const struct ue__session *session)
{
	UE__KEEP_ERRNO;

	return ue__session_is_open(session);
}

/* 1 if the record is to be sent with write(2). */
static int falls_back(int fd, struct ue_event *event, long result)
{
	struct ue__session *session;

	if (is_answer_of_user_events(result))
		return 0;
	session = ue__session_of_writer(fd);
	if (!session || is_settled(session, event) || !is_open(session))
		return 0;
	__atomic_store_n(&session->write_call, SYS_write, __ATOMIC_RELAXED);
	__atomic_store_n(&event->ue__write_call, SYS_write, __ATOMIC_RELAXED);
	return 1;
}

long ue__send_record(int fd, struct ue_event *event, const void *record, size_t size)
{
	long result = ue__system_write(ue__write_call_of(event), fd, record, size);

	if (falls_back(fd, event, result))
		result = ue__system_write(SYS_write, fd, record, size);
	return result;
}

long ue__send_gathered(int fd, struct ue_event *event, const struct iovec *iov,
		       int count)
{
	long result = ue__system_writev(ue__write_call_of(event), fd, iov, count);

	if (falls_back(fd, event, result))
		result = ue__system_writev(SYS_write, fd, iov, count);
	return result;
}

int ue__end_unsent(int fd, const void *record, size_t size, long error,
		   struct ue_event *event, uint32_t *writers)
{
	if (falls_back(fd, event, error))
		error = ue__system_write(SYS_write, fd, record, size);
	return ue__end(fd, event, error, writers);
}
