/* SPDX-License-Identifier: MIT */
/* The kernel's counts, divided by the values of further fields. */
#ifndef UE__TOOLS_KHIST_COUNTS_GROUP_COUNTS_H
#define UE__TOOLS_KHIST_COUNTS_GROUP_COUNTS_H

#include "bucket_plan.h"
#include "common/events/field_value.h"
#include "hist_file.h"
#include "key_field.h"
#include "ranges.h"

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

#endif
