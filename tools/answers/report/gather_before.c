/* SPDX-License-Identifier: MIT */
/*
 * Gathers what happened before an error, or within a slow pair: events of the same thread, as
 * these also tell of activities within it, and of others that kept it busy.
 */
#include <stdlib.h>
#include <string.h>

#include "common/cli/memory.h"
#include "facts.h"

#define RECENT_BYTES ((uint64_t)8 << 20)

static int64_t time_of(const struct recent_event *kept)
{
	return kept->copy.record.sample.time;
}

/* All that there is room for: what made a slow pair slow is as old as that is long. */
static void forget(struct recent_events *recent)
{
	while (recent->oldest < recent->next && recent->bytes > RECENT_BYTES)
		recent_forget(recent);
}

static int is_of_activity(const struct event *event, const uint8_t *activity)
{
	return activity && event->info && activity_is_set(event->info->activity_id) &&
	       !memcmp(event->info->activity_id, activity, ACTIVITY_SIZE);
}

static void put_line(struct facts *facts, const struct recent_event *kept,
		     const uint8_t *activity, struct line_before *line)
{
	struct event event = { .record = NULL };

	event_read(&event, &kept->copy.record, facts->of_source);
	line->time = time_of(kept);
	line->kind = event.kind;
	line->is_own = is_of_activity(&event, activity);
	line->text = event_line(facts, &event);
}

/* The newest of a thread from one time to another, the last first. */
static uint32_t collect(const struct facts *facts, const struct value *key, int64_t from,
			int64_t to, const struct recent_event *found[BEFORE_COUNTED])
{
	const struct recent_events *recent = &facts->recent;
	struct recent_event *kept = recent_last(recent, key);
	uint32_t count = 0;
	uint64_t place;

	for (; kept && count < BEFORE_COUNTED; kept = recent_find(recent, &place, key)) {
		place = kept->previous;
		if (time_of(kept) < from)
			break;
		if (time_of(kept) <= to)
			found[count++] = kept;
	}
	return count;
}

/* The last ones, and if there are more, the first ones. */
static void put_lines(struct facts *facts, const struct recent_event *const *found,
		      uint32_t count, const uint8_t *activity, struct before *before)
{
	const uint32_t last = count > BEFORE_LINES ? BEFORE_LINES / 2 : count;
	const uint32_t first = count > BEFORE_LINES ? BEFORE_LINES / 2 : 0;

	before->lines = xcalloc(BEFORE_LINES, sizeof(*before->lines));
	before->left_out = count - last - first;
	before->last = last;
	for (uint32_t i = 0; i < last; i++)
		put_line(facts, found[i], activity, &before->lines[before->count++]);
	for (uint32_t i = count - first; i < count; i++)
		put_line(facts, found[i], activity, &before->lines[before->count++]);
}

static void find(struct facts *facts, const struct value *key, int64_t from, int64_t to,
		 const uint8_t *activity, struct before *before)
{
	const struct recent_event *found[BEFORE_COUNTED];
	const uint32_t count = collect(facts, key, from, to, found);

	*before = (struct before){ .is_asked = 1 };
	if (count)
		put_lines(facts, found, count, activity, before);
}

void before_find(struct facts *facts, struct event *event, int64_t from,
		 struct before *before)
{
	struct value key;

	if (event_thread(event, &key))
		find(facts, &key, from, event->record->sample.time,
		     event->info ? event->info->activity_id : NULL, before);
}

void before_find_open(struct facts *facts, const struct lane *lane, int64_t from,
		      struct before *before)
{
	const struct value key = {
		.type = VALUE_UNSIGNED,
		.whole = (int64_t)((uint64_t)lane->pid << 32 | lane->tid),
	};

	if (lane->has_tid && !lane->is_rest)
		find(facts, &key, from, INT64_MAX, NULL, before);
}

void before_free(struct before *before)
{
	for (uint32_t i = 0; i < before->count; i++)
		free(before->lines[i].text);
	free(before->lines);
}

void before_keep(struct facts *facts, struct event *event)
{
	struct value key;

	forget(&facts->recent);
	if (event_thread(event, &key))
		recent_keep(&facts->recent, event->record, &key);
}

/* Errors */

static uint32_t errors_of(const struct facts *facts, const struct event_kind *kind)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < facts->error_count; i++)
		count += facts->errors[i].kind == kind;
	return count;
}

uint32_t error_take(struct facts *facts, struct event *event, const struct lane *lane)
{
	struct error *error;

	if (facts->error_count == ERRORS_GATHERED ||
	    errors_of(facts, event->kind) == ERRORS_OF_KIND)
		return 0;
	facts->errors = xgrow(facts->errors, facts->error_count, sizeof(*facts->errors));
	error = &facts->errors[facts->error_count++];
	*error = (struct error){
		.time = event->record->sample.time,
		.lane = lane->number,
		.kind = event->kind,
		.text = event_line(facts, event),
	};
	before_find(facts, event, time_before(event->record->sample.time, BEFORE_NS),
		    &error->before);
	return facts->error_count;
}

void errors_free(struct facts *facts)
{
	for (uint32_t i = 0; i < facts->error_count; i++) {
		free(facts->errors[i].text);
		before_free(&facts->errors[i].before);
	}
	free(facts->errors);
	recent_free(&facts->recent);
}
