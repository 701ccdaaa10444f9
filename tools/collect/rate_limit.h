/* SPDX-License-Identifier: MIT */
/*
 * Lets so many events of each second pass. A second begins when the last one is over and an
 * event comes: so those left out are one gap a second, and not one between any two events.
 */
#ifndef UE__TOOLS_COLLECT_RATE_LIMIT_H
#define UE__TOOLS_COLLECT_RATE_LIMIT_H

#include <stdint.h>

#include "common/cli/clock.h"

#define RATE_SECOND 1000000000

struct rate_limit {
	uint64_t rate; /* 0: any number */
	uint64_t left; /* until end */
	int64_t end;   /* of CLOCK_MONOTONIC_COARSE, whose clock is read for each event */
};

static inline int rate_limit_passes(struct rate_limit *limit)
{
	int64_t now;

	if (!limit->rate)
		return 1;
	now = clock_now(CLOCK_MONOTONIC_COARSE);
	if (now >= limit->end) {
		limit->end = now + RATE_SECOND;
		limit->left = limit->rate;
	}
	if (!limit->left)
		return 0;
	limit->left--;
	return 1;
}

#endif
