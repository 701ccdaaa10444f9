/* SPDX-License-Identifier: MIT */
/*
 * Gathers the facts of starts and their stops: how long they took, and the events within.
 */
#include <stdlib.h>
#include <string.h>

#include "common/cli/memory.h"
#include "facts.h"

/* The longest */

static int64_t duration(const struct activity *activity)
{
	return activity->stop - activity->start;
}

static void activity_free(struct activity *activity)
{
	free(activity->start_text);
	free(activity->stop_text);
	free(activity->keys);
	before_free(&activity->before);
}

static int is_shorter(const struct longest *heap, uint32_t one, uint32_t other)
{
	return duration(&heap->items[one]) < duration(&heap->items[other]);
}

static void swap(struct longest *heap, uint32_t one, uint32_t other)
{
	struct activity activity = heap->items[one];

	heap->items[one] = heap->items[other];
	heap->items[other] = activity;
}

static void sift_up(struct longest *heap, uint32_t at)
{
	for (; at && is_shorter(heap, at, (at - 1) / 2); at = (at - 1) / 2)
		swap(heap, at, (at - 1) / 2);
}

static void sift_down(struct longest *heap)
{
	uint32_t at = 0, child;

	while ((child = 2 * at + 1) < heap->count) {
		if (child + 1 < heap->count && is_shorter(heap, child + 1, child))
			child++;
		if (!is_shorter(heap, child, at))
			return;
		swap(heap, at, child);
		at = child;
	}
}

static int is_wanted(const struct longest *heap, const struct activity *activity)
{
	return heap->count < heap->room || duration(activity) > duration(&heap->items[0]);
}

static char *copy_of(const char *text)
{
	return xstrdup(text ? text : "");
}

/* The copy has its own texts, no keys, and the events before it. */
static void heap_add(struct longest *heap, const struct activity *activity)
{
	struct activity copy = *activity;

	if (!is_wanted(heap, activity))
		return;
	copy.keys = NULL;
	copy.start_text = copy_of(activity->start_text);
	copy.stop_text = copy_of(activity->stop_text);
	if (heap->count < heap->room) {
		heap->items = xgrow(heap->items, heap->count, sizeof(*heap->items));
		heap->items[heap->count] = copy;
		sift_up(heap, heap->count++);
		return;
	}
	activity_free(&heap->items[0]);
	heap->items[0] = copy;
	sift_down(heap);
}

static void heap_free(struct longest *heap)
{
	for (uint32_t i = 0; i < heap->count; i++)
		activity_free(&heap->items[i]);
	free(heap->items);
}

/* Pairs */

static struct activity_group *group_of(struct facts *facts, const struct event_kind *start,
				       const struct event_kind *stop)
{
	struct activity_group *group = facts->groups;

	for (uint32_t i = 0; i < facts->group_count; i++, group++)
		if (group->start == start && group->stop == stop)
			return group;
	if (facts->group_count == GROUPS_GATHERED)
		return NULL;
	facts->groups = xgrow(facts->groups, facts->group_count, sizeof(*facts->groups));
	group = &facts->groups[facts->group_count++];
	*group = (struct activity_group){ .start = start, .stop = stop };
	group->slowest.room = SLOWEST_OF_GROUP;
	return group;
}

/* Fields of the start, and the thread, by which durations are broken down. */
static void keep_keys(struct facts *facts, struct activity *activity,
		      const struct lane *lane)
{
	if (lane->comm[0])
		keys_add(facts, "thread", strlen("thread"), lane->comm, strlen(lane->comm));
	activity->keys = xmalloc(facts->keys.length + 1);
	activity->keys_length = (uint32_t)facts->keys.length;
	if (facts->keys.length)
		memcpy(activity->keys, facts->keys.at, facts->keys.length);
}

static void start(struct facts *facts, struct event *event, const struct lane *lane,
		  enum severity severity, int is_timed, struct open_start *opened)
{
	struct activity *activity = (struct activity *)opened->data;

	activity->start = event->record->sample.time;
	activity->is_off = !is_timed;
	activity->lane = lane->number;
	activity->group = GROUPS_GATHERED;
	activity->worst = severity;
	activity->kind = event->kind;
	activity->start_text = event_line(facts, event);
	keep_keys(facts, activity, lane);
	if (facts->has_sched)
		thread_states_begin(&facts->threads, event->record, &activity->mark);
	pairs_weigh(&facts->pairs, opened, activity->keys_length + strlen(activity->start_text));
}

