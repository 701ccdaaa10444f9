/* SPDX-License-Identifier: MIT */
/* Finds the end of each start. */
#include "pairing.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/cli/message.h"
#include "common/text/text_table.h"

static void leave(void *context, struct open_start *start, enum pair_fate fate)
{
	struct pairing *pairing = context;
	struct kept_start *kept = (struct kept_start *)start->data;

	(void)fate;
	pairing->within_bytes -= kept->bytes;
	kept_start_free(kept);
}

/* Pairs */

static void group_of(struct pairing *pairing, struct event *event, struct value *by)
{
	*by = (struct value){ .type = VALUE_NONE };
	if (pairing->set.by)
		asked_field_get(pairing->set.by, event, by);
}

static int passes_where(struct pairing *pairing, struct where *where,
			const struct kept_start *start, struct event *stop, int has_duration,
			int64_t nanoseconds)
{
	struct event begun;
	const struct where_pair pair = {
		.start = &begun, .stop = stop, .duration = nanoseconds,
		.has_duration = has_duration,
	};

	if (!start->kept.memory)
		return 0;
	event_read(&begun, &start->kept.record, pairing->kinds);
	return where_passes_pair(where, &pair);
}

/* 1, 0, or -1 after a message. stop: NULL, if there is none; then the duration is so far. */
static int passes(struct pairing *pairing, const struct kept_start *start, struct event *stop,
		  int has_duration, int64_t nanoseconds)
{
	return pairing->where ? passes_where(pairing, pairing->where, start, stop, has_duration,
					     nanoseconds) : 1;
}

/* 0, or -1 after a message. */
static int compare_pair(struct pairing *pairing, const struct kept_start *start,
			struct event *stop, int64_t nanoseconds)
{
	const struct value value = { .type = VALUE_SIGNED, .whole = nanoseconds };
	int side = pairing->side;

	if (pairing->split)
		side = passes_where(pairing, pairing->split, start, stop, 1, nanoseconds);
	if (side < 0) {
		pairing->has_failed = 1;
		return -1;
	}
	comparison_value(pairing->comparison, comparison_row(pairing->comparison, NULL), side,
			 stop->record, &value);
	return 0;
}

/* What its thread did: times, or NULL if it is not of one thread. */
static const struct thread_times *times_of(struct pairing *pairing,
					   const struct kept_start *start,
					   const struct event *event, int64_t nanoseconds,
					   struct thread_times *times)
{
	if (!pairing->has_threads || !start->kept.memory ||
	    !thread_states_end(&pairing->threads, event->record, &start->mark,
			       nanoseconds, times))
		return NULL;
	return times;
}

static int count_pair(struct pairing *pairing, const struct open_start *ended,
		      struct event *event, int64_t nanoseconds)
{
	const struct kept_start *start = (const struct kept_start *)ended->data;
	const int is_meant = passes(pairing, start, event, 1, nanoseconds);
	struct thread_times kept_times;
	const struct thread_times *times;
	struct histogram *histogram;
	struct value by = start->by;

	if (is_meant <= 0) {
		pairing->excluded += !is_meant;
		pairing->has_failed |= is_meant < 0;
		return is_meant;
	}
	if (pairing->comparison && compare_pair(pairing, start, event, nanoseconds))
		return -1;
	if (by.type == VALUE_NONE)
		group_of(pairing, event, &by);
	histogram = histogram_set_find(&pairing->set, &by);
	histogram_add_whole(histogram, nanoseconds);
	times = times_of(pairing, start, event, nanoseconds, &kept_times);
	if (times)
		thread_sums_add(histogram, times);
	if (start->kept.memory)
		slowest_pairs_offer(&pairing->slowest, nanoseconds, ended, event->record,
				    times);
	return 0;
}

#define DEPTH_MAX 8 /* calls around an event that know it */

