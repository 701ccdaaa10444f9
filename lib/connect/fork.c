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
 * The lock is held across the fork, so the child never sees half a registration. It is
 * held for requests to the kernel and never while waiting for anything else, which
 * bounds what fork() has to wait for.
 *
 * A session that waits for its writers waits on in the child, until the next ue_open() or
 * ue_close(): the fork may be within a handler that interrupted one of them.
 *
 * With a ring or a capture the child's events keep the parent's indices, and the child writes
 * into pages of its own (ring/layout.h). A session that it cannot go on with, or that is being
 * closed, leaves them to the parent.
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

/* An event that cannot be registered again is not registered any more. */
static void register_all_again(struct ue__session *session)
{
	unsigned patience = UE__PATIENCE;

	for (struct ue__registration *r = session->registrations, *next; r; r = next) {
		next = r->next;
		if (register_again(session, r, &patience))
			ue__forget(r);
	}
}

static void disown(struct ue__session *session)
{
	if (session->back_end->disown)
		session->back_end->disown(&session->channel);
}

/* Without registrations, nothing updates the words, so they must say "disabled". */
static void adopt(struct ue__session *session, int is_in_write)
{
	const struct ue__back_end *back_end = session->back_end;
	int result = 1;

	if (!ue__session_is_open(session)) {
		disown(session);
		result = -EBADF;
	} else if (back_end->again) {
		result = back_end->again(&session->channel, is_in_write);
	}
	if (result < 0)
		ue__events_close(session);
	else if (!result)
		register_all_again(session);
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
