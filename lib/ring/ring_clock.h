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

/* This moment by the ring's clock and by the system's; without system calls. */
struct ue__ring_moment ue__ring_now(uint32_t clock);
/* The better of two looks at the clocks, as a write must not take long. */
struct ue__ring_moment ue__ring_now_quickly(uint32_t clock);

/*
 * The boots in which the pages of a ring were written. A file may be older than the last
 * one, and the counter of a processor may begin anew with each.
 */
#define UE__RING_BOOTS 8

/* Moments of a boot that are known: the first and the last one, by the counter. */
struct ue__ring_boot {
	uint32_t boot; /* 0: unused */
	uint32_t began; /* seconds since 1970; boots are sorted by it */
	struct ue__ring_moment first, last;
};

struct ue__ring_boots {
	uint32_t current; /* this one */
	struct ue__ring_boot boots[UE__RING_BOOTS];
	double rate; /* nanoseconds a count, as measured; 0: not yet */
};

/* A boot in 16 bits: never 0, which stands for one whose name could not be read. */
uint32_t ue__ring_boot_of(const char *name);

void ue__ring_note_moment(struct ue__ring_boots *boots, uint32_t boot,
			  const struct ue__ring_moment *moment);

/* A number that is lower for an earlier boot. */
uint32_t ue__ring_order_of(const struct ue__ring_boots *boots, uint32_t boot);

/* Nanoseconds a count in a boot, around a moment of it. */
double ue__ring_rate(struct ue__ring_boots *boots, uint32_t boot,
		     const struct ue__ring_moment *moment, uint32_t clock);

#endif