static void add_to(struct pairing *pairing, struct open_start *start, const struct event *event,
		   uint32_t depth)
{
	struct kept_start *kept = (struct kept_start *)start->data;

	if (kept->count < WITHIN_MAX && pairing->within_bytes < WITHIN_BYTES)
		pairing->within_bytes += kept_start_add(kept, event->record, depth);
	else
		kept->left_out++;
}

/* An event of an activity is also within the starts of its parents. */
static void add_to_parents(struct pairing *pairing, const struct event *event)
{
	struct families *families = &pairing->families;
	uint32_t member = family_of(families, event);

	for (uint32_t depth = 1; member != FAMILY_NONE && depth <= FAMILY_DEPTH; depth++) {
		struct open_start *start;

		member = family_parent(families, member);
		start = member == FAMILY_NONE ? NULL :
			pairs_of_activity(&pairing->pairs, family_id(families, member));
		if (start)
			add_to(pairing, start, event, depth);
	}
	families->too_deep += member != FAMILY_NONE &&
			      family_parent(families, member) != FAMILY_NONE;
}

/* An event happened within starts; one that starts or ends something, within those around. */
static void add_within(struct pairing *pairing, struct event *event, const struct pair *pair)
{
	struct open_start *start = pair->opened ? open_start_around(pair->opened) :
						  pairs_around(&pairing->pairs, event);

	for (int i = 0; start && i < DEPTH_MAX; i++, start = open_start_around(start))
		add_to(pairing, start, event, 0);
	add_to_parents(pairing, event);
}

static void open(struct pairing *pairing, struct event *event, struct open_start *opened)
{
	struct value by;

	group_of(pairing, event, &by);
	if (pairing->has_threads)
		thread_states_begin(&pairing->threads, event->record,
				    &((struct kept_start *)opened->data)->mark);
	pairs_weigh(&pairing->pairs, opened,
		    kept_start_fill((struct kept_start *)opened->data, &by, event->record));
}

static int take(struct sink *sink, struct event *event)
{
	struct pairing *pairing = (struct pairing *)sink;
	struct pair pair;

	if (pairing->lists_open && event->record->sample.present & UE_META_TIME)
		pairing->last = *event->record;
	if (!pairs_take(&pairing->pairs, event, &pair) && !pairing->slowest.has_within)
		return 0;
	if (pairing->slowest.has_within) {
		families_see(&pairing->families, event);
		add_within(pairing, event, &pair);
	}
	if (pair.ended && count_pair(pairing, pair.ended, event, pair.nanoseconds) < 0)
		return -1;
	if (pair.opened)
		open(pairing, event, pair.opened);
	return 0;
}

static int take_with_threads(struct sink *sink, struct event *event)
{
	thread_states_see(&((struct pairing *)sink)->threads, event->record);
	return take(sink, event);
}

static int take_sched(struct sink *sink, const struct record *record)
{
	thread_states_take(&((struct pairing *)sink)->threads, record);
	return 0;
}

void pairing_follow_threads(struct pairing *pairing, const struct stream *stream)
{
	pairing->has_threads = 1;
	pairing->set.more = thread_sums_more;
	pairing->threads.lost = &stream->lost_before;
	pairing->threads.doubt_until = &stream->doubt_until;
	pairing->pairs.data_size = sizeof(struct kept_start);
	pairing->sink.take = take_with_threads;
	pairing->sink.take_sched = take_sched;
}

int pairing_choose(struct pairing *pairing, const char *expression)
{
	pairing->expression = expression;
	pairing->where = where_parse_pairs(expression);
	return pairing->where ? 0 : -1;
}

int pairing_begin(struct pairing *pairing, const struct pair_options *options,
		  struct event_kinds *kinds)
{
	*pairing = (struct pairing){
		.sink = { .take = take },
		.kinds = kinds,
		.pairs = {
			.data_size = offsetof(struct kept_start, mark),
			.context = pairing,
			.leave = leave,
		},
	};
	return asked_pairs_begin(&pairing->asked, options, &pairing->pairs);
}

