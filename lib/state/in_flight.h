/* SPDX-License-Identifier: MIT */
/* Count writers, so that a closed descriptor's number is not released too soon. */
#ifndef UE__STATE_IN_FLIGHT_H
#define UE__STATE_IN_FLIGHT_H

#include <stdint.h>

#include "process.h"

/* A stripe's offset: the upper 7 bits of a hash, times its size. */
#define UE__STRIPE_SHIFT (32 - 7 - 6)
_Static_assert(UE__STRIPES == 1 << 7 && UE__STRIPE_SIZE == 1 << 6, "the shift says so");

/*
 * Call it before reading an event's binding. on_stack: an address on the caller's stack,
 * which tells threads apart in few instructions: the upper bits of its product with an
 * odd number select a stripe. The memory is not read, but a pointer to const would make
 * gcc require a value.
 */
static inline uint32_t *ue__enter(void *on_stack)
{
	const uint32_t hash = (uint32_t)(uintptr_t)on_stack * 0x9e3779b1u;
	const uint32_t offset = hash >> UE__STRIPE_SHIFT & (sizeof(ue__stripes) -
							    UE__STRIPE_SIZE);
	char *set = (char *)__atomic_load_n(&ue__process.writers.entered,
					    __ATOMIC_RELAXED);
	uint32_t *writers = (uint32_t *)(set + offset);

	__atomic_fetch_add(writers, 1, __ATOMIC_SEQ_CST);
	return writers;
}

/* Call it after the system call, when nothing that the event points to is needed. */
static inline void ue__leave(uint32_t *writers)
{
	__atomic_fetch_sub(writers, 1, __ATOMIC_RELEASE);
}

/* The stripes of both sets in which a thread may have been writing since some moment. */
struct ue__in_flight {
	unsigned char may[2][UE__STRIPES / 8];
};

/* Every thread that is writing now. The bindings have been removed. */
void ue__all_in_flight(struct ue__in_flight *set);
/* Look again: 0 once none of them is writing any more. Under the lock. */
int ue__still_in_flight(struct ue__in_flight *set);
/*
 * Called in the child of a fork: only this thread may be writing. 1 if it, or any other,
 * was.
 */
int ue__forget_writers(void);

#endif
