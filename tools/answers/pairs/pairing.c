/* SPDX-License-Identifier: MIT */
/* Finds the end of each start. */
#include "pairing.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/cli/message.h"
#include "common/text/text_table.h"

/* Keys */

static int activity_of(const struct event *event, struct value *key)
{
	if (!event->info || !event->info->activity_id)
		return 0;
	*key = (struct value){
		.type = VALUE_BYTES,
		.text = (const char *)event->info->activity_id,
		.length = 16,
	};
	return 1;
}

/* Several files may come from machines that have threads of one number. */
static int thread_of(const struct event *event, struct value *key)
{
	const struct ue_sample *sample = &event->record->sample;

	if (!(sample->present & UE_META_TID))
		return 0;
	*key = (struct value){
		.type = VALUE_UNSIGNED,
		.whole = (int64_t)((uint64_t)sample->pid << 32 | sample->tid),
	};
	return 1;
}

static int field_of(struct pairing *pairing, struct event *event, struct value *key)
{
	return asked_field_get(&pairing->field, event, key) && key->type != VALUE_COMPOUND;
}

/* is_nested: whether several starts with this key may be open. */
static int key_of(struct pairing *pairing, struct event *event, struct value *key,
		  int *is_nested)
{
	*is_nested = 0;
	if (pairing->key == PAIR_BY_FIELD)
		return field_of(pairing, event, key);
	if (pairing->key != PAIR_BY_THREAD && activity_of(event, key))
		return 1;
	*is_nested = 1;
	return pairing->key != PAIR_BY_ACTIVITY && thread_of(event, key);
}

/* Pairs */

static void group_of(struct pairing *pairing, struct event *event, struct value *by)
{
	*by = (struct value){ .type = VALUE_NONE };
	if (pairing->set.by)
		asked_field_get(pairing->set.by, event, by);
}

#define SECOND 1000000000

/*
 * The wall clock may be set back, by nanoseconds too, so the clock of the recording is better.
 * Two recordings have one such clock if both clocks went on alike.
 */
static int has_one_clock(const struct record *one, const struct record *other)
{
	const uint64_t one_ahead = (uint64_t)one->sample.time - (uint64_t)one->clock_time;
	const uint64_t other_ahead = (uint64_t)other->sample.time - (uint64_t)other->clock_time;

	return one->has_clock_time && other->has_clock_time &&
	       one_ahead - other_ahead + SECOND < 2 * (uint64_t)SECOND;
}

/* 0, or -1 if it is below 0. */
static int duration_of(const struct record *from, const struct record *to,
		       int64_t *nanoseconds)
{
	const int is_by_clock = has_one_clock(from, to);
	const int64_t begin = is_by_clock ? from->clock_time : from->sample.time;
	const int64_t end = is_by_clock ? to->clock_time : to->sample.time;

	return end < begin || __builtin_sub_overflow(end, begin, nanoseconds) ? -1 : 0;
}

static void count_pair(struct pairing *pairing, const struct open_start *start,
		       struct event *event)
{
	const struct record *from = &start->record, *to = event->record;
	struct value by = start->by;
	int64_t nanoseconds;

	if (!from->sample.is_wall_clock != !to->sample.is_wall_clock) {
		pairing->other_clock++;
		return;
	}
	if (duration_of(from, to, &nanoseconds)) {
		pairing->negative++;
		return;
	}
	if (by.type == VALUE_NONE)
		group_of(pairing, event, &by);
	histogram_add_whole(histogram_set_find(&pairing->set, &by), nanoseconds);
	slowest_pairs_offer(&pairing->slowest, nanoseconds, &start->record, event->record);
}

static void end_pair(struct pairing *pairing, struct event *event, const struct value *key,
		     int is_nested, int is_start)
{
	struct open_start *start = open_starts_find(&pairing->open, key);

	pairing->ends++;
	if (!start) {
		pairing->without_start += !is_start;
		return;
	}
	pairing->by_activity += !is_nested && pairing->key != PAIR_BY_FIELD;
	pairing->by_thread += (uint64_t)is_nested;
	count_pair(pairing, start, event);
	open_starts_remove(&pairing->open, start);
}

