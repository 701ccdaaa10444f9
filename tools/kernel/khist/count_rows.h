/* SPDX-License-Identifier: MIT */
/* The kernel's counts, divided by the values of further fields. */
#ifndef UE__TOOLS_KERNEL_KHIST_COUNTS_COUNT_ROWS_H
#define UE__TOOLS_KERNEL_KHIST_COUNTS_COUNT_ROWS_H

#include "common/events/field.h"
#include "bucket_plan.h"
#include "hist_file.h"

/* Entries with equal values of these keys. */
struct group_count {
	struct value by[HIST_KEYS_MAX]; /* texts point into the file */
	uint64_t count;
	struct ranges ranges; /* of the first field, if that is a number */
};

struct group_counts {
	const struct key_field *fields; /* the counted one, then those of --by */
	size_t field_count;
	/* Which of the fields groups have: all but the first; or all, if that is a text. */
	size_t first_by;
	struct group_count *groups; /* those with most events first */
	size_t group_count;
	struct ranges sum;
	uint64_t count;
};

void group_counts_make(struct group_counts *counts, const struct hist_table *table,
		       const struct bucket_plan *plan);
void group_counts_free(struct group_counts *counts);

/* Merges ranges into a readable number of rows. */

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
