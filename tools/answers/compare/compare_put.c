/* SPDX-License-Identifier: MIT */
/* Prints comparisons as tables and as JSON. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/memory.h"
#include "common/cli/message.h"
#include "common/cli/program.h"
#include "common/text/text_table.h"
#include "compare.h"

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

void comparison_put_events(const struct comparison *comparison, const char *const names[2])
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
