/* SPDX-License-Identifier: MIT */
/* Sums the states of threads between their starts and ends, and prints it. */
#include <stdio.h>

#include "common/cli/memory.h"
#include "common/cli/message.h"
#include "common/text/text_table.h"
#include "pairing.h"

/* histogram.sums: a sum for each state, and how many pairs they are of. */
#define PAIRS_SUM THREAD_STATES

_Static_assert(THREAD_STATES + 1 == HISTOGRAM_SUMS, "a histogram has as many sums");

void thread_sums_add(struct histogram *histogram, const struct thread_times *times)
{
	for (int i = 0; i < THREAD_STATES; i++)
		histogram->sums[i] += times->of[i];
	histogram->sums[PAIRS_SUM]++;
}

static struct thread_times times_of(const struct histogram *histogram)
{
	struct thread_times times;

	for (int i = 0; i < THREAD_STATES; i++)
		times.of[i] = histogram->sums[i];
	return times;
}

/* Text */

static void put_states(const struct thread_times *times, uint64_t pairs, struct bytes *to)
{
	struct text_table table = { .columns = 0 };
	char text[QUANTITY_TEXT_MAX];

	table_column(&table, "STATE", 0);
	table_column(&table, "TOTAL", 1);
	table_column(&table, "MEAN", 1);
	table_column(&table, "PERCENT", 1);
	for (int i = 0; i < THREAD_STATES; i++) {
		const uint64_t part = thread_times_part(times, i);

		if (i == THREAD_UNINTERRUPTIBLE && !part)
			continue;
		table_cellf(&table, i == THREAD_UNINTERRUPTIBLE ? "  %s" : "%s",
			    thread_state_names[i]);
		quantity_text(text, (double)part, UNIT_NS);
		table_cell(&table, text);
		quantity_text(text, (double)part / (double)pairs, UNIT_NS);
		table_cell(&table, text);
		table_cellf(&table, "%.1f", thread_times_percent(times, i));
	}
	table_put(&table, to);
}

static const int columns[] = { THREAD_RUNNING, THREAD_RUNNABLE, THREAD_BLOCKED,
			       THREAD_UNKNOWN };

#define COLUMNS (sizeof(columns) / sizeof(columns[0]))

static void put_row(void *context, const struct value *value,
		    const struct histogram *histogram)
{
	const struct thread_times times = times_of(histogram);
	const uint64_t pairs = histogram->sums[PAIRS_SUM];
	struct text_table *table = context;
	char text[QUANTITY_TEXT_MAX];

	if (!pairs)
		return;
	if (value)
		table_value(table, value);
	else
		table_cell(table, "(others)");
	table_cellf(table, "%llu", (unsigned long long)pairs);
	for (size_t i = 0; i < COLUMNS; i++) {
		const uint64_t part = thread_times_part(&times, columns[i]);

		quantity_text(text, (double)part / (double)pairs, UNIT_NS);
		table_cellf(table, "%s %3.0f%%", text,
			    thread_times_percent(&times, columns[i]));
	}
}

static void put_groups(const struct histogram_set *set, struct bytes *to)
{
	struct text_table table = { .columns = 0 };

	table_column(&table, set->by->field.text, 0);
	table_column_rank(&table, "PAIRS", 1, 2);
	for (size_t i = 0; i < COLUMNS; i++)
		table_column_rank(&table,
			     columns[i] == THREAD_RUNNING  ? "RAN" :
			     columns[i] == THREAD_RUNNABLE ? "RUNNABLE" :
			     columns[i] == THREAD_BLOCKED  ? "BLOCKED" :
							     "UNKNOWN",
			     1, columns[i] == THREAD_UNKNOWN ? 1 : columns[i] == THREAD_RUNNABLE ? 3 : 0);
	histogram_set_each(set, put_row, &table);
	bytes_put(to, "\nMeans and shares:\n");
	table_put(&table, to);
}

void thread_sums_put(const struct histogram_set *set, struct bytes *to)
{
	AUTO(histogram_free) struct histogram sum = histogram_set_sum(set);
	const uint64_t pairs = sum.sums[PAIRS_SUM], others = sum.count - pairs;
	const struct thread_times times = times_of(&sum);

	if (!pairs && !others)
		return;
	bytes_addf(
		to,
		"\nWhat threads did in %llu pair%s that start%s and end%s on one thread",
		(unsigned long long)pairs, PLURAL(pairs), pairs == 1 ? "s" : "",
		pairs == 1 ? "s" : "");
	if (others)
		bytes_addf(to, "; %llu %s on several, and left out",
			   (unsigned long long)others, others == 1 ? "is" : "are");
	bytes_put(to, pairs ? ":\n" : ".\n");
	if (pairs)
		put_states(&times, pairs, to);
	if (pairs && set->by)
		put_groups(set, to);
}

/* JSON */

void thread_times_json(const struct thread_times *times, struct bytes *json)
{
	for (int i = 0; i < THREAD_STATES; i++)
		json_count(json, thread_state_names[i], thread_times_part(times, i));
}

static void add_sums(const struct histogram *histogram, struct bytes *json)
{
	const struct thread_times times = times_of(histogram);

	json_count(json, "pairs", histogram->sums[PAIRS_SUM]);
	json_count(json, "severalThreads", histogram->count - histogram->sums[PAIRS_SUM]);
	thread_times_json(&times, json);
}

void thread_sums_json(const struct histogram_set *set, int has_records,
		      struct bytes *json)
{
	AUTO(histogram_free) struct histogram sum = histogram_set_sum(set);

	json_open(json, "cpu", '{');
	json_boolean(json, "recorded", has_records);
	add_sums(&sum, json);
	json_close(json, '}');
}

void thread_sums_more(const struct histogram *histogram, struct bytes *json)
{
	json_open(json, "cpu", '{');
	add_sums(histogram, json);
	json_close(json, '}');
}
