/* SPDX-License-Identifier: MIT */
/*
 * A program offers its ring again after a second or more. A test that is linked with
 * --wrap=clock_gettime sets the clock that tells.
 */
#ifndef UE__TESTS_RING_COARSE_CLOCK_H
#define UE__TESTS_RING_COARSE_CLOCK_H

#include <time.h>

int __real_clock_gettime(clockid_t clock, struct timespec *time);
int __wrap_clock_gettime(clockid_t clock, struct timespec *time);

/* Milliseconds; 0: the real clock. */
static long long coarse_ms;
/* Seconds. */
static int monotonic_ahead;

int __wrap_clock_gettime(clockid_t clock, struct timespec *time)
{
	if (!coarse_ms || clock != CLOCK_MONOTONIC_COARSE) {
		const int result = __real_clock_gettime(clock, time);

		time->tv_sec += clock == CLOCK_MONOTONIC ? monotonic_ahead : 0;
		return result;
	}
	*time = (struct timespec){ coarse_ms / 1000, coarse_ms % 1000 * 1000000 };
	return 0;
}

#endif
