/* SPDX-License-Identifier: MIT */
/* The ring of a session, and the collector that it is offered to. */
#ifndef UE__SOCKET_OFFER_RING_H
#define UE__SOCKET_OFFER_RING_H

#include <stdint.h>
#include <sys/un.h>

/* Threads share it. Times are nanoseconds of CLOCK_MONOTONIC. */
struct ue__offer {
	struct sockaddr_un address;
	uint64_t next;	   /* no attempt before this */
	uint32_t attempts; /* since a collector was last seen */
};

/*
 * An offer at a socket's path. 0; -EINVAL: it does not begin with "/"; -ENAMETOOLONG or
 * -ENOMEM; the caller frees it.
 */
int ue__offer_make(const char *path, struct ue__offer **offer);

/*
 * Offer a ring: 0, also if no collector listens, or -errno if that will not pass: an error of
 * ue_open(). Never waits. Any thread, in signal handlers; may change errno.
 */
int ue__offer_ring(struct ue__offer *offer, int ring);

/*
 * Nobody looks at the ring: is it time to offer it? If so, the caller is the only one who gets
 * this answer for a second.
 */
int ue__offer_is_due(struct ue__offer *offer);

/* A reader looks at it: the next attempt, if there is one, is a first one. */
static inline void ue__offer_was_taken(struct ue__offer *offer)
{
	if (__builtin_expect(!__atomic_load_n(&offer->next, __ATOMIC_RELAXED), 1))
		return;
	__atomic_store_n(&offer->attempts, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&offer->next, 0, __ATOMIC_RELAXED);
}

#endif
