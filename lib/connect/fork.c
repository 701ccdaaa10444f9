/* SPDX-License-Identifier: MIT */
/*
 * Fork.
 *
 * A child has the descriptors, the events and their words, each its own copy of the
 * words. Whether the kernel knows these depends on the thread that forked (kernel/lineage.c),
 * and even when it does, a listener that came between its copying the memory and its
 * copying the registrations is missing in the child's words (kernel/fork.c,
 * copy_process(), Linux 6.12). So the child registers anew whatever the parent had: two
 * requests for each event. The write indices stay, as they belong to the open file,
 * which both share. Where a sandbox denies ioctl(2), the child goes on with the kernel's
 * copy.
 *
 * A program with many events would take long. The kernel copies all registrations or none,
 * and from then on keeps the child's words up to date. So if it copied that of one event,
 * a word that agrees with user_events_status afterwards is right: had it been wrong
 * when it was copied, a later change would have set it right. Only the others are registered
 * again, if the program may read that file, and the first and the last of the session, whose
 * indices tell whether the descriptor is the parent's file.
 *
 * No event is lost silently because something fails here. An event that the kernel does
 * not know any more counts as enabled: each write asks the kernel, which records it if
 * there is a listener. Without the descriptor, which the program may have closed, or in
 * whose number is another file now, a write fails with -EBADF and is counted.
 * doc/lifetime.md has the cases.
 *
 * The lock is held across the fork, so the child never sees half a registration. It is
 * held for requests to the kernel and never while waiting for anything else, which bounds
 * the wait of fork().
 *
 * A session that waits for its writers waits on in the child, until the next ue_open() or
 * ue_close(): the fork may be within a handler that interrupted one of them.
 *
 * With a ring or a capture the child's events keep the parent's indices, and the child writes
 * into pages of its own (ring/layout.h), for which it needs no descriptor. A session
 * that is being closed leaves them to the parent.
 *
 * This handler does not run for vfork() and posix_spawn(): their child has the parent's
 * memory and behaves as one of its threads until it executes something. Then the kernel
 * drops the child's share of the registrations, and the descriptors are closed.
 */
#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>

#include "event.h"
#include "fork.h"
#include "state/binding.h"
#include "state/in_flight.h"
#include "state/session.h"
#include "util/errno_guard.h"

/*
 * The kernel lets go of a word late when it was about to write to it and found its page
 * shared with the parent: it then writes in a work queue.
 */
static int ask_patiently(struct ue__session *session, const struct ue__registration *r,
			 struct ue__granted *granted, unsigned *patience)
{
	unsigned wait;
	int result;

	while ((result = session->back_end->register_event(&session->channel, &r->wanted,
							   granted)) == -EADDRINUSE &&
	       *patience) {
		wait = 1;
		ue__wait_patiently(&wait, patience);
	}
	return result;
}

static int register_again(struct ue__session *session, const struct ue__registration *r,
			  unsigned *patience)
{
	struct ue__granted granted = { .write_index = ~0u };
	int result;

	/* The kernel may have copied the registration; the bit may be out of date. */
	session->back_end->unregister(session->channel.kernel, session->channel.fd,
				      r->wanted.word);
	result = ask_patiently(session, r, &granted, patience);
	if (!result && granted.write_index != ue__binding_index(r->binding)) {
		/* The descriptor is not the parent's file. */
		session->back_end->unregister(session->channel.kernel,
					      session->channel.fd, r->wanted.word);
		result = -EBADF;
	}
	return result;
}

/* Nothing updates the word. */
static void enable_always(struct ue__registration *r)
{
	r->is_always = 1;
	__atomic_store_n(r->wanted.word, UE__WORD_LISTENED, __ATOMIC_RELAXED);
}

/* Writes fail with -EBADF (state/binding.h) and must not reach another file. */
static void lead_nowhere(struct ue__session *session)
{
	ue__session_forget_descriptor(session);
	for (struct ue__registration *r = session->registrations; r; r = r->next) {
		r->binding |= UE__IN_RING;
		__atomic_store_n(&r->event->ue__binding, r->binding, __ATOMIC_SEQ_CST);
	}
}

/* A look takes as long as some dozen registrations, or longer where others have many events. */
#define MANY 64u

struct look {
	struct ue__session *session;
	size_t right;
	int marks; /* a registration is told of its state, which copies its memory page */
};

/* The first and the last of the session, whose indices tell the file. */
static int is_end(const struct ue__session *session, const struct ue__registration *r)
{
	return r == session->registrations || !r->next;
}

/*
 * Does the kernel's list have this name for this event alone? One with several formats has
 * other names there, which end in a point and a number, and its own may be another event's.
 */
static int is_listed(const struct ue__session *session, const struct ue__registration *r)
{
	return !is_end(session, r) && !r->is_always &&
	       !(r->wanted.flags & UE_EVENT_MULTI_FORMAT) &&
	       !memchr(r->wanted.definition, '.', r->wanted.name_length);
}

