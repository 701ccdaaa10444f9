/* SPDX-License-Identifier: MIT */
/*
 * Reads both sides of a comparison: two recordings, or two parts of the same events.
 * Prints the result as a table or as JSON.
 */
#include "compare.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/memory.h"
#include "common/cli/message.h"
#include "common/cli/program.h"
#include "common/text/text_table.h"
#include "common/where/where.h"

/* Prints comparisons as tables and as JSON. */

const char *verdict_text(enum verdict verdict)
{
	static const char *const texts[] = {
		[COMPARE_NOISE] = "noise", [COMPARE_DIFFERS] = "differs", [COMPARE_NEW] = "new",
		[COMPARE_GONE] = "gone",   [COMPARE_TOO_FEW] = "too few",
	};

	return texts[verdict];
}

static const char *const share_names[PERCENTILES_COMPARED] = { "p50", "p90", "p99" };

static void columns(struct text_table *table, const char *first)
{
	table_column(table, first, 0);
	table_column_rank(table, "BEFORE", 1, 2);
	table_column_rank(table, "AFTER", 1, 2);
	table_column(table, "CHANGE", 1);
	table_column_rank(table, "99 % FROM", 1, 1);
	table_column_rank(table, "TO", 1, 1);
	table_column(table, "", 0);
}

static void percent(struct text_table *table, double relative)
{
	if (isfinite(relative))
		table_cellf(table, "%+.1f %%", relative * 100);
	else
		table_cell(table, "-");
}

static void put_change(struct text_table *table, const struct change *change)
{
	const int has_interval = change->verdict == COMPARE_NOISE ||
				 change->verdict == COMPARE_DIFFERS;

	percent(table, change->relative);
	percent(table, has_interval ? change->low : INFINITY);
	percent(table, has_interval ? change->high : INFINITY);
	table_cell(table, verdict_text(change->verdict));
}

static void put_number(struct text_table *table, double number, enum unit unit)
{
	char text[QUANTITY_TEXT_MAX] = "-";

	if (isfinite(number))
		quantity_text(text, number, unit);
	table_cell(table, text);
}

static void put_quantity(struct text_table *table, const char *name, const struct change *change,
			 enum unit unit)
{
	table_cell(table, name);
	put_number(table, change->before, unit);
	put_number(table, change->after, unit);
	put_change(table, change);
}

static void put_side(const char *name, const char *path, uint64_t count, unsigned blocks,
		     struct bytes *out)
{
	char text[100], *shown = xstrdup(path);

	controls_blank(shown, strlen(shown));
	bytes_put(out, name);
	bytes_put(out, shown);
	free(shown);
	bytes_add(out, text, (size_t)snprintf(text, sizeof(text), " (%" PRIu64 " in %u block%s)\n",
					      count, blocks, blocks == 1 ? "" : "s"));
}

static void put_sides(const struct compared *compared, const char *const names[2],
		      struct bytes *out)
{
	put_side("before: ", names[0], compared->counts[0], compared->blocks[0], out);
	put_side("after:  ", names[1], compared->counts[1], compared->blocks[1], out);
}

static void print_table(struct text_table *table, struct bytes *out)
{
	table_put(table, out);
	bytes_print(out);
	bytes_free(out);
}

static void report(const struct comparison *comparison)
{
	if (comparison->not_finite)
		message("%" PRIu64 " value%s left out: infinite, or not a number (nan)",
			comparison->not_finite, comparison->not_finite == 1 ? " is" : "s are");
	if (comparison->without_time)
		message("cannot compare %" PRIu64 " event%s: %s no time", comparison->without_time,
			PLURAL(comparison->without_time),
			comparison->without_time == 1 ? "it has" : "they have");
}

void comparison_put_values(const struct comparison *comparison, const char *const names[2],
			   enum unit unit)
{
	struct text_table table = { .columns = 0 };
	struct bytes out = { .at = NULL };
	struct compared compared;

	comparison_result(comparison, &comparison->rows[0], &compared);
	put_sides(&compared, names, &out);
	columns(&table, "");
	put_quantity(&table, "per second", &compared.rate, UNIT_NONE);
	for (int i = 0; i < PERCENTILES_COMPARED; i++)
		put_quantity(&table, share_names[i], &compared.percentiles[i], unit);
	print_table(&table, &out);
	report(comparison);
}

/* Rows */

struct result_row {
	const struct compared_row *row;
	struct compared compared;
};

static int by_count(const void *one, const void *other)
{
	const struct result_row *a = one, *b = other;
	const uint64_t x = a->compared.counts[0] + a->compared.counts[1];
	const uint64_t y = b->compared.counts[0] + b->compared.counts[1];

	return x == y ? (a->row > b->row) - (a->row < b->row) : (x < y) - (x > y);
}

