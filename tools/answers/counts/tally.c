/* SPDX-License-Identifier: MIT */
/* Counts events by name, and by the values of a field. */
#include "tally.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/memory.h"
#include "common/cli/message.h"
#include "common/text/text_table.h"
#include "common/text/amount.h"

/* The index of the total among the sets of processes. */
#define TOTAL (UINT32_MAX - 1)

/* Room for numbers 0 to number in a list of indexes. */
static uint32_t *index_at(uint32_t **list, uint32_t *size, uint32_t number)
{
	const uint32_t old = *size;

	if (number >= old) {
		*size = number < 32 ? 64 : number * 2;
		*list = xrealloc(*list, *size * sizeof(**list));
		memset(*list + old, 0, (*size - old) * sizeof(**list));
	}
	return *list + number;
}

static struct tally_row *row_at(struct tally *tally, uint32_t *index,
				const struct event_kind *kind, uint32_t group)
{
	if (*index)
		return &tally->rows[*index - 1];
	tally->rows = xgrow(tally->rows, tally->row_count, sizeof(*tally->rows));
	tally->rows[tally->row_count] = (struct tally_row){ .kind = kind, .group = group };
	*index = ++tally->row_count;
	return &tally->rows[*index - 1];
}

static void widen(struct tally_row *row, int64_t time)
{
	if (!row->has_time || time < row->first)
		row->first = time;
	if (!row->has_time || time > row->last)
		row->last = time;
	row->has_time = 1;
}

/* Fewer groups */

static void merge_times(struct tally_row *row, const struct tally_row *from)
{
	if (!from->has_time)
		return;
	widen(row, from->first);
	widen(row, from->last);
}

static void merge(struct tally_row *row, const struct tally_row *from)
{
	row->count += from->count;
	row->bytes += from->bytes;
	row->lost += from->lost;
	row->has_pid |= from->has_pid;
	row->last_pid = from->has_pid ? from->last_pid : row->last_pid;
	merge_times(row, from);
}

static void count_joined(void *context, uint32_t set)
{
	struct tally *tally = context;

	tally->rows[set].processes++;
}

/* The row of those of its kind that have none of their own. */
static struct tally_row *others_of(struct tally *tally, const struct event_kind *kind)
{
	return row_at(tally, index_at(&tally->of_kind, &tally->of_kinds, kind->event), kind,
		      GROUP_OTHERS);
}

/* numbers: the new ones of groups, or GROUP_OTHERS. */
static void renumber(struct tally *tally, const uint32_t *numbers)
{
	AUTO_FREE struct tally_row *old = tally->rows;
	const uint32_t count = tally->row_count;
	AUTO_FREE uint32_t *to = xcalloc(count, sizeof(*to));

	tally->rows = NULL;
	tally->row_count = 0;
	memset(tally->of_kind, 0, tally->of_kinds * sizeof(*tally->of_kind));
	memset(tally->of_group, 0, tally->of_groups * sizeof(*tally->of_group));
	for (uint32_t i = 0; i < count; i++) {
		const uint32_t group = old[i].group == GROUP_OTHERS ? GROUP_OTHERS :
								      numbers[old[i].group];
		struct tally_row *row;

		tally->others += group == GROUP_OTHERS && old[i].group != group ? old[i].count : 0;
		row = group == GROUP_OTHERS ?
			      others_of(tally, old[i].kind) :
			      row_at(tally, index_at(&tally->of_group, &tally->of_groups, group),
				     old[i].kind, group);
		merge(row, &old[i]);
		to[i] = (uint32_t)(row - tally->rows);
	}
	seen_processes_join(&tally->processes, to, count, count_joined, tally);
}

static void apply(struct tally *tally, uint32_t *numbers)
{
	if (numbers)
		renumber(tally, numbers);
	free(numbers);
}

/* Without a field, GROUP_OTHERS is the only group of each event. */
static struct tally_row *row_of(struct tally *tally, struct event *event)
{
	const struct event_kind *kind = event->kind;
	uint32_t group = GROUP_OTHERS;
	struct value value;

