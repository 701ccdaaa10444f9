/* SPDX-License-Identifier: MIT */
/*
 * Pairs of which an expression about events leaves out the start or the stop, and not the
 * other: what is left of them is no start that never ended.
 */
#ifndef UE__TOOLS_ANSWERS_REPORT_CUT_PAIRS_H
#define UE__TOOLS_ANSWERS_REPORT_CUT_PAIRS_H

#include "common/cli/memory.h"
#include "common/pairs/pairs.h"

/* Zero it, begin, and then set the options of pairs: those of the pairs that are shown. */
struct cut_pairs {
	struct pairs pairs; /* of all events */
	uint64_t count;
};

void cut_pairs_begin(struct cut_pairs *cut);
/* Take an event, whether it is left out or not. */
void cut_pairs_take(struct cut_pairs *cut, struct event *event, int is_left_out);
/* Append a paragraph if there are any. */
void cut_pairs_put(uint64_t count, struct bytes *out);
/* Report them. */
void cut_pairs_report(uint64_t count);
/* The count stays. */
void cut_pairs_free(struct cut_pairs *cut);

#endif
