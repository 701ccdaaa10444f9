/* SPDX-License-Identifier: MIT */
/* Keeps and prints a histogram for each value of a field. */
#include "histogram_set.h"

#include <stdlib.h>
#include <string.h>

#include "bars.h"
#include "common/cli/memory.h"
#include "distribution.h"
#include "common/text/json_text.h"

/* Groups whose bars are drawn. */
#define DRAWN_MOST 5u

struct histogram *histogram_set_find(struct histogram_set *set, const struct value *value)
{
	const uint32_t group = set->by ? group_find(&set->groups, 0, value) : GROUP_OTHERS;

	if (group == GROUP_OTHERS)
		return &set->others;
	if (group >= set->count) {
		set->of_group = xgrow(set->of_group, set->count, sizeof(*set->of_group));
		set->of_group[set->count++] = (struct histogram){ .count = 0 };
	}
	return &set->of_group[group];
}

struct histogram histogram_set_sum(const struct histogram_set *set)
{
	struct histogram sum = { .count = 0 };

	histogram_merge(&sum, &set->others);
	for (uint32_t i = 0; i < set->count; i++)
		histogram_merge(&sum, &set->of_group[i]);
	return sum;
}

static int compare(const void *one, const void *other)
{
	const struct histogram *const *a = one, *const *b = other;

	if ((*a)->count != (*b)->count)
		return (*a)->count < (*b)->count ? 1 : -1;
	return (*a > *b) - (*a < *b);
}

/* Those with most numbers first; to be freed. */
static const struct histogram **sort(const struct histogram_set *set)
{
	const struct histogram **sorted = xcalloc(set->count, sizeof(*sorted));

	for (uint32_t i = 0; i < set->count; i++)
		sorted[i] = &set->of_group[i];
	qsort(sorted, set->count, sizeof(*sorted), compare);
	return sorted;
}

static const struct value *value_of_group(const struct histogram_set *set,
					  const struct histogram *histogram)
{
	return &set->groups.groups[histogram - set->of_group].value;
}

static void put_table(const struct histogram_set *set, const struct histogram **sorted,
		      enum unit unit, struct bytes *to)
{
	struct text_table table = { .columns = 0 };

	table_column(&table, set->by->field.text, 0);
	distribution_columns(&table);
	for (uint32_t i = 0; i < set->count; i++) {
		table_value(&table, value_of_group(set, sorted[i]));
		distribution_row(sorted[i], unit, &table);
	}
	if (set->others.count || set->others.not_finite) {
		table_cell(&table, "(others)");
		distribution_row(&set->others, unit, &table);
	}
	table_put(&table, to);
}

static void put_title(const struct histogram_set *set, const struct value *value,
		      struct bytes *to)
{
	bytes_add(to, "\n", 1);
	bytes_add(to, set->by->field.text, strlen(set->by->field.text));
	bytes_add(to, " ", 1);
	value_put(value, to);
	bytes_add(to, ":\n", 2);
}

/* canvas: NULL without bars. */
static void put_groups(const struct histogram_set *set, enum unit unit,
		       const struct canvas *canvas, struct bytes *to)
{
	const struct histogram **sorted = sort(set);

	bytes_add(to, "\n", 1);
	put_table(set, sorted, unit, to);
	for (uint32_t i = 0; canvas && i < set->count && i < DRAWN_MOST && sorted[i]->count; i++) {
		put_title(set, value_of_group(set, sorted[i]), to);
		bars_put(sorted[i], unit, canvas, to);
	}
	free(sorted);
}

void histogram_set_put(const struct histogram_set *set, enum unit unit, struct bytes *to)
{
	struct histogram sum = histogram_set_sum(set);
	struct canvas canvas;

	canvas_begin(&canvas);
	distribution_put(&sum, unit, to);
	if (!set->has_no_bars) {
		bytes_add(to, "\n", 1);
		bars_put(&sum, unit, &canvas, to);
	}
	if (set->by)
		put_groups(set, unit, set->has_no_bars ? NULL : &canvas, to);
	histogram_free(&sum);
}

static void add_group(const struct histogram *histogram, struct bytes *json)
{
	distribution_json(histogram, 1, json);
	json_count(json, "notFinite", histogram->not_finite);
	json_close(json, '}');
}

static void add_groups(const struct histogram_set *set, struct bytes *json)
{
	const struct histogram **sorted = sort(set);

	json_string(json, "by", set->by->field.text);
	json_open(json, "groups", '[');
	for (uint32_t i = 0; i < set->count; i++) {
		json_open(json, NULL, '{');
		json_value(json, "value", value_of_group(set, sorted[i]));
		add_group(sorted[i], json);
	}
	if (set->others.count || set->others.not_finite) {
		json_open(json, NULL, '{');
		json_boolean(json, "others", 1);
		add_group(&set->others, json);
	}
	json_close(json, ']');
	free(sorted);
}

void histogram_set_json(const struct histogram_set *set, struct bytes *json)
{
	struct histogram sum = histogram_set_sum(set);

	json_float(json, "relativeError", HISTOGRAM_ERROR);
	distribution_json(&sum, 1, json);
	histogram_free(&sum);
	if (set->by)
		add_groups(set, json);
}

void histogram_set_report(const struct histogram_set *set)
{
	if (set->by)
		groups_report(&set->groups, &set->by->field,
			      set->others.count + set->others.not_finite);
}

void histogram_set_free(struct histogram_set *set)
{
	for (uint32_t i = 0; i < set->count; i++)
		histogram_free(&set->of_group[i]);
	free(set->of_group);
	histogram_free(&set->others);
	groups_free(&set->groups);
}
