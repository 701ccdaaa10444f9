/* SPDX-License-Identifier: MIT */
/* Prints how long pairs of events took, as text or as JSON. */
#include "pairing.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/cli/memory.h"
#include "common/cli/message.h"
#include "common/text/text_table.h"

/* Sums the states of threads between their starts and ends, and prints it. */

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

static void thread_sums_put(const struct histogram_set *set, struct bytes *to)
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

/* Members of an open object. */
static void thread_times_json(const struct thread_times *times, struct bytes *json)
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

/* A member "cpu" of an open object. has_records: of the scheduler. */
static void thread_sums_json(const struct histogram_set *set, int has_records,
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

/* Events that are in no pair, or whose pair is not in the histogram */

struct left_out {
	uint64_t count;
	const char *key; /* the member in JSON */
	const char *one; /* a sentence about one, and about several */
	const char *many;
};

#define LEFT_OUT 9

static void list_left_out(const struct pairing *pairing, struct left_out list[LEFT_OUT])
{
	const struct pairs *pairs = &pairing->pairs;
	const struct left_out all[LEFT_OUT] = {
		{ pairs->count, "neverEnded", "start never ended", "starts never ended" },
		{ pairs->without_start, "withoutStart", "end had no start",
		  "ends had no start" },
		{ pairs->repeated, "repeated",
		  "start was followed by another one with the same key, which replaced it",
		  "starts were followed by another one with the same key, which replaced them" },
		{ pairs->dropped, "dropped", "start was dropped for want of room",
		  "starts were dropped for want of room" },
		{ pairs->without_key, "withoutKey", "event had no key", "events had no key" },
		{ pairs->without_time, "withoutTime", "event had no time",
		  "events had no time" },
		{ pairs->negative, "negative", "pair ended before it started",
		  "pairs ended before they started" },
		{ pairs->other_clock, "otherClock",
		  "pair has times of different clocks, which cannot be compared",
		  "pairs have times of different clocks, which cannot be compared" },
		{ pairing->excluded, "excluded", "pair does not pass --where",
		  "pairs do not pass --where" },
	};

	memcpy(list, all, sizeof(all));
}

/* Starts that never ended */

struct open_request {
	int has_age;
	int64_t age;
	struct bytes line; /* or a JSON object */
};

/* The oldest first. */
static void each_open(struct pairing *pairing, int is_json,
		      void (*take)(const struct open_request *request, struct bytes *to),
		      struct bytes *to)
{
	struct open_start *start = pairing->lists_open ? pairing->pairs.oldest : NULL;
	struct open_request request = { .has_age = 0 };

	for (; start && !pairing->has_failed; start = start->newer) {
		const struct kept_start *kept = (const struct kept_start *)start->data;
		int is_meant;

		request.has_age = !open_start_age(start, &pairing->last, &request.age);
		is_meant = pairing_passes(pairing, kept, NULL, request.has_age, request.age);
		pairing->has_failed |= is_meant < 0;
		if (is_meant <= 0 || !kept->kept.memory)
			continue;
		record_put(&kept->kept.record, is_json, &request.line);
		take(&request, to);
		pairing->listed++;
	}
	bytes_free(&request.line);
}

/* Text */

static void put(struct bytes *to, const char *text)
{
	bytes_add(to, text, strlen(text));
}

/* A glob of the command line. */
static void put_glob(const struct named_events *named, struct bytes *to)
{
	const char *glob = named->globs.items[0];

	value_put(&(struct value){ .type = VALUE_TEXT, .text = glob, .length = strlen(glob) }, to);
}

static const char *key_name(const struct pairing *pairing)
{
	if (pairing->pairs.key == PAIR_BY_FIELD)
		return pairing->asked.field.field.text;
	if (pairing->pairs.key == PAIR_BY_EITHER && pairing->pairs.by_activity && pairing->pairs.by_thread)
		return "activity, or else by thread";
	return pairing->pairs.key == PAIR_BY_THREAD || pairing->pairs.by_thread ? "thread" : "activity";
}

static void put_title(const struct pairing *pairing, struct bytes *to)
{
	if (pairing->asked.has_names) {
		put_glob(&pairing->asked.start, to);
		put(to, " to ");
		put_glob(&pairing->asked.end, to);
	} else {
		put(to, "Opcodes start to stop");
	}
	put(to, ", by ");
	put(to, key_name(pairing));
	put(to, "\n");
}

static void put_left_out(const struct pairing *pairing, struct bytes *to)
{
	struct left_out list[LEFT_OUT];
	char text[150];

	list_left_out(pairing, list);
	for (size_t i = 0; i < LEFT_OUT; i++) {
		if (!list[i].count)
			continue;
		snprintf(text, sizeof(text), "  %" PRIu64 " %s\n", list[i].count,
			 list[i].count == 1 ? list[i].one : list[i].many);
		put(to, text);
	}
}

static void put_line(const struct bytes *line, struct bytes *to)
{
	put(to, "    ");
	bytes_add(to, line->at, line->length);
	put(to, "\n");
}

static void put_left_out_within(uint64_t count, struct bytes *to)
{
	char text[60];

	snprintf(text, sizeof(text), "      %" PRIu64 " further event%s left out\n", count,
		 count == 1 ? " is" : "s are");
	put(to, text);
}

static void put_times(const struct slow_pair *pair, struct bytes *to)
{
	put(to, ": ");
	if (pair->has_times)
		thread_times_put(&pair->times, to);
	else
		put(to, "on several threads");
}

static void put_slowest(const struct slowest_pairs *slowest, int has_threads,
			struct bytes *to)
{
	char duration[QUANTITY_TEXT_MAX];

	if (slowest->count)
		put(to, "\nSlowest:\n");
	for (uint32_t i = 0; i < slowest->count; i++) {
		quantity_text(duration, (double)slowest->items[i].nanoseconds,
			      UNIT_NS);
		put(to, "  ");
		put(to, duration);
		if (has_threads)
			put_times(&slowest->items[i], to);
		put(to, "\n");
		put_line(&slowest->items[i].start, to);
		bytes_add(to, slowest->items[i].within.at, slowest->items[i].within.length);
		if (slowest->items[i].left_out)
			put_left_out_within(slowest->items[i].left_out, to);
		put_line(&slowest->items[i].end, to);
	}
}

static void put_open_start(const struct open_request *request, struct bytes *to)
{
	char age[QUANTITY_TEXT_MAX];

	if (request->has_age)
		quantity_text(age, (double)request->age, UNIT_NS);
	put(to, "  ");
	put(to, request->has_age ? age : "its time cannot be compared");
	put(to, "\n");
	put_line(&request->line, to);
}

static void put_open_starts(struct pairing *pairing, struct bytes *to)
{
	const size_t begun = to->length;

	put(to, "\nNever ended, with their ages at the last event:\n");
	each_open(pairing, 0, put_open_start, to);
	if (!pairing->listed)
		to->length = begun;
}

static void put_text(struct pairing *pairing, int has_pairs, struct bytes *to)
{
	put_title(pairing, to);
	put_left_out(pairing, to);
	if (has_pairs) {
		histogram_set_put(&pairing->set, UNIT_NS, to);
		if (pairing->threads.has_switches)
			thread_sums_put(&pairing->set, to);
		put_slowest(&pairing->slowest, pairing->threads.has_switches, to);
	}
	put_open_starts(pairing, to);
}

/* JSON */

static void add_times(const struct slow_pair *pair, struct bytes *json)
{
	if (!pair->has_times) {
		json_string(json, "cpu", NULL);
		return;
	}
	json_open(json, "cpu", '{');
	thread_times_json(&pair->times, json);
	json_close(json, '}');
}

static void add_slowest(const struct slowest_pairs *slowest, int has_threads,
			struct bytes *json)
{
	json_open(json, "slowest", '[');
	for (uint32_t i = 0; i < slowest->count; i++) {
		const struct slow_pair *pair = &slowest->items[i];

		if (!pair->end.length)
			continue;
		json_open(json, NULL, '{');
		json_count(json, "nanoseconds", (uint64_t)pair->nanoseconds);
		if (has_threads)
			add_times(pair, json);
		json_raw(json, "start", pair->start.at, pair->start.length);
		json_raw(json, "end", pair->end.at, pair->end.length);
		if (slowest->has_within) {
			json_raw(json, "within", pair->within.at, pair->within.length);
			json_count(json, "leftOut", pair->left_out);
		}
		json_close(json, '}');
	}
	json_close(json, ']');
}

static void add_open_start(const struct open_request *request, struct bytes *json)
{
	json_open(json, NULL, '{');
	if (request->has_age)
		json_count(json, "nanoseconds", (uint64_t)request->age);
	else
		json_float(json, "nanoseconds", NAN);
	json_raw(json, "start", request->line.at, request->line.length);
	json_close(json, '}');
}

static void put_json(struct pairing *pairing, struct bytes *json)
{
	struct left_out list[LEFT_OUT];

	json_open(json, NULL, '{');
	json_string(json, "start", pairing->asked.has_names ? pairing->asked.start.globs.items[0] : NULL);
	json_string(json, "end", pairing->asked.has_names ? pairing->asked.end.globs.items[0] : NULL);
	json_string(json, "key", key_name(pairing));
	json_string(json, "unit", "ns");
	list_left_out(pairing, list);
	for (size_t i = 0; i < LEFT_OUT; i++)
		json_count(json, list[i].key, list[i].count);
	histogram_set_json(&pairing->set, json);
	if (pairing->has_threads)
		thread_sums_json(&pairing->set, pairing->threads.has_switches, json);
	add_slowest(&pairing->slowest, pairing->has_threads, json);
	if (pairing->lists_open) {
		json_open(json, "open", '[');
		each_open(pairing, 1, add_open_start, json);
		json_close(json, ']');
	}
	json_close(json, '}');
}

/* The time of threads is known of values of --by and of all pairs, not of buckets. */
static const char *const members_with_threads[] = { "groups", "", NULL };

/* Both */

/* The message if there are no pairs. */
static void complain(const struct pairing *pairing)
{
	const struct pairs *pairs = &pairing->pairs;

	if (pairing->excluded) {
		if (!where_report(pairing->where))
			message("cannot find pairs: none of %" PRIu64 " passes \"%s\"",
				pairing->excluded, pairing->expression);
		return;
	}
	if (asked_pairs_report(&pairing->asked, pairing->kinds, "-e and the times"))
		return;
	if (!pairs->starts && !pairs->ends && !pairs->without_key && !pairs->without_time)
		message("cannot find pairs: no EventHeader event has the opcode start or stop; "
			"name the events: latency START STOP");
	else if (pairs->without_key && !pairs->starts && !pairs->ends)
		message("cannot find pairs: none of %" PRIu64 " events has the key; --key FIELD, "
			"--activity and --thread choose it",
			pairs->without_key);
	else
		message("cannot find pairs: no start was followed by an end with the same key; "
			"--key FIELD, --activity and --thread choose it");
}

int pairing_report(struct pairing *pairing)
{
	if (pairing->pairs.dropped)
		message("cannot find the end of %" PRIu64 " start%s: dropped for want of room; "
			"--max-open keeps more",
			pairing->pairs.dropped,
			PLURAL(pairing->pairs.dropped));
	asked_pairs_warn(&pairing->asked);
	if (!pairing->has_failed && !pairing->set.others.count)
		complain(pairing);
	return pairing->has_failed || pairing->pairs.dropped || !pairing->set.others.count;
}

/* 1 after a message if the states of threads are unknown. */
static int report_threads(const struct pairing *pairing)
{
	if (!pairing->has_threads || pairing->threads.has_switches)
		return 0;
	message("cannot print what threads did in pairs: there is no record of "
		"sched_switch; record with userevents record --sched");
	return 1;
}

int pairing_has_pairs(const struct pairing *pairing)
{
	AUTO(histogram_free) struct histogram sum = histogram_set_sum(&pairing->set);

	return sum.count > 0;
}

int pairing_print(struct pairing *pairing, enum answer_form form)
{
	const int has_pairs = pairing_has_pairs(pairing);
	struct bytes out = { .length = 0 };

	if (pairing->has_failed)
		return 1;
	if (form) {
		put_json(pairing, &out);
		answer_print(&out, form, pairing->has_threads ? members_with_threads : histogram_members);
	} else {
		put_text(pairing, has_pairs, &out);
		bytes_print(&out);
		bytes_free(&out);
	}
	histogram_set_report(&pairing->set);
	asked_pairs_warn(&pairing->asked);
	if (!has_pairs && !pairing->listed)
		complain(pairing);
	pairs_report(&pairing->pairs, "; --max-open N keeps more");
	families_report(&pairing->families);
	return report_threads(pairing) || (!has_pairs && !pairing->listed) ||
	       pairing->has_failed || pairing->pairs.dropped;
}