static void start_pair(struct pairing *pairing, struct event *event, const struct value *key,
		       int is_nested)
{
	struct open_start *open = is_nested ? NULL : open_starts_find(&pairing->open, key);
	struct value by;

	pairing->starts++;
	if (open) {
		open_starts_remove(&pairing->open, open);
		pairing->repeated++;
	}
	group_of(pairing, event, &by);
	open_starts_add(&pairing->open, key, &by, event->record);
}

/* Events */

static void read_opcode(const struct event *event, int *is_start, int *is_end)
{
	const int opcode = event->info ? event->info->opcode : UE_OPCODE_INFO;

	*is_start = opcode == UE_OPCODE_ACTIVITY_START;
	*is_end = opcode == UE_OPCODE_ACTIVITY_STOP;
}

/* An event that both name is both only if they are the same; otherwise it is an end. */
static void read_names(struct pairing *pairing, const struct event *event, int *is_start,
		       int *is_end)
{
	*is_end = named_events_has(&pairing->end, event->kind);
	*is_start = named_events_has(&pairing->start, event->kind) &&
		    (pairing->is_same || !*is_end);
}

static int take(struct sink *sink, struct event *event)
{
	struct pairing *pairing = (struct pairing *)sink;
	int is_start, is_end, is_nested;
	struct value key;

	if (pairing->has_names)
		read_names(pairing, event, &is_start, &is_end);
	else
		read_opcode(event, &is_start, &is_end);
	if (!is_start && !is_end)
		return 0;
	if (!(event->record->sample.present & UE_META_TIME)) {
		pairing->without_time++;
	} else if (!key_of(pairing, event, &key, &is_nested)) {
		pairing->without_key++;
	} else {
		if (is_end)
			end_pair(pairing, event, &key, is_nested, is_start);
		if (is_start)
			start_pair(pairing, event, &key, is_nested);
	}
	return 0;
}

void pairing_begin(struct pairing *pairing, const char *start, const char *end)
{
	*pairing = (struct pairing){
		.sink = { .take = take },
		.has_names = start != NULL,
		.is_same = start && !strcmp(start, end),
	};
	if (start)
		named_events_begin(&pairing->start, start);
	if (end)
		named_events_begin(&pairing->end, end);
}

void pairing_free(struct pairing *pairing)
{
	named_events_free(&pairing->start);
	named_events_free(&pairing->end);
	asked_field_free(&pairing->field);
	histogram_set_free(&pairing->set);
	slowest_pairs_free(&pairing->slowest);
	open_starts_free(&pairing->open);
}

/* Prints how long pairs of events took, as text or as JSON. */

/* Events that are in no pair, or whose pair is not in the histogram */

struct left_out {
	uint64_t count;
	const char *key;  /* in JSON */
	const char *one;  /* a sentence about one, and about several */
	const char *many;
};

#define LEFT_OUT 8

static void list_left_out(const struct pairing *pairing, struct left_out list[LEFT_OUT])
{
	const struct left_out all[LEFT_OUT] = {
		{ pairing->open.count, "neverEnded", "start never ended", "starts never ended" },
		{ pairing->without_start, "withoutStart", "end had no start",
		  "ends had no start" },
		{ pairing->repeated, "repeated",
		  "start was followed by another one with the same key, which replaced it",
		  "starts were followed by another one with the same key, which replaced them" },
		{ pairing->open.dropped, "dropped", "start was dropped for want of room",
		  "starts were dropped for want of room" },
		{ pairing->without_key, "withoutKey", "event had no key", "events had no key" },
		{ pairing->without_time, "withoutTime", "event had no time",
		  "events had no time" },
		{ pairing->negative, "negative", "pair ended before it started",
		  "pairs ended before they started" },
		{ pairing->other_clock, "otherClock",
		  "pair has times of different clocks, which cannot be compared",
		  "pairs have times of different clocks, which cannot be compared" },
	};

	memcpy(list, all, sizeof(all));
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
	if (pairing->key == PAIR_BY_FIELD)
		return pairing->field.field.text;
	if (pairing->key == PAIR_BY_EITHER && pairing->by_activity && pairing->by_thread)
		return "activity, or else by thread";
	return pairing->key == PAIR_BY_THREAD || pairing->by_thread ? "thread" : "activity";
}