static int is_told_right(const struct ue__registration *r, enum ue__told told)
{
	const uint32_t word = __atomic_load_n(r->wanted.word, __ATOMIC_RELAXED);

	return told == (word & UE__WORD_LISTENED ? UE__TOLD_LISTENED : UE__TOLD_OFF);
}

static void note_state(void *context, const char *name, size_t length, int is_listened)
{
	struct ue__registration *r = ue__registration_named(name, (uint32_t)length);
	const enum ue__told told = is_listened ? UE__TOLD_LISTENED : UE__TOLD_OFF;
	struct look *look = context;

	for (; r; r = ue__registration_same_name(r)) {
		if (r->session != look->session || !is_listed(look->session, r))
			continue;
		look->right += (size_t)is_told_right(r, told);
		if (look->marks)
			r->told = told;
	}
}

/* Has the kernel a registration? It has none afterwards. */
static int was_copied(struct ue__session *session, const struct ue__registration *r)
{
	return !r->is_always &&
	       !session->back_end->unregister(session->channel.kernel, session->channel.fd,
					      r->wanted.word);
}

/*
 * Learn the words as far as possible, where that is cheaper than to register them again.
 * 1 if all that are listed are right, which is the rule; else each of them is told its
 * state.
 */
static int look_at_states(struct ue__session *session)
{
	struct look look = { .session = session };
	size_t count = 0, listed = 0;

	for (const struct ue__registration *r = session->registrations; r; r = r->next) {
		count++;
		listed += (size_t)is_listed(session, r);
	}
	if (count < MANY || !listed || !session->back_end->look ||
	    !was_copied(session, session->registrations) ||
	    session->back_end->look(&session->channel, note_state, &look))
		return 0;
	if (look.right == listed)
		return 1;
	look.marks = 1;
	session->back_end->look(&session->channel, note_state, &look);
	return 0;
}

/* An answer serves once. */
static int is_right(struct ue__registration *r)
{
	const enum ue__told told = r->told;

	if (told)
		r->told = UE__TOLD_NOTHING;
	return is_told_right(r, told);
}

static void register_all_again(struct ue__session *session)
{
	const int are_right = look_at_states(session);
	unsigned patience = UE__PATIENCE;
	int is_other = 0;

	for (struct ue__registration *r = session->registrations; r; r = r->next) {
		int result;

		if (is_listed(session, r) && (are_right || is_right(r)))
			continue;
		result = register_again(session, r, &patience);
		r->is_always = 0; /* as it may have been in the parent */
		if (result)
			enable_always(r);
		is_other |= result == -EBADF;
	}
	if (is_other)
		lead_nowhere(session);
}

/* The kernel may have copied some. A request must not reach another file. */
static void register_none(struct ue__session *session)
{
	const struct ue__channel *channel = &session->channel;
	const int is_open = ue__session_is_open(session);

	for (struct ue__registration *r = session->registrations; r; r = r->next) {
		if (is_open)
			session->back_end->unregister(channel->kernel, channel->fd,
						      r->wanted.word);
		enable_always(r);
	}
}

static void disown(struct ue__session *session)
{
	if (session->back_end->disown)
		session->back_end->disown(&session->channel);
}

static void adopt(struct ue__session *session, int is_in_write)
{
	const struct ue__back_end *back_end = session->back_end;
	const int result = back_end->again ?
				   back_end->again(&session->channel, is_in_write) : 1;

	if (result < 0)
		register_none(session);
	else if (!result)
		register_all_again(session);
	if (!session->channel.ring && !ue__session_is_open(session))
		lead_nowhere(session);
}

/* The process's state becomes the child's in this order. */
static void in_child(void)
{
	UE__UNDISTURBED;
	int is_in_write;

	is_in_write = ue__forget_writers();
	ue__none_registering();
	ue__lineage_forked(&ue__process.kernel.lineage);
	for (struct ue__session *one = ue__process.sessions; one; one = one->next)
		adopt(one, is_in_write);
	for (struct ue__session *one = ue__process.retired; one; one = one->next_retired)
		disown(one);
	ue__unlock_after_fork();
}

int ue__watch_forks_at_load(void)
{
	int result = 0;

	if (!ue__process.watches_forks)
		result = -pthread_atfork(ue__lock_before_fork, ue__unlock_after_fork,
					 in_child);
	__atomic_store_n(&ue__process.watches_forks, !result, __ATOMIC_RELEASE);
	return result;
}

int ue__watch_forks(void)
{
	int result;

	if (__atomic_load_n(&ue__process.watches_forks, __ATOMIC_ACQUIRE))
		return 0;
	ue__lock();
	result = ue__watch_forks_at_load();
	ue__unlock();
	return result;
}
