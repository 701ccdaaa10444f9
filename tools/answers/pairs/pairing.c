/* SPDX-License-Identifier: MIT */
/* Finds the end of each start. */
#include "pairing.h"

#include <string.h>

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
