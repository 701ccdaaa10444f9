/* SPDX-License-Identifier: MIT */
/*
 * Register an event.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <time.h>

#include <userevents/event.h>

#include "describe/definition.h"
#include "event.h"
#include "init_tracepoint.h"
#include "state/binding.h"
#include "state/session.h"
#include "util/errno_guard.h"

/* Pulls unload.o out of the static library whenever ue_register() is linked. */
static void (*const leave)(struct ue__module *) __attribute__((used)) = ue__leave_module;

/* A tracepoint's text may have to be made first. Under the lock, as others may make it. */
static int prepare(struct ue_event *event, struct ue__definition *definition)
{
	int result;

	if (!event)
		return -EINVAL;
	ue__lock();
	result = ue__tracepoint_define(event);
	if (!result)
		result = ue__event_parse(event, definition);
	ue__unlock();
	return result;
}

/* Among the events of one session, as the kernel refuses them. */
static int is_name_used(const struct ue__session *session,
			const struct ue__registration *added)
{
	const struct ue__registration *r =
		ue__registration_named(added->wanted.definition, added->wanted.name_length);

	for (; r; r = ue__registration_same_name(r))
		if (r->session == session && strcmp(r->wanted.definition, added->wanted.definition))
			return !(added->wanted.flags & UE_EVENT_MULTI_FORMAT);
	return 0;
}

/* Before the kernel may set the word, so that a writer finds them. */
static void set_way(struct ue_event *event, const struct ue__session *session)
{
	const uint32_t payload_max = session->payload_max;

	__atomic_store_n(&event->ue__payload_max, payload_max, __ATOMIC_RELAXED);
	__atomic_store_n(&event->ue__direct_max, payload_max, __ATOMIC_RELAXED);
	__atomic_store_n(&event->ue__write_call,
			 __atomic_load_n(&session->write_call, __ATOMIC_RELAXED),
			 __ATOMIC_RELAXED);
}

/*
 * A bit that the event's reader sets decides. If an empty payload needs padding, an event
 * without fields has to ask each time.
 */
static void start_asking(struct ue_event *event, const struct ue__granted *granted)
{
	if (!(granted->word & UE_WORD_EMPTY) && !event->ue__fixed_size)
		__atomic_store_n(&event->ue__direct_max, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&event->ue__status_byte, granted->status_byte, __ATOMIC_RELAXED);
	__atomic_store_n(event->word, granted->word, __ATOMIC_RELEASE);
}

static void bind(struct ue__registration *r, struct ue__session *session,
		 const struct ue__granted *granted)
{
	ue__registration_add(r, session,
			     ue__binding(session->channel.fd, granted->write_index));
	__atomic_store_n(&r->event->ue__binding, r->binding, __ATOMIC_SEQ_CST);
	if (granted->word)
		start_asking(r->event, granted);
}

static int ask(struct ue__session *session, const struct ue__registration *r,
	       struct ue__granted *granted)
{
	if (ue__word_is_used(r->wanted.word))
		return -EADDRINUSE;
	if (session->back_end->ignores_names && is_name_used(session, r))
		return -EADDRINUSE;
	return session->back_end->register_event(&session->channel, &r->wanted, granted);
}

static int register_in(struct ue__session *session, struct ue_event *event,
		       const struct ue__definition *definition)
{
	struct ue__registration *r;
	struct ue__granted granted = { 0 };
	int result;

	if (!session || !ue__session_is_open(session))
		return -EBADF;
	if (ue__is_bound(ue__binding_of(event)))
		return -EALREADY;
	r = ue__registration_make(event, definition);
	if (!r)
		return -ENOMEM;
	set_way(event, session);
	result = ask(session, r, &granted);
	if (result)
		ue__registration_free(r);
	else
		bind(r, session, &granted);
	return result;
}

void ue__wait_patiently(unsigned *wait, unsigned *patience)
{
	struct timespec time;

	*wait = *wait < *patience ? *wait : *patience;
	*patience -= *wait;
	time = (struct timespec){ .tv_nsec = *wait * 1000000l };
	clock_nanosleep(CLOCK_MONOTONIC, 0, &time, NULL);
	*wait *= 2;
}

/* Is the word, or the name with other fields, an event's of this process? */
static int is_used_here(const struct ue_event *event,
			const struct ue__definition *definition)
{
	return ue__word_is_used(event->word) ||
	       ue__registration_named(definition->text, definition->name_length);
}

/*
 * A kernel that forgets late will free the name by itself. It may also know the word from
 * a registration that could not be undone.
 */
static int is_free_later(struct ue__session *session, const struct ue_event *event,
			 const struct ue__definition *definition)
{
	if (!session->back_end->forgets_late || is_used_here(event, definition))
		return 0;
	session->back_end->unregister(session->channel.kernel, session->channel.fd,
				      event->word);
	return 1;
}

enum again { NEVER, LATER, WITH_ROOM };

/* Errors that another attempt may not meet. */
static enum again register_once(int fd, struct ue_event *event,
				const struct ue__definition *definition,
				unsigned patience, int *result)
{
	struct ue__session *session;
	enum again again = NEVER;

	ue__lock();
	session = ue__session_find(fd);
	*result = register_in(session, event, definition);
	if (*result == -EADDRINUSE && patience &&
	    is_free_later(session, event, definition))
		again = LATER;
	else if (*result == -EAGAIN && session->back_end->waits &&
		 session->back_end->waits(&session->channel))
		again = WITH_ROOM;
	ue__unlock();
	return again;
}

/* Meanwhile another thread may close the session; then the next attempt finds it gone. */
#define ROOM_WAIT_MS 100

static void wait_for_room(int fd)
{
	struct pollfd until = { .fd = fd, .events = POLLOUT };

	poll(&until, 1, ROOM_WAIT_MS);
}

/* Without the lock while it waits; for a name, each time twice as long. */
int ue__register(int fd, struct ue_event *event, unsigned *patience)
{
	struct ue__definition definition;
	int result = prepare(event, &definition);
	unsigned wait = 1;
	enum again again;

	if (result)
		return result;
	while ((again = register_once(fd, event, &definition, *patience, &result)) !=
	       NEVER) {
		if (again == WITH_ROOM)
			wait_for_room(fd);
		else
			ue__wait_patiently(&wait, patience);
	}
	return result;
}

UE__PUBLIC int ue_register(int fd, struct ue_event *event)
{
	UE__UNDISTURBED;
	unsigned patience = UE__PATIENCE;

	return ue__register(fd, event, &patience);
}
