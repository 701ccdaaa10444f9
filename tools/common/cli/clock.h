/* SPDX-License-Identifier: MIT */
/* Clocks of clock_gettime(2) in nanoseconds. */
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

/* The wall clock and CLOCK_MONOTONIC at one moment. Their offset may be off by doubt. */
struct clock_pair {
	int64_t wall;
	int64_t monotonic;
	int64_t doubt;
};

/* The best of some readings, as a process may be interrupted between two clocks. */
static inline struct clock_pair clock_pair_now(void)
{
	struct clock_pair best = { .doubt = INT64_MAX };

	for (int i = 0; i < 8; i++) {
		int64_t before = clock_now(CLOCK_MONOTONIC);
		int64_t wall = clock_now(CLOCK_REALTIME);
		int64_t doubt = (clock_now(CLOCK_MONOTONIC) - before + 1) / 2;

		if (doubt < best.doubt)
			best = (struct clock_pair){ wall, before + doubt, doubt };
	}
	return best;
}

static inline int64_t clock_pair_offset(const struct clock_pair *pair)
{
	return pair->wall - pair->monotonic;
}

#endif
