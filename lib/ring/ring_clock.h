/* SPDX-License-Identifier: MIT */
/*
 * The ring's clock. Where the counter of an x86 processor is the kernel's own clock source,
 * it is the same on all processors and does not stop. A write stores it as it is, which saves
 * it a call; each page has the time of one moment by both clocks, between which the reader
 * interpolates.
 */
#ifndef UE__RING_RING_CLOCK_H
#define UE__RING_RING_CLOCK_H

#include <stdint.h>
#include <time.h>

#include "layout.h"

static inline int64_t ue__ring_nanoseconds(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

static inline uint64_t ue__ring_counter(void)
{
#if defined(__x86_64__) || defined(__i386__)
	return __builtin_ia32_rdtsc();
#else
	return 0;
#endif
}

static inline uint64_t ue__ring_time(uint32_t clock)
{
	return __builtin_expect(clock == UE__RING_TSC, 1) ?
		       ue__ring_counter() : (uint64_t)ue__ring_nanoseconds(CLOCK_MONOTONIC);
}

#endif
