/* SPDX-License-Identifier: MIT */
/* Who is writing, so that a closed descriptor's number is not given back too soon. */
#ifndef UE__STATE_IN_FLIGHT_H
#define UE__STATE_IN_FLIGHT_H

#include <stdint.h>

#include "process.h"

/*
 * Before an event's binding is read. on_stack: an address on the caller's stack, which
 * is what tells threads apart in two instructions: the upper bits of its product with an
 * odd number say which stripe. What is there is not read: a pointer to const would make gcc
 * ask for a value.
 */
static inline uint32_t *ue__enter(void *on_stack)
{
	uint32_t hash = (uint32_t)(uintptr_t)on_stack * 0x9e3779b1u;
	uint32_t *stripes =
		__atomic_load_n(&ue__process.writers.entered, __ATOMIC_RELAXED);
	uint32_t *writers = &stripes[hash / (UINT32_MAX / UE__STRIPES + 1)];

	__atomic_fetch_add(writers, 1, __ATOMIC_SEQ_CST);
	return writers;
}

/* When the system call is over, and what the event points to no longer needed. */
static inline void ue__leave(uint32_t *writers)
{
	__atomic_fetch_sub(writers, 1, __ATOMIC_RELEASE);
}

/* The stripes, of both sets, in which a thread may have been writing since some moment. */
struct ue__in_flight {
	unsigned char may[2][UE__STRIPES / 8];
};

/* Every thread that writes now; the bindings have been taken away. */
void ue__all_in_flight(struct ue__in_flight *set);
/* Look again; 0 once none of them is writing any more. Under the lock. */
int ue__still_in_flight(struct ue__in_flight *set);
/* In the child of a fork: only this thread may be writing. */
void ue__forget_writers(void);

#endif
