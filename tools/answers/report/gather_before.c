/* SPDX-License-Identifier: MIT */
/*
 * Gathers what happened before an error, or before the end of a slow pair: events of the same
 * thread, as these also tell of activities within it, and of others that kept it busy.
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

static int is_old(const struct recent_event *kept, int64_t now)
{
	return now > time_of(kept) &&
	       (uint64_t)now - (uint64_t)time_of(kept) > (uint64_t)BEFORE_NS;
}

static void forget(struct recent_events *recent, int64_t now)
{
	while (recent->oldest < recent->next &&
	       (recent->bytes > RECENT_BYTES || is_old(recent_at(recent, recent->oldest), now)))
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

void before_find(struct facts *facts, struct event *event, struct before *before)
{
	const struct recent_events *recent = &facts->recent;
	const int64_t now = event->record->sample.time;
	const uint8_t *activity = event->info ? event->info->activity_id : NULL;
	struct value key;
	struct recent_event *kept;
	uint64_t place;

	if (!event_thread(event, &key))
		return;
	before->lines = xcalloc(BEFORE_LINES, sizeof(*before->lines));
	for (kept = recent_last(recent, &key); kept; kept = recent_find(recent, &place, &key)) {
		place = kept->previous;
		if (is_old(kept, now) || time_of(kept) > now)
			continue;
		if (before->count < BEFORE_LINES)
			put_line(facts, kept, activity, &before->lines[before->count++]);
		else if (++before->left_out == BEFORE_COUNTED)
			return;
	}
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

	forget(&facts->recent, event->record->sample.time);
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
	before_find(facts, event, &error->before);
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
