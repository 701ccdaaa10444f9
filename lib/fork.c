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
 * which both share.
 *
 * The lock is held across the fork, so the child never sees half a registration. It is
 * held for requests to the kernel and never while waiting for anything else, which
 * bounds what fork() has to wait for.
 *
 * A session that waits for its writers waits on in the child, until the next ue_open() or
 * ue_close(): the fork may be within a handler that interrupted one of them.
 *
 * With a capture (capture_page.h) there is nothing to do: both share socket and page, and
 * the child's events go on under the parent's indices.
 *
 * vfork() and posix_spawn() come by here not: their child has the parent's memory and is
 * one of its threads in all that matters, until it executes something. Then the kernel
 * drops the child's share of the registrations, and the descriptors are closed.
 */
#include <errno.h>
#include <pthread.h>
#include <stddef.h>

#include "errno_guard.h"
#include "event.h"
#include "fork.h"
#include "in_flight.h"
#include "lineage.h"
#include "lock.h"
#include "session.h"

/* Where the kernel cannot be asked, words must say nothing rather than what once was. */
static void adopt(struct ue__session *session)
{
	int result = ue__session_is_open(session) ? 0 : -EBADF;

	if (!result && session->abi == UE_ABI_ENABLE_ADDRESS)
		result = ue__lineage_begin(session->fd);
	if (result)
		ue__events_close(session);
	else if (session->abi == UE_ABI_ENABLE_ADDRESS)
		ue__events_again(session);
}

static void in_child(void)
{
	UE__KEEP_ERRNO;

	ue__none_in_flight();
	ue__lineage_forget(ue__sessions() != NULL);
	for (struct ue__session *one = ue__sessions(); one; one = one->next)
		adopt(one);
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
