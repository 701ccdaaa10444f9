/* SPDX-License-Identifier: MIT */
/* The pairs of events that took longest, with their text. */
#ifndef UE__TOOLS_PAIRS_SLOWEST_PAIRS_H
#define UE__TOOLS_PAIRS_SLOWEST_PAIRS_H

#include "common/cli/bytes.h"
#include "common/records/record.h"

#define SLOWEST_MAX 1000u

struct slow_pair {
	int64_t nanoseconds;
	struct bytes start; /* a line of text, or a JSON object */
	struct bytes end;
};

struct slowest_pairs {
	uint32_t most;
	int is_json;
	uint32_t count;
	struct slow_pair *items; /* the slowest first */
};

/* Keep a pair if it is one of the slowest. */
void slowest_pairs_offer(struct slowest_pairs *slowest, int64_t nanoseconds,
			 const struct record *start, const struct record *end);
void slowest_pairs_free(struct slowest_pairs *slowest);

#endif
