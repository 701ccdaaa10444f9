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
 * which both share. Where a sandbox denies ioctl(2), the child goes on with what the
 * kernel copied.
 *
 * No event is lost silently because something fails here. An event that the kernel does
 * not know any more counts as enabled: each write asks the kernel, which records it if
 * there is a listener. Without the descriptor, which the program may have closed, or in
 * whose number is another file now, a write fails with -EBADF and is counted.
 * doc/lifetime.md has the cases.
 *
 * The lock is held across the fork, so the child never sees half a registration. It is
 * held for requests to the kernel and never while waiting for anything else, which
 * bounds what fork() has to wait for.
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
	__atomic_store_n(r->wanted.word, UE_WORD_LISTENED, __ATOMIC_RELAXED);
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

static void register_all_again(struct ue__session *session)
{
	unsigned patience = UE__PATIENCE;
	int is_other = 0;

	for (struct ue__registration *r = session->registrations; r; r = r->next) {
		const int result = register_again(session, r, &patience);

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
	UE__KEEP_ERRNO;
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

int ue__watch_forks(void)
{
	int result = 0;

	ue__lock();
	if (!ue__process.watches_forks)
		result = -pthread_atfork(ue__lock_before_fork, ue__unlock_after_fork,
					 in_child);
	ue__process.watches_forks = !result;
	ue__unlock();
	return result;
}