void pairing_again(struct pairing *pairing)
{
	const struct pairs options = pairing->pairs;
	const struct thread_states threads = pairing->threads;

	histogram_set_again(&pairing->set);
	pairs_free(&pairing->pairs);
	pairing->pairs = (struct pairs){
		.data_size = options.data_size,
		.context = pairing,
		.asked = &pairing->asked,
		.role = options.role,
		.field = options.field,
		.leave = options.leave,
		.key = options.key,
		.most = options.most,
	};
	families_free(&pairing->families);
	thread_states_free(&pairing->threads);
	pairing->threads = (struct thread_states){
		.lost = threads.lost, .doubt_until = threads.doubt_until,
	};
	slowest_pairs_free(&pairing->slowest);
	pairing->slowest.items = NULL;
	pairing->slowest.count = 0;
	pairing->excluded = pairing->listed = 0;
	pairing->asked.start.found = pairing->asked.end.found = 0;
	pairing->asked.field.found = pairing->asked.field.missing = 0;
	pairing->set.by->found = pairing->set.by->missing = 0;
}

void pairing_free(struct pairing *pairing)
{
	asked_pairs_free(&pairing->asked);
	histogram_set_free(&pairing->set);
	slowest_pairs_free(&pairing->slowest);
	pairs_free(&pairing->pairs);
	families_free(&pairing->families);
	thread_states_free(&pairing->threads);
	where_free(pairing->where);
	where_free(pairing->split);
}

/* Prints how long pairs of events took, as text or as JSON. */

/* Events that are in no pair, or whose pair is not in the histogram */

struct left_out {
	uint64_t count;
	const char *key;  /* in JSON */
	const char *one;  /* a sentence about one, and about several */
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
		is_meant = passes(pairing, kept, NULL, request.has_age, request.age);
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

	value_put(&(struct value){ .type = VALUE_TEXT, .text = glob,
				   .length = strlen(glob) }, to);
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

/* What threads did is known of values of --by and of all pairs, not of buckets. */
static const char *const members_with_threads[] = { "groups", "", NULL };

/* Both */

/* Without pairs. */
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
			"--activity and --thread choose it", pairs->without_key);
	else
		message("cannot find pairs: no start was followed by an end with the same key; "
			"--key FIELD, --activity and --thread choose it");
}

int pairing_report(struct pairing *pairing)
{
	if (pairing->pairs.dropped)
		message("cannot find the end of %" PRIu64 " start%s: dropped for want of room; "
			"--max-open keeps more", pairing->pairs.dropped,
			PLURAL(pairing->pairs.dropped));
	if (!pairing->has_failed && !pairing->set.others.count)
		complain(pairing);
	return pairing->has_failed || pairing->pairs.dropped || !pairing->set.others.count;
}

/* 1 after a message if nothing tells what threads did. */
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
	struct histogram sum = histogram_set_sum(&pairing->set);
	const int has_pairs = sum.count > 0;

	histogram_free(&sum);
	return has_pairs;
}

int pairing_print(struct pairing *pairing, enum answer_form form)
{
	const int has_pairs = pairing_has_pairs(pairing);
	struct bytes out = { .length = 0 };

	if (pairing->has_failed)
		return 1;
	if (form) {
		put_json(pairing, &out);
		answer_print(&out, form, pairing->has_threads ? members_with_threads :
							       histogram_members);
	} else {
		put_text(pairing, has_pairs, &out);
		bytes_print(&out);
		bytes_free(&out);
	}
	histogram_set_report(&pairing->set);
	if (!has_pairs && !pairing->listed)
		complain(pairing);
	pairs_report(&pairing->pairs, "; --max-open N keeps more");
	families_report(&pairing->families);
	return report_threads(pairing) || (!has_pairs && !pairing->listed) ||
	       pairing->has_failed || pairing->pairs.dropped;
}