	if (tally->by) {
		asked_field_get(tally->by, event, &value);
		if (groups_are_full(&tally->groups))
			apply(tally, groups_shed(&tally->groups));
		group = group_find(&tally->groups, kind->event, &value);
		tally->others += group == GROUP_OTHERS;
	}
	if (group == GROUP_OTHERS)
		return row_at(tally, index_at(&tally->of_kind, &tally->of_kinds, kind->event),
			      kind, group);
	return row_at(tally, index_at(&tally->of_group, &tally->of_groups, group), kind, group);
}

static void count_process(struct tally *tally, struct tally_row *row, uint32_t set,
			  uint32_t pid)
{
	int result;

	if (row->has_pid && row->last_pid == pid)
		return;
	row->has_pid = 1;
	row->last_pid = pid;
	result = seen_processes_add(&tally->processes, set, pid);
	row->processes += result > 0;
	tally->unknown_processes += result < 0;
}

static void count_time(struct tally *tally, struct tally_row *row,
		       const struct ue_sample *sample)
{
	const int is_wall_clock = sample->is_wall_clock != 0;

	if (!tally->total.has_time)
		tally->is_wall_clock = is_wall_clock;
	if (tally->is_wall_clock != is_wall_clock) {
		tally->other_clock++;
		return;
	}
	widen(row, sample->time);
	widen(&tally->total, sample->time);
}

static int take(struct sink *sink, struct event *event)
{
	struct tally *tally = (struct tally *)sink;
	const struct ue_sample *sample = &event->record->sample;
	struct tally_row *row = row_of(tally, event);

	row->count++;
	row->bytes += event->length;
	if (sample->present & UE_META_LOST)
		row->lost += sample->lost;
	if (sample->present & UE_META_PID) {
		count_process(tally, row, (uint32_t)(row - tally->rows), sample->pid);
		count_process(tally, &tally->total, TOTAL, sample->pid);
	}
	if (sample->present & UE_META_TIME)
		count_time(tally, row, sample);
	return 0;
}

void tally_begin(struct tally *tally, struct asked_field *by, uint32_t groups_most)
{
	*tally = (struct tally){
		.sink = { .take = take },
		.by = by,
		.groups = { .most = groups_most },
	};
}

void tally_free(struct tally *tally)
{
	groups_free(&tally->groups);
	seen_processes_free(&tally->processes);
	free(tally->rows);
	free(tally->of_group);
	free(tally->of_kind);
}

/* Prints counts of events as a table or as JSON. */

/* The rows of an event together, "(others)" last; otherwise those with most events first */

struct sorted_row {
	const struct tally_row *row;
	uint64_t count_of_kind;
};

static int order(uint64_t one, uint64_t other)
{
	return (one < other) - (one > other);
}

static int compare(const void *one, const void *other)
{
	const struct sorted_row *a = one, *b = other;
	int result = order(a->count_of_kind, b->count_of_kind);

	if (!result)
		result = (a->row->kind->event > b->row->kind->event) -
			 (a->row->kind->event < b->row->kind->event);
	if (!result)
		result = (a->row->group == GROUP_OTHERS) - (b->row->group == GROUP_OTHERS);
	if (!result)
		result = order(a->row->count, b->row->count);
	return result ? result : (a->row > b->row) - (a->row < b->row);
}

static struct sorted_row *sort(const struct tally *tally)
{
	struct sorted_row *rows = xcalloc(tally->row_count, sizeof(*rows));
	AUTO_FREE uint64_t *counts;
	uint32_t kinds = 0;