static void put_title(const struct pairing *pairing, struct bytes *to)
{
	if (pairing->has_names) {
		put_glob(&pairing->start, to);
		put(to, " to ");
		put_glob(&pairing->end, to);
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

static void put_slowest(const struct slowest_pairs *slowest, struct bytes *to)
{
	char duration[QUANTITY_TEXT_MAX];

	if (slowest->count)
		put(to, "\nSlowest:\n");
	for (uint32_t i = 0; i < slowest->count; i++) {
		quantity_text(duration, (double)slowest->items[i].nanoseconds,
			      UNIT_NS);
		put(to, "  ");
		put(to, duration);
		put(to, "\n");
		put_line(&slowest->items[i].start, to);
		put_line(&slowest->items[i].end, to);
	}
}

static void put_text(const struct pairing *pairing, int has_pairs, struct bytes *to)
{
	put_title(pairing, to);
	put_left_out(pairing, to);
	if (!has_pairs)
		return;
	histogram_set_put(&pairing->set, UNIT_NS, to);
	put_slowest(&pairing->slowest, to);
}

/* JSON */

static void add_slowest(const struct slowest_pairs *slowest, struct bytes *json)
{
	json_open(json, "slowest", '[');
	for (uint32_t i = 0; i < slowest->count; i++) {
		const struct slow_pair *pair = &slowest->items[i];

		if (!pair->end.length)
			continue;
		json_open(json, NULL, '{');
		json_count(json, "nanoseconds", (uint64_t)pair->nanoseconds);
		json_raw(json, "start", pair->start.at, pair->start.length);
		json_raw(json, "end", pair->end.at, pair->end.length);
		json_close(json, '}');
	}
	json_close(json, ']');
}

static void put_json(const struct pairing *pairing, struct bytes *json)
{
	struct left_out list[LEFT_OUT];

	json_open(json, NULL, '{');
	json_string(json, "start", pairing->has_names ? pairing->start.globs.items[0] : NULL);
	json_string(json, "end", pairing->has_names ? pairing->end.globs.items[0] : NULL);
	json_string(json, "key", key_name(pairing));
	json_string(json, "unit", "ns");
	list_left_out(pairing, list);
	for (size_t i = 0; i < LEFT_OUT; i++)
		json_count(json, list[i].key, list[i].count);
	histogram_set_json(&pairing->set, json);
	add_slowest(&pairing->slowest, json);
	json_close(json, '}');
	bytes_add(json, "\n", 1);
}

/* Both */

/* Without pairs. */
static void complain(const struct pairing *pairing, const struct event_kinds *kinds)
{
	if (pairing->has_names && (named_events_report(&pairing->start, kinds) ||
				   named_events_report(&pairing->end, kinds)))
		return;
	if (pairing->key == PAIR_BY_FIELD && asked_field_report(&pairing->field))
		return;
	if (!pairing->starts && !pairing->ends && !pairing->without_key && !pairing->without_time)
		message("cannot find pairs: no EventHeader event has the opcode start or stop; "
			"name the events: latency START STOP");
	else if (pairing->without_key && !pairing->starts && !pairing->ends)
		message("cannot find pairs: none of %" PRIu64 " events has the key; --key FIELD, "
			"--activity and --thread choose it", pairing->without_key);
	else
		message("cannot find pairs: no start was followed by an end with the same key; "
			"--key FIELD, --activity and --thread choose it");
}

int pairing_print(const struct pairing *pairing, const struct event_kinds *kinds, int is_json)
{
	struct histogram sum = histogram_set_sum(&pairing->set);
	const int has_pairs = sum.count > 0;
	struct bytes out = { .length = 0 };

	histogram_free(&sum);
	if (is_json)
		put_json(pairing, &out);
	else
		put_text(pairing, has_pairs, &out);
	bytes_print(&out);
	bytes_free(&out);
	histogram_set_report(&pairing->set);
	if (!has_pairs)
		complain(pairing, kinds);
	if (pairing->open.dropped)
		message("cannot keep all starts: more than %u were open, or their events took "
			"more than 64 MiB, and %" PRIu64 " were dropped; --max-open N keeps more",
			pairing->open.most, pairing->open.dropped);
	return !has_pairs || pairing->open.dropped;
}
