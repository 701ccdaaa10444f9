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
	int result;

	if (!session->back_end->unregister)
		return 0;
	result = fd < 0 ? -EBADF :
			  session->back_end->unregister(session->channel.kernel, fd,
							r->wanted.word);
	return r->is_always ? 0 : result;
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

/* They take turns as in register_event.c, here of one session each. */
#define EVENTS_A_TURN 64

struct turn {
	struct ue_event **at, **end;
	struct ue__session *session;
	struct ue__borrowed borrowed;
	int result; /* of the last attempt */
};

static int unregister_some(void *argument)
{
	struct turn *turn = argument;

	for (unsigned i = 0; i < EVENTS_A_TURN && turn->at != turn->end; i++) {
		struct ue__registration *registration = find(*turn->at);

		if (registration && registration->session != turn->session)
			break;
		turn->result = registration ?
				       ue__unregister(registration, turn->borrowed.fd) :
				       -ENOENT;
		if (turn->result && turn->result != -ENOENT)
			break;
		turn->at++;
	}
	return 0;
}

static void take_turn(struct turn *turn)
{
	const struct ue__registration *first = NULL;

	ue__lock();
	while (turn->at != turn->end && !(first = find(*turn->at)))
		turn->at++;
	turn->result = -ENOENT;
	if (first) {
		turn->session = first->session;
		turn->borrowed = ue__session_borrow(turn->session);
		ue__session_call(turn->session, unregister_some, turn);
		ue__session_put_back(turn->borrowed);
	}
	ue__unlock();
}

int ue__unregister_from(struct ue_event ***at, struct ue_event **end)
{
	struct turn turn = { .at = *at, .end = end };

	do {
		take_turn(&turn);
	} while (turn.at != end && (!turn.result || turn.result == -ENOENT));
	*at = turn.at;
	return turn.result;
}

UE__PUBLIC int ue_unregister(struct ue_event *event)
{
	UE__UNDISTURBED;
	struct ue_event **at = &event;

	return ue__unregister_from(&at, &event + 1);
}

/* Closing */

struct closing {
	struct ue__session *session;
	int fd;
	int first; /* the first error */
};

static int unregister_all(void *argument)
{
	struct closing *closing = argument;
	struct ue__session *session = closing->session;

	while (session->registrations) {
		int result = release_word(session->registrations, closing->fd);

		if (!closing->first)
			closing->first = result;
		forget(session->registrations, UE__BINDING_CLOSED);
	}
	return 0;
}

int ue__events_close(struct ue__session *session)
{
	struct ue__borrowed borrowed;
	struct closing closing = { .session = session };

	if (!session->registrations)
		return 0;
	borrowed = ue__session_borrow(session);
	closing.fd = borrowed.fd;
	ue__session_call(session, unregister_all, &closing);
	ue__session_put_back(borrowed);
	return closing.first;
}
