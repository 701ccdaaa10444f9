/* SPDX-License-Identifier: MIT */
/*
 * Gathers the events before an error, or within a slow pair: events of the same thread,
 * as these also tell of activities within it, and of others that kept it busy; and events
 * of child activities on other threads.
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

/* All that there is room for: the cause of a slow pair is as old as that is long. */
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

/* Families */

static uint32_t generation_of(const struct families *families, const struct event *event)
{
	return family_generation(families, family_of(families, event));
}

/* How far the event's activity is below this one; 0: it is not. */
static uint32_t depth_below(const struct families *families, const struct event *event,
			    const uint8_t *activity)
{
	uint32_t member = activity_is_set(activity) ? family_of(families, event) : FAMILY_NONE;

	for (uint32_t depth = 1; member != FAMILY_NONE && depth <= FAMILY_DEPTH; depth++) {
		member = family_parent(families, member);
		if (member != FAMILY_NONE &&
		    !memcmp(family_id(families, member), activity, ACTIVITY_SIZE))
			return depth;
	}
	return 0;
}

static void put_line(struct facts *facts, const struct recent_event *kept,
		     const uint8_t *activity, struct line_before *line)
{
	const struct families *families = &facts->families;
	struct event event = { .record = NULL };

	event_read(&event, &kept->copy.record, facts->of_source);
	line->time = time_of(kept);
	line->kind = event.kind;
	line->is_own = is_of_activity(&event, activity);
	line->depth = kept->depth;
	/* one of the thread, unless its id is that of another activity now */
	if (!line->depth && kept->generation == generation_of(families, &event))
		line->depth = depth_below(families, &event, activity);
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

static struct value key_of_activity(const uint8_t *id)
{
	return (struct value){ .type = VALUE_BYTES, .length = ACTIVITY_SIZE,
			       .text = (const char *)id };
}

/* One of a child of this activity, not of another one that had its id; on another thread. */
static int is_wanted_child(const struct recent_event *kept, const struct value *thread,
			   uint32_t generation, int64_t to)
{
	const struct event event = { .record = &kept->copy.record };
	struct value key;

	return kept->generation == generation && time_of(kept) <= to &&
	       event_thread(&event, &key) && value_compare(&key, thread) != 0;
}

/* The same as collect(), of child activities on other threads. */
static uint32_t collect_children(const struct facts *facts, struct event *event,
				 const struct value *thread, int64_t from,
				 const struct recent_event *found[CHILDREN_COUNTED], int *has_more)
{
	const struct recent_events *recent = &facts->of_children;
	const uint32_t generation = generation_of(&facts->families, event);
	struct recent_event *kept;
	uint32_t count = 0, passed = 0;
	struct value parent;
	uint64_t place;

	if (!event->info || !activity_is_set(event->info->activity_id))
		return 0;
	parent = key_of_activity(event->info->activity_id);
	kept = recent_last(recent, &parent);
	while (kept && time_of(kept) >= from && count < CHILDREN_COUNTED && passed < CHILDREN_PASSED) {
		if (is_wanted_child(kept, thread, generation, event->record->sample.time))
			found[count++] = kept;
		else
			passed++;
		place = kept->previous;
		kept = recent_find(recent, &place, &parent);
	}
	*has_more = kept && time_of(kept) >= from;
	return count;
}

/* Merge others into those found, the newest first; returns how many there are. */
static uint32_t merge(const struct recent_event *found[BEFORE_COUNTED], uint32_t count,
		      const struct recent_event *const *others, uint32_t other_count)
{
	uint32_t all = count + other_count < BEFORE_COUNTED ? count + other_count : BEFORE_COUNTED;

	count = all - other_count; /* the oldest give way */
	for (uint32_t at = all; other_count;) {
		const int is_others = !count || time_of(others[other_count - 1]) <=
							time_of(found[count - 1]);

		found[--at] = is_others ? others[--other_count] : found[--count];
	}
	return all;
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

/* event: at the end; or NULL. */
static void find(struct facts *facts, const struct value *key, int64_t from, int64_t to,
		 struct event *event, struct before *before)
{
	const struct recent_event *found[BEFORE_COUNTED], *children[CHILDREN_COUNTED];
	uint32_t count = collect(facts, key, from, to, found), others;

	*before = (struct before){ .is_asked = 1 };
	others = event ? collect_children(facts, event, key, from, children, &before->has_more) : 0;
	before->has_children = others > 0;
	count = merge(found, count, children, others);
	if (count)
		put_lines(facts, found, count,
			  event && event->info ? event->info->activity_id : NULL, before);
}

void before_find(struct facts *facts, struct event *event, int64_t from,
		 struct before *before)
{
	struct value key;

	if (event_thread(event, &key))
		find(facts, &key, from, event->record->sample.time, event, before);
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

/* It is found by each parent of its activity. */
static void keep_for_parents(struct facts *facts, const struct event *event)
{
	const struct families *families = &facts->families;
	uint32_t member = family_of(families, event);

	for (uint32_t depth = 1; member != FAMILY_NONE && depth <= FAMILY_DEPTH; depth++) {
		struct recent_event *kept;
		struct value parent;

		member = family_parent(families, member);
		if (member == FAMILY_NONE)
			break;
		parent = key_of_activity(family_id(families, member));
		kept = recent_keep(&facts->of_children, event->record, &parent);
		kept->depth = depth;
		kept->generation = family_generation(families, member);
	}
}

void before_keep(struct facts *facts, struct event *event)
{
	struct value key;

	forget(&facts->recent);
	if (event_thread(event, &key))
		recent_keep(&facts->recent, event->record, &key)->generation =
			generation_of(&facts->families, event);
	forget(&facts->of_children);
	keep_for_parents(facts, event);
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
	recent_free(&facts->of_children);
	families_free(&facts->families);
}
