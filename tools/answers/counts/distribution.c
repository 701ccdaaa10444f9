/* SPDX-License-Identifier: MIT */
/* Prints what a histogram answers. */
#include "distribution.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/text/json_text.h"

static const struct {
	const char *name;
	const char *title;
	double share;
} percentiles[] = {
	{ "p50", "P50", 0.5 },
	{ "p90", "P90", 0.9 },
	{ "p99", "P99", 0.99 },
	{ "p99.9", "P99.9", 0.999 },
};

#define PERCENTILES (sizeof(percentiles) / sizeof(percentiles[0]))

/* Whole numbers of 64 bits have more digits than a double. */
static void put_value(const struct value *value, enum unit unit, struct bytes *to)
{
	char text[QUANTITY_TEXT_MAX];

	if (value->type != VALUE_FLOAT && unit == UNIT_NONE) {
		value_put(&(struct value){ .type = value->type == VALUE_BOOLEAN ?
							   VALUE_UNSIGNED : value->type,
					   .whole = value->whole }, to);
		return;
	}
	quantity_text(text, value_as_double(value), unit);
	bytes_add(to, text, strlen(text));
}

static void put_named(const char *name, const struct value *value, enum unit unit,
		      struct bytes *to)
{
	bytes_add(to, name, strlen(name));
	put_value(value, unit, to);
}

static void put_float(const char *name, double number, enum unit unit, struct bytes *to)
{
	char text[QUANTITY_TEXT_MAX];

	quantity_text(text, number, unit);
	bytes_add(to, name, strlen(name));
	bytes_add(to, text, strlen(text));
}

void distribution_put(const struct histogram *histogram, enum unit unit, struct bytes *to)
{
	char text[64];

	bytes_add(to, text, (size_t)snprintf(text, sizeof(text), "  count %llu",
					     (unsigned long long)histogram->count));
	put_named("   min ", &histogram->least, unit, to);
	put_float("   mean ", histogram_mean(histogram), unit, to);
	put_named("   max ", &histogram->greatest, unit, to);
	bytes_add(to, "\n", 1);
	for (size_t i = 0; i < PERCENTILES; i++) {
		snprintf(text, sizeof(text), "%s%s ", i ? "   " : "  ", percentiles[i].name);
		put_float(text, histogram_percentile(histogram, percentiles[i].share), unit, to);
	}
	bytes_add(to, text, (size_t)snprintf(text, sizeof(text), "   (within %.1f %%)\n",
					     HISTOGRAM_ERROR * 100));
}

/* Percentiles of whole numbers are whole. */
static void add_number(const struct histogram *histogram, const char *key, double number,
		       struct bytes *json)
{
	char text[QUANTITY_TEXT_MAX];

	if (!histogram->has_floats && fabs(number) < 1e15) {
		snprintf(text, sizeof(text), "%.0f", number);
		json_raw(json, key, text, strlen(text));
	} else {
		json_float(json, key, number);
	}
}

static void add_buckets(const struct histogram *histogram, struct bytes *json)
{
	struct histogram_bucket *buckets;
	size_t count = histogram_buckets(histogram, &buckets);

	json_open(json, "buckets", '[');
	for (size_t i = 0; i < count; i++) {
		json_open(json, NULL, '{');
		json_float(json, "low", buckets[i].low);
		json_float(json, "high", buckets[i].high);
		json_count(json, "count", buckets[i].count);
		json_close(json, '}');
	}
	json_close(json, ']');
	free(buckets);
}

void distribution_json(const struct histogram *histogram, int has_buckets,
		       struct bytes *json)
{
	json_count(json, "count", histogram->count);
	if (histogram->count) {
		json_value(json, "min", &histogram->least);
		json_float(json, "mean", histogram_mean(histogram));
		json_value(json, "max", &histogram->greatest);
		for (size_t i = 0; i < PERCENTILES; i++)
			add_number(histogram, percentiles[i].name,
				   histogram_percentile(histogram, percentiles[i].share), json);
	}
	if (has_buckets)
		add_buckets(histogram, json);
}

void distribution_columns(struct text_table *table)
{
	table_column(table, "COUNT", 1);
	table_column(table, "MIN", 1);
	table_column(table, "MEAN", 1);
	for (size_t i = 0; i < PERCENTILES; i++)
		table_column(table, percentiles[i].title, 1);
	table_column(table, "MAX", 1);
}

static void add_cell(const struct histogram *histogram, double number, enum unit unit,
		     struct text_table *table)
{
	char text[QUANTITY_TEXT_MAX];

	quantity_text(text, number, unit);
	table_cell(table, histogram->count ? text : "-");
}

void distribution_row(const struct histogram *histogram, enum unit unit,
		      struct text_table *table)
{
	table_cellf(table, "%llu", (unsigned long long)histogram->count);
	add_cell(histogram, value_as_double(&histogram->least), unit, table);
	add_cell(histogram, histogram_mean(histogram), unit, table);
	for (size_t i = 0; i < PERCENTILES; i++)
		add_cell(histogram, histogram_percentile(histogram, percentiles[i].share), unit,
			 table);
	add_cell(histogram, value_as_double(&histogram->greatest), unit, table);
}
