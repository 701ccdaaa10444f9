/* SPDX-License-Identifier: MIT */
/* Makes histograms of a field. */
#include "histogram.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/memory.h"
#include "common/cli/message.h"
#include "common/cli/program.h"
#include "common/text/text_table.h"

static int take(struct sink *sink, struct event *event)
{
	struct field_hist *hist = (struct field_hist *)sink;
	struct value number, group = { .type = VALUE_NONE };

	if (!named_events_has(&hist->events, event->kind) ||
	    !asked_field_get(&hist->field, event, &number))
		return 0;
	if (!value_is_number(&number)) {
		hist->not_numbers++;
		hist->type = number.type;
		return 0;
	}
	if (hist->set.by)
		asked_field_get(hist->set.by, event, &group);
	histogram_add(histogram_set_find(&hist->set, &group), &number);
	return 0;
}

void field_hist_begin(struct field_hist *hist, const char *event)
{
	*hist = (struct field_hist){ .sink = { .take = take } };
	named_events_begin(&hist->events, event);
}

/* A field without numbers has no histogram. */
static int complain(const struct field_hist *hist, const struct event_kinds *kinds)
{
	const char *field = hist->field.field.text;

	if (named_events_report(&hist->events, kinds, "--where, -e and the times") ||
	    asked_field_report(&hist->field))
		return 1;
	if (hist->not_numbers)
		message("cannot make a histogram of %s: it is %s, not a number, in %" PRIu64
			" of the events that have it; \"userevents stat --by %s\" counts "
			"its values",
			field, value_type_name(hist->type), hist->not_numbers, field);
	else
		message("cannot make a histogram of %s: it is not finite in any of %" PRIu64
			" event%s", field, hist->field.found,
			hist->field.found == 1 ? "" : "s");
	return 1;
}

static void put_left_out(uint64_t count, const char *why, struct bytes *to)
{
	char text[100];

	if (count)
		bytes_add(to, text, (size_t)snprintf(text, sizeof(text), "  %" PRIu64
						     " event%s left out: %s\n", count,
						     count == 1 ? "" : "s", why));
}

static void put_text(const struct field_hist *hist, uint64_t not_finite, struct bytes *to)
{
	struct value event = { .type = VALUE_TEXT, .text = hist->events.globs.items[0] };

	event.length = strlen(event.text);
	value_put(&event, to);
	bytes_add(to, " ", 1);
	bytes_put(to, hist->field.field.text);
	bytes_add(to, "\n", 1);
	put_left_out(hist->field.missing, "they do not have the field", to);
	put_left_out(hist->not_numbers, "it is not a number", to);
	put_left_out(not_finite, "it is infinite, or not a number (nan)", to);
	histogram_set_put(&hist->set, UNIT_NONE, to);
}

static void put_json(const struct field_hist *hist, uint64_t not_finite, struct bytes *to)
{
	json_open(to, NULL, '{');
	json_string(to, "event", hist->events.globs.items[0]);
	json_string(to, "field", hist->field.field.text);
	json_count(to, "missing", hist->field.missing);
	json_count(to, "notNumbers", hist->not_numbers);
	json_count(to, "notFinite", not_finite);
	histogram_set_json(&hist->set, to);
	json_close(to, '}');
}

int field_hist_print(const struct field_hist *hist, const struct event_kinds *kinds,
		     enum answer_form form)
{
	AUTO(histogram_free) struct histogram sum = histogram_set_sum(&hist->set);
	const uint64_t not_finite = sum.not_finite, count = sum.count;
	struct bytes out = { .length = 0 };

	if (!count)
		return complain(hist, kinds);
	if (form) {
		put_json(hist, not_finite, &out);
		answer_print(&out, form, histogram_members);
	} else {
		put_text(hist, not_finite, &out);
		bytes_print(&out);
		bytes_free(&out);
	}
	histogram_set_report(&hist->set);
	return 0;
}

void field_hist_again(struct field_hist *hist)
{
	histogram_set_again(&hist->set);
	hist->field.found = hist->field.missing = 0;
	hist->set.by->found = hist->set.by->missing = 0;
	hist->events.found = 0;
	hist->not_numbers = 0;
}

void field_hist_free(struct field_hist *hist)
{
	named_events_free(&hist->events);
	asked_field_free(&hist->field);
	histogram_set_free(&hist->set);
}

/* Prints the answer of a histogram. */

static const struct {
	const char *name;
	const char *title;
	double share;
	int rank; /* a rank as table_column_rank() has it */
} percentiles[] = {
	{ "p50", "P50", 0.5, 0 },
	{ "p90", "P90", 0.9, 2 },
	{ "p99", "P99", 0.99, 0 },
	{ "p99.9", "P99.9", 0.999, 3 },
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
	bytes_put(to, text);
}

static void put_named(const char *name, const struct value *value, enum unit unit,
		      struct bytes *to)
{
	bytes_put(to, name);
	put_value(value, unit, to);
}

static void put_float(const char *name, double number, enum unit unit, struct bytes *to)
{
	char text[QUANTITY_TEXT_MAX];

	quantity_text(text, number, unit);
	bytes_put(to, name);
	bytes_put(to, text);
}

/* Break lines at gaps of three blanks, of which two indent the rest, for a terminal. */
static void wrap(struct bytes *to, size_t begin)
{
	const size_t columns = (size_t)output_columns();
	size_t gap = 0;

	for (size_t at = begin + 2; columns && at < to->length; at++) {
		const int is_end = to->at[at] == '\n';

		if (gap > begin && at - begin >= columns + (size_t)is_end) {
			to->at[gap] = '\n';
			begin = gap + 1;
		}
		if (is_end)
			begin = at + 1;
		else if (at + 3 < to->length && !memcmp(to->at + at, "   ", 3))
			gap = at;
	}
}

void distribution_put(const struct histogram *histogram, enum unit unit, struct bytes *to)
{
	const size_t begin = to->length;
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
	wrap(to, begin);
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
	AUTO_FREE struct histogram_bucket *buckets;
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
	table_column_rank(table, "MIN", 1, 1);
	table_column_rank(table, "MEAN", 1, 4);
	for (size_t i = 0; i < PERCENTILES; i++)
		table_column_rank(table, percentiles[i].title, 1, percentiles[i].rank);
	table_column_rank(table, "MAX", 1, 5);
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
