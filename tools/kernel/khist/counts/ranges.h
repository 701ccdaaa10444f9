/* SPDX-License-Identifier: MIT */
/*
 * How often numbers of each range occurred: a distribution as the kernel counted it. Ranges of
 * one distribution are equal or have no number in common.
 */
#ifndef UE__TOOLS_KHIST_COUNTS_RANGES_H
#define UE__TOOLS_KHIST_COUNTS_RANGES_H

#include <stddef.h>
#include <stdint.h>

#include "common/events/field_value.h"

/* Both belong to it; of signed numbers, they are to be read as int64_t. */
struct range {
	uint64_t low, high;
	uint64_t count;
};

struct ranges {
	int is_signed;
	struct range *items;
	size_t count;
	uint64_t total; /* of their counts */
};

void ranges_add(struct ranges *ranges, const struct range *range);
/* Sort, and merge those that are equal. The functions below need that. */
void ranges_sort(struct ranges *ranges);
void ranges_free(struct ranges *ranges);

/* The range of the number of rank share * total, rounded up. There must be one. */
const struct range *ranges_percentile(const struct ranges *ranges, double share);
double range_low(const struct ranges *ranges, const struct range *range);
/* The next number after it. */
double range_end(const struct ranges *ranges, const struct range *range);
/* The error of its middle: half of its width; 0 for one number. */
double range_error(const struct range *range);
/* A limit as a value, for printing. */
struct value ranges_value(const struct ranges *ranges, uint64_t number);

#endif
