/* SPDX-License-Identifier: MIT */
/* Writes what the kernel counted as JSON. */
#include "picture.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/text/json_text.h"

static void add_limit(const struct ranges *ranges, const char *key, uint64_t number,
		      struct bytes *json)
{
	const struct value value = {
		.type = ranges->is_signed ? VALUE_SIGNED : VALUE_UNSIGNED,
		.whole = (int64_t)number,
	};

	json_value(json, key, &value);
}

/* The number behind a range, as of hist; it may be one more than 64 bits can hold. */
static void add_end(const struct ranges *ranges, const char *key, uint64_t high,
		    struct bytes *json)
{
	static const char *const ends[] = { "18446744073709551616", "9223372036854775808" };

	if (high == (ranges->is_signed ? (uint64_t)INT64_MAX : UINT64_MAX))
		json_raw(json, key, ends[ranges->is_signed], strlen(ends[ranges->is_signed]));
	else
		add_limit(ranges, key, high + 1, json);
}

static void add_percentile(const struct ranges *ranges,
			   const struct picture_percentile *percentile, struct bytes *json)
{
	const struct range *range = ranges_percentile(ranges, percentile->share);
	char key[20];

	snprintf(key, sizeof(key), "%sError", percentile->name);
	if (range->low == range->high) {
		add_limit(ranges, percentile->name, range->low, json);
		json_count(json, key, 0);
		return;
	}
	json_float(json, percentile->name, range_low(ranges, range) + range_error(range));
	json_float(json, key, range_error(range));
}

static void add_ranges(const struct ranges *ranges, struct bytes *json)
{
	if (ranges->count) {
		add_limit(ranges, "min", ranges->items[0].low, json);
		add_limit(ranges, "max", ranges->items[ranges->count - 1].high, json);
		for (size_t i = 0; i < PICTURE_PERCENTILES; i++)
			add_percentile(ranges, &picture_percentiles[i], json);
	}
	json_open(json, "buckets", '[');
	for (size_t i = 0; i < ranges->count; i++) {
		json_open(json, NULL, '{');
		add_limit(ranges, "low", ranges->items[i].low, json);
		add_end(ranges, "high", ranges->items[i].high, json);
		json_count(json, "count", ranges->items[i].count);
		json_close(json, '}');
	}
	json_close(json, ']');
}

static void add_group(const struct picture *picture, const struct group_count *group,
		      struct bytes *json)
{
	const struct group_counts *counts = picture->counts;
	const size_t by = counts->first_by ? 0 : 1;

	json_open(json, NULL, '{');
	if (by)
		json_value(json, "value", &group->by[0]);
	if (counts->field_count > 1) {
		json_open(json, "by", '{');
		for (size_t i = 0; i + 1 < counts->field_count; i++)
			json_value(json, picture->by[i], &group->by[by + i]);
		json_close(json, '}');
	}
	json_count(json, "count", group->count);
	if (!by)
		add_ranges(&group->ranges, json);
	json_close(json, '}');
}

void picture_json(const struct picture *picture, struct bytes *json)
{
	const struct group_counts *counts = picture->counts;

	json_float(json, "seconds", picture->seconds);
	json_count(json, "count", counts->count);
	if (counts->first_by)
		add_ranges(&counts->sum, json);
	if (counts->first_by && counts->field_count == 1)
		return;
	json_open(json, counts->first_by ? "groups" : "values", '[');
	for (size_t i = 0; i < counts->group_count; i++)
		add_group(picture, &counts->groups[i], json);
	json_close(json, ']');
}
