/* SPDX-License-Identifier: MIT */
/* The time of the last tick, which is cheap. */
#ifndef UE__UTIL_COARSE_TIME_H
#define UE__UTIL_COARSE_TIME_H

#include <stdint.h>
#include <time.h>

/* Nanoseconds of CLOCK_MONOTONIC. */
static inline uint64_t ue__coarse_time(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

#endif
