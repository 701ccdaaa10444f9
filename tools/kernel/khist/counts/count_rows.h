/* SPDX-License-Identifier: MIT */
/* Merges ranges into a readable number of rows. */
#ifndef UE__TOOLS_KHIST_COUNTS_COUNT_ROWS_H
#define UE__TOOLS_KHIST_COUNTS_COUNT_ROWS_H

#include "ranges.h"

#define COUNT_ROWS_MAX 24

struct count_rows {
	size_t count;
	struct range rows[COUNT_ROWS_MAX]; /* signed if the ranges are */
	uint64_t most; /* of their counts */
};

/*
 * The ranges themselves, if they are few and full. Otherwise rows of equal width, or rows that
 * grow as 1, 2, 5, 10, 20, ... do: those which tell more of the numbers apart. A range is never
 * divided, so a row may end later than a round number. No rows if there are no ranges.
 */
void count_rows_make(const struct ranges *ranges, struct count_rows *rows);

#endif
