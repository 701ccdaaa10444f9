/* SPDX-License-Identifier: MIT */
/* Keeps a distribution of numbers as counts of ranges. */
#include "ranges.h"

#include <math.h>
#include <stdlib.h>

#include "common/cli/memory.h"

void ranges_add(struct ranges *ranges, const struct range *range)
{
	ranges->items = xgrow(ranges->items, ranges->count, sizeof(*range));
	ranges->items[ranges->count++] = *range;
	ranges->total += range->count;
}

static int compare_unsigned(const void *one, const void *other)
{
	const uint64_t a = ((const struct range *)one)->low;
	const uint64_t b = ((const struct range *)other)->low;

	return (a > b) - (a < b);
}

static int compare_signed(const void *one, const void *other)
{
	const int64_t a = (int64_t)((const struct range *)one)->low;
	const int64_t b = (int64_t)((const struct range *)other)->low;

	return (a > b) - (a < b);
}

void ranges_sort(struct ranges *ranges)
{
	size_t count = 0;

	if (!ranges->count)
		return;
	qsort(ranges->items, ranges->count, sizeof(*ranges->items),
	      ranges->is_signed ? compare_signed : compare_unsigned);
	for (size_t i = 0; i < ranges->count; i++) {
		if (count && ranges->items[count - 1].low == ranges->items[i].low)
			ranges->items[count - 1].count += ranges->items[i].count;
		else
			ranges->items[count++] = ranges->items[i];
	}
	ranges->count = count;
}

void ranges_free(struct ranges *ranges)
{
	free(ranges->items);
	ranges->items = NULL;
	ranges->count = 0;
	ranges->total = 0;
}

const struct range *ranges_percentile(const struct ranges *ranges, double share)
{
	/* 99.9 % of 1000 is 999, which the product may miss by a bit */
	const double rank = ceil(share * (double)ranges->total * (1 - 1e-12));
	const uint64_t least = rank < 1 ? 1 : (uint64_t)rank;
	uint64_t below = 0;
	size_t i = 0;

	while (i + 1 < ranges->count && below + ranges->items[i].count < least)
		below += ranges->items[i++].count;
	return &ranges->items[i];
}

static double as_double(const struct ranges *ranges, uint64_t number)
{
	return ranges->is_signed ? (double)(int64_t)number : (double)number;
}

double range_low(const struct ranges *ranges, const struct range *range)
{
	return as_double(ranges, range->low);
}

double range_end(const struct ranges *ranges, const struct range *range)
{
	return as_double(ranges, range->high) + 1;
}

double range_error(const struct range *range)
{
	return (double)(range->high - range->low) / 2;
}

struct value ranges_value(const struct ranges *ranges, uint64_t number)
{
	return (struct value){
		.type = ranges->is_signed ? VALUE_SIGNED : VALUE_UNSIGNED,
		.whole = (int64_t)number,
	};
}