	for (uint32_t i = 0; i < tally->row_count; i++)
		if (tally->rows[i].kind->event >= kinds)
			kinds = tally->rows[i].kind->event + 1;
	counts = xcalloc(kinds, sizeof(*counts));
	for (uint32_t i = 0; i < tally->row_count; i++)
		counts[tally->rows[i].kind->event] += tally->rows[i].count;
	for (uint32_t i = 0; i < tally->row_count; i++)
		rows[i] = (struct sorted_row){ &tally->rows[i],
					       counts[tally->rows[i].kind->event] };
	qsort(rows, tally->row_count, sizeof(*rows), compare);
	return rows;
}

static struct tally_row sum_of(const struct tally *tally)
{
	struct tally_row sum = tally->total;

	for (uint32_t i = 0; i < tally->row_count; i++) {
		sum.count += tally->rows[i].count;
		sum.bytes += tally->rows[i].bytes;
		sum.lost += tally->rows[i].lost;
	}
	return sum;
}

/*
 * The time from one moment to a later one, which hostile times make longer than
 * INT64_MAX.
 */
static double nanoseconds(int64_t from, int64_t to)
{
	return (double)((uint64_t)to - (uint64_t)from);
}

/* The time from the first event of all to the last. */
static double seconds_of(const struct tally_row *total)
{
	return total->has_time ? nanoseconds(total->first, total->last) / 1e9 : 0;
}

/* Text */

static void add_columns(const struct tally *tally, struct text_table *table, int has_lost)
{
	table_column(table, "EVENT", 0);
	if (tally->by)
		table_column(table, tally->by->field.text, 0);
	table_column(table, "COUNT", 1);
	table_column_rank(table, "PER SECOND", 1, 4);
	table_column_rank(table, "BYTES", 1, 3);
	table_column_rank(table, "PROCESSES", 1, 2);
	if (has_lost)
		table_column_rank(table, "LOST BEFORE", 1, 5);
	table_column_rank(table, "FIRST AFTER", 1, 1);
	table_column_rank(table, "LAST AFTER", 1, 1);
}

/* The time is relative to the first event of all. */
static void add_time(const struct tally *tally, const struct tally_row *row, int64_t time,
		     struct text_table *table)
{
	char text[QUANTITY_TEXT_MAX];

	quantity_text(text, nanoseconds(tally->total.first, time), UNIT_NS);
	table_cell(table, row->has_time ? text : "-");
}

static void add_rate(uint64_t count, double seconds, struct text_table *table)
{
	if (seconds > 0)
		table_cellf(table, "%.*f", (double)count / seconds < 100 ? 2 : 0,
			    (double)count / seconds);
	else
		table_cell(table, "-");
}

static void add_row(const struct tally *tally, const struct tally_row *row, double seconds,
		    struct text_table *table, int has_lost)
{
	table_cell(table, row->kind->shown);
	if (tally->by && row->group == GROUP_OTHERS)
		table_cell(table, "(others)");
	else if (tally->by)
		table_value(table, &tally->groups.groups[row->group].value);
	table_cellf(table, "%" PRIu64, row->count);
	add_rate(row->count, seconds, table);
	table_cellf(table, "%" PRIu64, row->bytes);
	table_cellf(table, row->has_pid ? "%" PRIu64 : "-", row->processes);
	if (has_lost)
		table_cellf(table, "%" PRIu64, row->lost);
	add_time(tally, row, row->first, table);
	add_time(tally, row, row->last, table);
}

static void report(const struct tally *tally)
{
	if (tally->by)
		groups_report(&tally->groups, &tally->by->field, tally->others);
	if (tally->other_clock)
		message("cannot compare the times of %" PRIu64 " event%s with those before: they "
			"are of another clock; only their counts are shown",
			tally->other_clock, tally->other_clock == 1 ? "" : "s");
	if (tally->unknown_processes)
		message("cannot count all processes: there are more than %u; "
			"the numbers shown are too low", SEEN_PROCESSES_MAX);
}

static void put_total(const struct tally *tally, const struct tally_row *sum, uint64_t lost,
		      struct bytes *out)
{
	char text[300], span[QUANTITY_TEXT_MAX + DATE_TEXT_MAX + 16] = "", begin[DATE_TEXT_MAX];
	char duration[QUANTITY_TEXT_MAX];

