/* SPDX-License-Identifier: MIT */
/*
 * Close a session.
 *
 * The descriptor's number is given back when no write is in flight that may use it
 * (state/in_flight.c), which is mostly at once. If a writer is stuck, the number is made to
 * lead nowhere: the session's file is closed, and the write fails with EBADF. A later call
 * gives the number back.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <time.h>
#include <unistd.h>

#include "close.h"
#include "util/errno_guard.h"
#include "event.h"
#include "socket/offer_ring.h"
#include "state/in_flight.h"
#include "state/session.h"

/* The wait for writers: first yield to them, then sleep. */
#define YIELDS 100
#define SLEEP_NS 1000000
#define WAIT_NS 200000000

static void finish(struct ue__session *session, int is_open)
{
	if (is_open)
		close(session->channel.fd);
	ue__session_free(session);
}

void ue__close_retired(void)
{
	struct ue__session **at = &ue__process.retired, *session;

	while ((session = *at)) {
		if (ue__still_in_flight(&session->in_flight)) {
			at = &session->next_retired;
		} else {
			*at = session->next_retired;
			/* The program may have closed it, and used the number. */
			finish(session, ue__session_is_open(session));
		}
	}
}

uint64_t ue__retire(struct ue__session *session)
{
	ue__close_retired();
	ue__all_in_flight(&session->in_flight);
	if (!ue__still_in_flight(&session->in_flight)) {
		finish(session, !session->has_no_descriptor);
		return 0;
	}
	session->retirement = ++ue__process.retirements;
	session->next_retired = ue__process.retired;
	ue__process.retired = session;
	return session->retirement;
}

/*
 * A retired session is found by its number: another thread may have freed it, and its
 * memory may be reused.
 */
static struct ue__session *find_retired(uint64_t retirement)
{
	struct ue__session *one = ue__process.retired;

	while (one && one->retirement != retirement)
		one = one->next_retired;
	return one;
}

/* A descriptor of O_PATH admits no read, write or ioctl. Without one, the file stays open. */
static void lead_nowhere(struct ue__session *session)
{
	int nowhere = open("/", O_PATH | O_CLOEXEC), fd = session->channel.fd;

	if (nowhere < 0)
		return;
	if (ue__session_is_open(session) && dup3(nowhere, fd, O_CLOEXEC) >= 0)
		ue__channel_note_file(&session->channel, fd);
	close(nowhere);
}

/* Look again; 1 when the session is closed. */
static int is_closed(uint64_t retirement)
{
	int result;

	ue__lock();
	ue__close_retired();
	result = !find_retired(retirement);
	ue__unlock();
	return result;
}

static int64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * (int64_t)1000000000 + time.tv_nsec;
}

static void let_writers_run(unsigned looks)
{
	const struct timespec pause = { .tv_nsec = SLEEP_NS };

	if (looks < YIELDS)
		sched_yield();
	else
		clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, NULL);
}

/*
 * The wait ends by the clock: on a busy machine, a yield or a short sleep may take long.
 */
static void wait_for_writers(uint64_t retirement)
{
	const int64_t end = now() + WAIT_NS;
	struct ue__session *session;

	for (unsigned looks = 0; !looks || now() < end; looks++) {
		if (is_closed(retirement))
			return;
		let_writers_run(looks);
	}
	ue__lock();
	ue__close_retired(); /* a writer may have left in the last pause */
	session = find_retired(retirement);
	if (session)
		lead_nowhere(session);
	ue__unlock();
}

/*
 * The events in the ring would be lost with the process. Whether a reader looked a moment ago says
 * nothing, as it may have ended since.
 */
static void offer_last(const struct ue__session *session)
{
	const struct ue__channel *channel = &session->channel;

	if (channel->offer && ue__session_is_open(session))
		ue__offer_ring(channel->offer, channel->fd);
}

/* It is a writer, without the lock: the thread that has it may have called exit() in a handler. */
static __attribute__((destructor)) void at_exit(void)
{
	UE__UNDISTURBED;
	const struct ue__session *session;
	uint32_t *entered = ue__enter(&entered);

	session = __atomic_load_n(&ue__process.sessions, __ATOMIC_SEQ_CST);
	for (; session; session = __atomic_load_n(&session->next, __ATOMIC_SEQ_CST))
		offer_last(session);
	ue__leave(entered);
}

/* retirement: of the session, if writers may still be using it. */
static int close_locked(int fd, uint64_t *retirement)
{
	struct ue__session *session = ue__session_detach(fd);
	int result, is_open;

	if (!session)
		return -EBADF;
	is_open = ue__session_is_open(session);
	offer_last(session);
	result = ue__events_close(session);
	if (!is_open)
		ue__session_forget_descriptor(session);
	*retirement = ue__retire(session);
	return is_open ? result : -EBADF;
}

UE__PUBLIC int ue_close(int fd)
{
	UE__UNDISTURBED;
	uint64_t retirement = 0;
	int result;

	ue__lock();
	result = close_locked(fd, &retirement);
	ue__unlock();
	if (retirement)
		wait_for_writers(retirement);
	return result;
}
