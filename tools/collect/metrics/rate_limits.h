/* SPDX-License-Identifier: MIT */
/* Limits of events in a second: of all, of each provider, and of each user's programs. */
#ifndef UE__TOOLS_COLLECT_METRICS_RATE_LIMITS_H
#define UE__TOOLS_COLLECT_METRICS_RATE_LIMITS_H

#include <stddef.h>
#include <stdint.h>

#include "common/cli/clock.h"
#include "common/events/recorded_event.h"

/*
 * Lets so many events of each second pass. A second begins when the last one is over
 * and an event comes: so those left out are one gap a second, and not one between any
 * two events.
 */

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

/* Those of names; names beyond these share a limit. */
#define LIMITED_MOST 250
#define LIMITED_KINDS 1000u

struct limited {
	char *name; /* of a provider, or the number of a user; NULL: others */
	struct rate_limit limit;
	uint64_t lost;
};

/* Zero it, and set rate; 0: there is none. */
struct rate_limits {
	uint64_t rate;
	struct limited items[LIMITED_MOST + 1];
	size_t count; /* but for the others, which are the last one */
	uint8_t of_kind[LIMITED_KINDS]; /* its place + 1; 0: not known yet */
};

/* 0: too many have come, which is counted. */
int rate_limits_pass_provider(struct rate_limits *limits, const struct event_kind *kind);
int rate_limits_pass_user(struct rate_limits *limits, uint32_t user);
void rate_limits_free(struct rate_limits *limits);

#endif
