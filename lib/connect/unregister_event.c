/* SPDX-License-Identifier: MIT */
/*
 * Unregister an event, or all of a session.
 */
#include <errno.h>

#include <userevents/event.h>

#include "event.h"
#include "state/binding.h"
#include "state/session.h"
#include "util/errno_guard.h"

static int release_word(const struct ue__registration *r, int fd)
{
	const struct ue__session *session = r->session;

	if (!session->back_end->unregister)
		return 0;
	if (fd < 0)
		return -EBADF;
	return session->back_end->unregister(session->channel.kernel, fd, r->wanted.word);
}

/* From here on writers find the event disabled, then not registered. */
static void forget(struct ue__registration *registration, uint64_t binding)
{
	__atomic_store_n(registration->wanted.word, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&registration->event->ue__binding, binding, __ATOMIC_SEQ_CST);
	ue__registration_drop(registration);
}

int ue__unregister(struct ue__registration *registration, int fd)
{
	int result = release_word(registration, fd);

	if (!result)
		ue__forget(registration);
	return result;
}

void ue__forget(struct ue__registration *registration)
{
	forget(registration, UE__BINDING_NONE);
}

static struct ue__registration *find(const struct ue_event *event)
{
	if (!event || !ue__is_bound(ue__binding_of(event)))
		return NULL;
	return ue__registration_with(UE__BY_EVENT, (uintptr_t)event);
}

static int unregister_locked(struct ue_event *event)
{
	struct ue__registration *registration = find(event);
	struct ue__borrowed borrowed;
	int result;

	if (!registration)
		return -ENOENT;
	borrowed = ue__session_borrow(registration->session);
	result = ue__unregister(registration, borrowed.fd);
	ue__session_put_back(borrowed);
	return result;
}

UE__PUBLIC int ue_unregister(struct ue_event *event)
{
	UE__UNDISTURBED;
	int result;

	ue__lock();
	result = unregister_locked(event);
	ue__unlock();
	return result;
}

int ue__events_close(struct ue__session *session)
{
	struct ue__borrowed borrowed = ue__session_borrow(session);
	int first = 0;

	while (session->registrations) {
		int result = release_word(session->registrations, borrowed.fd);

		if (!first)
			first = result;
		forget(session->registrations, UE__BINDING_CLOSED);
	}
	ue__session_put_back(borrowed);
	return first;
}