	quantity_text(duration, seconds_of(sum) * 1e9, UNIT_NS);
	time_text(begin, sum->first, tally->is_wall_clock);
	if (sum->has_time)
		snprintf(span, sizeof(span), " in %s from %s on", duration, begin);
	bytes_add(out, text, (size_t)snprintf(text, sizeof(text),
		"%" PRIu64 " event%s%s, %" PRIu64 " bytes, %" PRIu64 " lost\n", sum->count,
		sum->count == 1 ? "" : "s", span, sum->bytes, lost));
}

int tally_is_uncertain(const struct tally *tally)
{
	return tally->groups.shed > 0;
}

void tally_again(struct tally *tally)
{
	struct group_table groups;

	groups_fix(&tally->groups);
	groups = tally->groups;
	tally->groups = (struct group_table){ .most = 0 };
	tally_free(tally);
	tally_begin(tally, tally->by, groups.most);
	tally->groups = groups;
}

/* The groups with most events. */
static void keep_most(struct tally *tally)
{
	apply(tally, groups_keep(&tally->groups, tally->groups.most, NULL));
}

void tally_print(struct tally *tally, uint64_t lost)
{
	const struct tally_row sum = sum_of(tally);
	struct text_table table = { .columns = 0 };
	AUTO(bytes_free) struct bytes out = { 0 };
	AUTO_FREE struct sorted_row *rows;

	keep_most(tally);
	rows = sort(tally);
	add_columns(tally, &table, sum.lost > 0);
	for (uint32_t i = 0; i < tally->row_count; i++)
		add_row(tally, rows[i].row, seconds_of(&sum), &table, sum.lost > 0);
	table_put(&table, &out);
	put_total(tally, &sum, lost, &out);
	bytes_print(&out);
	report(tally);
}

/* JSON */

static void add_members(const struct tally *tally, const struct tally_row *row, double seconds,
			struct bytes *json)
{
	json_count(json, "count", row->count);
	if (seconds > 0)
		json_float(json, "perSecond", (double)row->count / seconds);
	json_count(json, "bytes", row->bytes);
	if (row->has_pid)
		json_count(json, "processes", row->processes);
	if (!row->has_time)
		return;
	json_time(json, "first", row->first, tally->is_wall_clock);
	json_time(json, "last", row->last, tally->is_wall_clock);
}

static void add_group(const struct group *group, struct bytes *json)
{
	json_value(json, "value", &group->value);
	if (group->error)
		json_count(json, "missing", group->error);
}

static void add_object(const struct tally *tally, const struct tally_row *row, double seconds,
		       struct bytes *json)
{
	json_open(json, NULL, '{');
	json_string(json, "provider", row->kind->group);
	json_string(json, "event", row->kind->name);
	if (tally->by && row->group == GROUP_OTHERS)
		json_boolean(json, "others", 1);
	else if (tally->by)
		add_group(&tally->groups.groups[row->group], json);
	add_members(tally, row, seconds, json);
	json_count(json, "lostBefore", row->lost);
	json_close(json, '}');
}

void tally_print_form(struct tally *tally, uint64_t lost, enum answer_form form)
{
	static const char *const members[] = { "rows", NULL };
	const struct tally_row sum = sum_of(tally);
	struct bytes json = { 0 };
	AUTO_FREE struct sorted_row *rows;

	keep_most(tally);
	rows = sort(tally);
	json_open(&json, NULL, '{');
	if (tally->by)
		json_string(&json, "by", tally->by->field.text);
	json_open(&json, "rows", '[');
	for (uint32_t i = 0; i < tally->row_count; i++)
		add_object(tally, rows[i].row, seconds_of(&sum), &json);
	json_close(&json, ']');
	add_members(tally, &sum, seconds_of(&sum), &json);
	json_count(&json, "lost", lost);
	json_close(&json, '}');
	answer_print(&json, form, members);
	report(tally);
}