static struct activity_group *take_duration(struct facts *facts,
					    const struct activity *activity,
					    const struct event_kind *stop, int64_t nanoseconds)
{
	struct activity_group *group = group_of(facts, activity->kind, stop);

	if (!group) {
		facts->not_grouped++;
		return NULL;
	}
	histogram_add_whole(&group->durations, nanoseconds);
	for (int i = 0; i < THREAD_STATES && activity->has_times; i++)
		group->durations.sums[i] += activity->times.of[i];
	group->failed += activity->worst == SEVERITY_ERROR;
	breakdowns_take(facts, group, activity);
	return group;
}

static void stop(struct facts *facts, struct event *event, enum severity severity,
		 const struct pair *pair)
{
	struct activity *activity = (struct activity *)pair->ended->data;
	struct activity_group *group;

	if (severity > activity->worst)
		activity->worst = severity;
	if (__builtin_add_overflow(activity->start, pair->nanoseconds, &activity->stop))
		activity->stop = INT64_MAX;
	activity->is_ended = 1;
	activity->number = ++facts->ended;
	facts->lanes[activity->lane].activities++;
	if (facts->has_sched)
		activity->has_times =
			thread_states_end(&facts->threads, event->record, &activity->mark,
					  pair->nanoseconds, &activity->times);
	group = take_duration(facts, activity, event->kind, pair->nanoseconds);
	if (group)
		activity->group = (uint32_t)(group - facts->groups);
	facts->drawn.room = ACTIVITIES_DRAWN;
	if (activity->is_off || (!is_wanted(&facts->drawn, activity) &&
				 !(group && is_wanted(&group->slowest, activity))))
		return;
	activity->stop_text = event_line(facts, event);
	heap_add(&facts->drawn, activity);
	if (!group || !is_wanted(&group->slowest, activity))
		return;
	before_find(facts, event, time_before(event->record->sample.time, pair->nanoseconds),
		    &activity->before);
	heap_add(&group->slowest, activity);
	activity->before = (struct before){ .count = 0 };
}

static void take_part(struct facts *facts, struct event *event, enum severity severity)
{
	struct open_start *start = pairs_around(&facts->pairs, event);
	struct activity *activity = start ? (struct activity *)start->data : NULL;

	if (!activity)
		return;
	activity->events++;
	if (severity > activity->worst)
		activity->worst = severity;
}

int activities_take(struct facts *facts, struct event *event, const struct lane *lane,
		    enum severity severity, int is_timed)
{
	struct pair pair;

	families_see(&facts->families, event);
	if (!pairs_take(&facts->pairs, event, &pair)) {
		take_part(facts, event, severity);
		return 0;
	}
	if (pair.ended)
		stop(facts, event, severity, &pair);
	if (pair.opened)
		start(facts, event, lane, severity, is_timed, pair.opened);
	return pair.is_keyed;
}

/* An activity that has not ended reaches to the end of the recording. */
static void draw_open(struct facts *facts, struct activity *activity)
{
	facts->never_ended++;
	facts->lanes[activity->lane].activities++;
	activity->stop = facts->scale.last;
	facts->drawn.room = ACTIVITIES_DRAWN;
	if (!activity->is_off && activity->kind && activity->stop >= activity->start)
		heap_add(&facts->drawn, activity);
	facts->open.room = OPEN_GATHERED;
	if (activity->is_off || !activity->kind || activity->stop < activity->start ||
	    !is_wanted(&facts->open, activity))
		return;
	before_find_open(facts, &facts->lanes[activity->lane], activity->start, &activity->before);
	heap_add(&facts->open, activity);
	activity->before = (struct before){ .count = 0 };
}

/* The rest of a cut pair cannot be told from a start that never ended. */
static void leave(void *context, struct open_start *start, enum pair_fate fate)
{
	struct facts *facts = context;
	struct activity *activity = (struct activity *)start->data;

	if (fate == START_NEVER_ENDED && !facts->cut.count)
		draw_open(facts, activity);
	activity_free(activity);
}

void activities_begin(struct facts *facts)
{
	facts->pairs.data_size = sizeof(struct activity);
	facts->pairs.context = facts;
	facts->pairs.leave = leave;
	cut_pairs_begin(&facts->cut);
}

void activities_end(struct facts *facts)
{
	pairs_end(&facts->pairs);
}

void activities_free(struct facts *facts)
{
	heap_free(&facts->drawn);
	heap_free(&facts->open);
	for (uint32_t i = 0; i < facts->group_count; i++) {
		heap_free(&facts->groups[i].slowest);
		breakdowns_free(&facts->groups[i]);
		histogram_free(&facts->groups[i].durations);
	}
	free(facts->groups);
	pairs_free(&facts->pairs);
	cut_pairs_free(&facts->cut);
}
