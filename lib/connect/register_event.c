/* SPDX-License-Identifier: MIT */
/*
 * Register an event.
 */
#define _GNU_SOURCE
#include <errno.h>
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

/* The text of a tracepoint may not exist yet. Under the lock, as two threads may make it. */
static int prepare(struct ue_event *event, struct ue__definition *definition)
{
	int result = event ? ue__tracepoint_define(event) : -EINVAL;

	return result ? result : ue__event_parse(event, definition);
}

/* The kernel's check of names, among the events of one session. */
static int is_name_used(const struct ue__session *session,
			const struct ue__registration *added)
{
	const struct ue__registration *r =
		ue__registration_named(added->wanted.definition, added->wanted.name_length);

	for (; r; r = ue__registration_same_name(r))
		if (r->session == session &&
		    strcmp(r->wanted.definition, added->wanted.definition))
			return !(added->wanted.flags & UE_EVENT_MULTI_FORMAT);
	return 0;
}

/*
 * Called before the kernel can set the word, after which writers read the limits and the
 * system call's number.
 */
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
 * From now on writers ask for a bit that the event's reader sets. If an empty payload
 * needs padding, an event without fields has to ask each time.
 */
static void start_asking(struct ue_event *event, const struct ue__granted *granted)
{
	if (!(granted->word & UE__WORD_EMPTY) && !event->ue__fixed_size)
		__atomic_store_n(&event->ue__direct_max, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&event->ue__status_byte, granted->status_byte, __ATOMIC_RELAXED);
	__atomic_store_n(event->word, granted->word, __ATOMIC_RELEASE);
}

static void bind(struct ue__registration *r, struct ue__session *session,
		 const struct ue__granted *granted)
{
	const uint64_t binding = ue__binding(session->channel.fd, granted->write_index);

	ue__registration_add(r, session, session->channel.ring ? binding | UE__IN_RING : binding);
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

/*
 * An event has one session. It was chosen for this event, for its module, or for the
 * whole process: a wider choice leaves the others alone, and a second one of the same
 * kind fails.
 */
static int why_registered(const struct ue__session *session, const struct ue_event *event,
			  enum ue__reach reach)
{
	const struct ue__registration *r = ue__registration_of(event);

	return r->session == session || r->reach < reach ? -EALREADY : -EXDEV;
}

static int register_in(struct ue__session *session, struct ue_event *event,
		       const struct ue__definition *definition, enum ue__reach reach)
{
	struct ue__registration *r;
	struct ue__granted granted = { 0 };
	int result;

	if (!session)
		return -EBADF;
	if (ue__is_bound(ue__binding_of(event)))
		return why_registered(session, event, reach);
	r = ue__registration_make(event, definition);
	if (!r)
		return -ENOMEM;
	r->reach = reach;
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

/* Does an event of this process have the word, or the name with other fields? */
static int is_used_here(const struct ue_event *event,
			const struct ue__definition *definition)
{
	return ue__word_is_used(event->word) ||
	       ue__registration_named(definition->text, definition->name_length);
}

/*
 * A kernel that releases events late frees the name by itself. It may also know the word
 * from a registration that could not be undone.
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

/*
 * Events are registered in turns. The lock is taken, and the descriptor is compared with
 * the session's file, once for all events of a turn. A turn is short, as fork() and
 * signals wait for its end.
 */
#define EVENTS_A_TURN 64

struct turn {
	int fd;
	struct ue__session *session; /* NULL if it is closed */
	struct ue_event **at, **end;
	enum ue__reach reach;
	int is_patient;
	int result; /* of the last attempt */
	int is_later; /* try *at again, which failed */
};

static void ask_about_again(struct turn *turn, const struct ue__definition *definition)
{
	struct ue__session *session = turn->session;

	turn->is_later = turn->result == -EADDRINUSE && turn->is_patient &&
			 is_free_later(session, *turn->at, definition);
}

static void register_one(struct turn *turn)
{
	struct ue__definition definition;

	turn->result = prepare(*turn->at, &definition);
	if (!turn->result) {
		turn->result = register_in(turn->session, *turn->at, &definition,
					   turn->reach);
		ask_about_again(turn, &definition);
	}
}

static int is_failure(int result)
{
	return result && result != -EALREADY;
}

static int register_some(void *argument)
{
	struct turn *turn = argument;

	for (unsigned i = 0; i < EVENTS_A_TURN && turn->at != turn->end; i++) {
		register_one(turn);
		if (is_failure(turn->result))
			break;
		turn->at++;
	}
	return 0;
}

static void take_turn(struct turn *turn)
{
	turn->is_later = 0;
	ue__lock();
	turn->session = ue__session_find(turn->fd);
	if (turn->session && !ue__session_is_open(turn->session))
		turn->session = NULL;
	ue__session_call(turn->session, register_some, turn);
	ue__unlock();
}

/* Each wait for a name is twice as long as the one before. No wait holds the lock. */
int ue__register_from(int fd, struct ue_event ***at, struct ue_event **end,
		      enum ue__reach reach, unsigned *patience)
{
	struct turn turn = { .fd = fd, .at = *at, .end = end, .reach = reach };
	unsigned wait = 1;

	do {
		turn.is_patient = *patience > 0;
		take_turn(&turn);
		if (turn.at != *at)
			wait = 1;
		*at = turn.at;
		if (turn.is_later)
			ue__wait_patiently(&wait, patience);
		else if (is_failure(turn.result))
			break;
	} while (turn.at != end);
	return turn.result;
}

UE__PUBLIC const char *ue_event_namesake(const struct ue_event *event)
{
	UE__UNDISTURBED;
	struct ue__definition definition;
	struct ue__registration *r;
	const char *found = NULL;

	if (event->flags & UE_EVENT_MULTI_FORMAT)
		return NULL; /* as for is_name_used() */
	if (ue__definition_parse(event->definition, event->flags, &definition, NULL))
		return NULL;
	ue__lock();
	r = ue__registration_named(definition.text, definition.name_length);
	for (; r && !found; r = ue__registration_same_name(r))
		if (strcmp(r->wanted.definition, definition.text))
			found = r->event->definition;
	ue__unlock();
	return found;
}

UE__PUBLIC int ue_register(int fd, struct ue_event *event)
{
	UE__UNDISTURBED;
	unsigned patience = UE__PATIENCE;
	struct ue_event **at = &event;

	return ue__register_from(fd, &at, &event + 1, UE__THE_EVENT, &patience);
}