static struct result_row *results_of(const struct comparison *comparison)
{
	struct result_row *results = xcalloc(comparison->count, sizeof(*results));

	for (uint32_t i = 0; i < comparison->count; i++) {
		results[i].row = &comparison->rows[i];
		comparison_result(comparison, results[i].row, &results[i].compared);
	}
	qsort(results, comparison->count, sizeof(*results), by_count);
	return results;
}

/* All rows have the blocks of their sides. */
static struct compared sum_of(const struct comparison *comparison,
			      const struct result_row *results)
{
	struct compared sum = { .counts = { 0 } };

	for (uint32_t i = 0; i < comparison->count; i++)
		for (int side = 0; side < 2; side++) {
			sum.counts[side] += results[i].compared.counts[side];
			sum.blocks[side] = results[i].compared.blocks[side];
		}
	return sum;
}

/* A row for each kind, those with most events first. */
static void comparison_put_events(const struct comparison *comparison,
				  const char *const names[2])
{
	AUTO_FREE struct result_row *results = results_of(comparison);
	const struct compared sum = sum_of(comparison, results);
	struct text_table table = { .columns = 0 };
	struct bytes out = { .at = NULL };

	pager_begin(NULL);
	put_sides(&sum, names, &out);
	columns(&table, "EVENT, PER SECOND");
	for (uint32_t i = 0; i < comparison->count; i++)
		put_quantity(&table, results[i].row->kind->shown, &results[i].compared.rate,
			     UNIT_NONE);
	print_table(&table, &out);
	report(comparison);
}

/* JSON */

static void json_change(struct bytes *json, const char *key, const struct change *change)
{
	json_open(json, key, '{');
	json_float(json, "before", change->before);
	json_float(json, "after", change->after);
	json_float(json, "change", change->relative);
	if (change->verdict == COMPARE_NOISE || change->verdict == COMPARE_DIFFERS) {
		json_float(json, "low", change->low);
		json_float(json, "high", change->high);
	}
	json_string(json, "verdict", verdict_text(change->verdict));
	json_close(json, '}');
}

static void json_row(struct bytes *json, const struct result_row *result)
{
	const struct compared *compared = &result->compared;

	json_open(json, NULL, '{');
	if (result->row->kind) {
		json_string(json, "provider", result->row->kind->group);
		json_string(json, "event", result->row->kind->name);
	}
	json_count(json, "countBefore", compared->counts[0]);
	json_count(json, "countAfter", compared->counts[1]);
	json_change(json, "perSecond", &compared->rate);
	for (int i = 0; i < PERCENTILES_COMPARED && result->row->values[0]; i++)
		json_change(json, share_names[i], &compared->percentiles[i]);
	json_close(json, '}');
}

void comparison_print_form(const struct comparison *comparison, const char *const names[2],
			   enum answer_form form)
{
	static const char *const members[] = { "rows", NULL };
	AUTO_FREE struct result_row *results = results_of(comparison);
	const struct compared sum = sum_of(comparison, results);
	struct bytes json = { .at = NULL };

	json_open(&json, NULL, '{');
	json_string(&json, "before", names[0]);
	json_string(&json, "after", names[1]);
	json_count(&json, "blocksBefore", sum.blocks[0]);
	json_count(&json, "blocksAfter", sum.blocks[1]);
	json_float(&json, "confidence", 0.99);
	json_string(&json, "method", "block bootstrap");
	json_open(&json, "rows", '[');
	for (uint32_t i = 0; i < comparison->count; i++)
		json_row(&json, &results[i]);
	json_close(&json, ']');
	json_close(&json, '}');
	answer_print(&json, form, members);
	report(comparison);
}

struct sides {
	struct sink sink;
	struct comparison comparison;
	const struct compare_options *options;
	struct stream *stream;
	const struct usage *usage;
	int side; /* of the file that is read */
	struct where *split; /* or NULL */
	/* The field that is compared */
	struct named_events events;
	struct asked_field field;
	uint64_t not_numbers;
};

/* 0 or 1; -1 after a message. */
static int side_of(struct sides *sides, struct event *event)
{
	return sides->split ? where_passes(sides->split, event) : sides->side;
}

