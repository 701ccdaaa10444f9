/* SPDX-License-Identifier: MIT */
/* A clock of clock_gettime(2) in nanoseconds. */
#ifndef UE__TOOLS_CLI_CLOCK_H
#define UE__TOOLS_CLI_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline int64_t clock_now(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

#endif
