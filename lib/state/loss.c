/* SPDX-License-Identifier: MIT */
/*
 * Count lost events, without the lock and in signal handlers too.
 */
#include <errno.h>
#include <stddef.h>

#include <userevents/bindings.h>
#include <userevents/event.h>

#include "in_flight.h"
#include "loss.h"
#include "loss_page.h"
#include "session.h"

static enum ue_loss reason_of(int error)
{
	switch (error) {
	case -EMSGSIZE:
		return UE_LOSS_TOO_LARGE;
	case -EPERM:
	case -EACCES:
		return UE_LOSS_NO_RIGHTS;
	case -EAGAIN:
	case -ENOBUFS:
	case -ENOSPC:
		return UE_LOSS_CAPTURE_FULL;
	case -EINTR:
		return UE_LOSS_INTERRUPTED;
	default:
		return UE_LOSS_OTHER;
	}
}

static void count_in(struct ue__session *session, enum ue_loss reason, int error)
{
	__atomic_fetch_add(&session->lost[reason], 1, __ATOMIC_RELAXED);
	if (session->back_end->lost)
		session->back_end->lost(&session->channel, reason, error);
	else
		ue__loss_page_count(reason);
}

/* A write with a wrong descriptor is a loss of the session that has the event. */
int ue__lost(int fd, const struct ue_event *event, int error)
{
	struct ue__registration *registration = ue__registration_of(event);
	struct ue__session *session = ue__session_of_writer(fd);
	enum ue_loss reason = reason_of(error);

	if (registration)
		__atomic_fetch_add(&registration->lost[reason], 1, __ATOMIC_RELAXED);
	if (registration && !session)
		session = __atomic_load_n(&registration->session, __ATOMIC_ACQUIRE);
	if (session)
		count_in(session, reason, error);
	return error;
}

/* Enters as a writer does, so that the session is not freed meanwhile. */
UE__PUBLIC int ue_event_lost(int fd, const struct ue_event *event, int error)
{
	uint32_t *entered;

	if (error >= 0 || !ue_enabled(event))
		return error;
	entered = ue__enter(&error);
	ue__lost(fd, event, error);
	ue__leave(entered);
	return error;
}

UE__PUBLIC uint32_t ue_event_losses(const struct ue_event *event, enum ue_loss reason)
{
	const struct ue__registration *registration = ue__registration_of(event);

	if (!registration || (unsigned)reason >= UE_LOSS_REASONS)
		return 0;
	return __atomic_load_n(&registration->lost[reason], __ATOMIC_RELAXED);
}

/* Enters as a writer does, so that the session is not freed meanwhile. */
UE__PUBLIC int64_t ue_session_losses(int fd, enum ue_loss reason)
{
	uint32_t *entered = ue__enter(&reason);
	const struct ue__session *session = ue__session_of_writer(fd);
	int64_t count = session ? 0 : -EBADF;

	if (session && (unsigned)reason < UE_LOSS_REASONS)
		count = __atomic_load_n(&session->lost[reason], __ATOMIC_RELAXED);
	ue__leave(entered);
	return count;
}