int compare_read(const struct compare_options *options, const struct stream *stream,
		 const struct usage *usage, char **arguments, const char *names[2],
		 compare_reader *read, void *context)
{
	int status = EXIT_ALL_WORKED;
	uint64_t events = 0;

	names[0] = "OTHERS";
	names[1] = options->split;
	if (options->split && options->is_compared)
		return options_complain(usage, "--compare and --split exclude each other");
	if (options->split)
		return read(context, COMPARE_SPLIT, arguments);
	if (stream->is_run || stream->is_watch || !arguments[0] || !arguments[1] || arguments[2])
		return options_complain(usage, "--compare takes two recordings, BEFORE and AFTER");
	for (int side = 0; side < 2 && status != EXIT_WRONG_USAGE; side++) {
		char *file[] = { arguments[side], NULL };
		const int one = read(context, side, file);

		status = status ? status : one;
		if (one && stream->events == events) { /* it was not read */
			names[1] = NULL;
			return one;
		}
		names[side] = file[0];
		events = stream->events;
	}
	return status;
}

int compare_stream(struct stream *stream, const struct usage *usage, int side, char **files,
		   struct sink *sink)
{
	return side == 1 ? stream_files(stream, files, sink) :
			   stream_read(stream, usage, files, sink);
}

static int read_events(void *context, int side, char **files)
{
	struct sides *sides = context;
	int status;

	sides->side = side;
	sides->comparison.is_split = side == COMPARE_SPLIT;
	if (side == COMPARE_SPLIT) {
		sides->split = where_parse(sides->options->split);
		if (!sides->split)
			return EXIT_WRONG_USAGE;
	}
	status = compare_stream(sides->stream, sides->usage, side, files, &sides->sink);
	if (sides->split && status != EXIT_WRONG_USAGE && where_report(sides->split) && !status)
		status = EXIT_FAILED;
	return status;
}

static void free_sides(struct sides *sides)
{
	comparison_free(&sides->comparison);
	where_free(sides->split);
	named_events_free(&sides->events);
	asked_field_free(&sides->field);
}

/* Events by name */

static int take_event(struct sink *sink, struct event *event)
{
	struct sides *sides = (struct sides *)sink;
	const int side = side_of(sides, event);

	if (side < 0)
		return -1;
	comparison_count(&sides->comparison, comparison_row(&sides->comparison, event->kind), side,
			 event->record);
	return 0;
}

int compare_events(const struct compare_options *options, struct stream *stream,
		   const struct usage *usage, char **arguments)
{
	struct sides sides = { .sink = { .take = take_event }, .options = options,
			       .stream = stream, .usage = usage };
	const char *names[2];
	const int status = compare_read(options, stream, usage, arguments, names, read_events, &sides);

	if (names[1] && sides.comparison.count && options->form)
		comparison_print_form(&sides.comparison, names, options->form);
	else if (names[1] && sides.comparison.count)
		comparison_put_events(&sides.comparison, names);
	free_sides(&sides);
	return status;
}

/* Values of a field */

static int take_value(struct sink *sink, struct event *event)
{
	struct sides *sides = (struct sides *)sink;
	struct value value;
	int side;

	if (!named_events_has(&sides->events, event->kind) ||
	    !asked_field_get(&sides->field, event, &value))
		return 0;
	if (!value_is_number(&value)) {
		sides->not_numbers++;
		return 0;
	}
	side = side_of(sides, event);
	if (side < 0)
		return -1;
	comparison_value(&sides->comparison, comparison_row(&sides->comparison, NULL), side,
			 event->record, &value);
	return 0;
}

/* Messages; 1 if there is no number. */
static int report_none(const struct sides *sides, const struct event_kinds *kinds)
{
	if (named_events_report(&sides->events, kinds, "--where, -e and the times") ||
	    asked_field_report(&sides->field))
		return 1;
	if (!sides->comparison.count)
		message("cannot compare %s: it is no number, or not finite",
			sides->field.field.text);
	else if (sides->field.missing || sides->not_numbers)
		message("%" PRIu64 " event%s left out: they do not have the field %s, or no number "
			"in it", sides->field.missing + sides->not_numbers,
			sides->field.missing + sides->not_numbers == 1 ? " is" : "s are",
			sides->field.field.text);
	return !sides->comparison.count;
}

int compare_field(const struct compare_options *options, struct stream *stream,
		  const struct usage *usage, char **arguments)
{
	struct sides sides = { .sink = { .take = take_value }, .options = options,
			       .stream = stream, .usage = usage };
	const char *names[2];
	int status;

	named_events_begin(&sides.events, arguments[0]);
	if (asked_field_parse(&sides.field, arguments[1]))
		return EXIT_WRONG_USAGE;
	status = compare_read(options, stream, usage, arguments + 2, names, read_events, &sides);
	if (status != EXIT_WRONG_USAGE && stream->events && report_none(&sides, &stream->kinds))
		status = EXIT_FAILED;
	if (names[1] && sides.comparison.count && options->form)
		comparison_print_form(&sides.comparison, names, options->form);
	else if (names[1] && sides.comparison.count)
		comparison_put_values(&sides.comparison, names, UNIT_NONE);
	free_sides(&sides);
	return status;
}
