/* SPDX-License-Identifier: MIT */
/*
 * Fork.
 *
 * A child has the descriptors, the events and their words, each its own copy of the
 * words. Whether the kernel knows these depends on the thread that forked (lineage.c),
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
 * With a capture (kernel/capture_page.h) there is nothing to do: both share socket and page, and
 * the child's events go on under the parent's indices.
 *
 * vfork() and posix_spawn() come by here not: their child has the parent's memory and is
 * one of its threads in all that matters, until it executes something. Then the kernel
 * drops the child's share of the registrations, and the descriptors are closed.
 */
#include <errno.h>
#include <pthread.h>
#include <stddef.h>

#include "util/errno_guard.h"
#include "event.h"
#include "fork.h"
#include "state/in_flight.h"
#include "lineage.h"
#include "state/lock.h"
#include "state/session.h"

/* Any serves to ask the kernel with. -1: there is none. */
static int find_descriptor(void)
{
	const struct ue__session *one = ue__sessions();

	while (one && (one->abi != UE_ABI_ENABLE_ADDRESS || !ue__session_is_open(one)))
		one = one->next;
	return one ? one->fd : -1;
}

/*
 * forked: of ue__lineage_forked(). Where there is nobody to keep registrations, words must
 * say nothing rather than what once was.
 */
static void adopt(struct ue__session *session, int forked)
{
	const int is_asked = session->abi == UE_ABI_ENABLE_ADDRESS;

	if (!ue__session_is_open(session) || (is_asked && forked < 0))
		ue__events_close(session);
	else if (is_asked && !forked)
		ue__events_again(session);
}

static void in_child(void)
{
	UE__KEEP_ERRNO;
	int forked;

	ue__forget_writers();
	ue__none_registering();
	forked = ue__lineage_forked(find_descriptor());
	for (struct ue__session *one = ue__sessions(); one; one = one->next)
		adopt(one, forked);
	ue__unlock_after_fork();
}

int ue__watch_forks(void)
{
	static int is_watching;
	int result = 0;

	ue__lock();
	if (!is_watching)
		result = -pthread_atfork(ue__lock_before_fork, ue__unlock_after_fork,
					 in_child);
	is_watching = !result;
	ue__unlock();
	return result;
}
