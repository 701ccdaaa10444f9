/* SPDX-License-Identifier: MIT */
/*
 * Pairs the starts of EventHeader activities with their stops, by the id of the activity.
 *
 * Activities that are open are in a hash table of fixed size. An entry is at most PROBES
 * places behind its own, so ids that were made to collide cost no time; they are counted as
 * not followed, like those that come when the table is full.
 */
#include <stdlib.h>
#include <string.h>

#include "common/cli/memory.h"
#include "facts.h"

#define SLOTS (ACTIVITIES_OPEN * 2u)
#define PROBES 64u

/* The open ones */

static uint32_t home_of(const uint8_t *id)
{
	uint64_t half[2];

	memcpy(half, id, sizeof(half));
	return (uint32_t)(((half[0] ^ half[1] * 0x9e3779b97f4a7c15u) *
			   0xff51afd7ed558ccdu) >> 40) % SLOTS;
}

static struct activity *find(struct open_activities *open, const uint8_t *id)
{
	const uint32_t home = home_of(id);

	if (!open->items)
		return NULL;
	for (uint32_t i = 0; i < PROBES; i++) {
		const uint32_t slot = (home + i) % SLOTS;

		if (!open->is_used[slot])
			return NULL;
		if (!memcmp(open->items[slot].id, id, 16))
			return &open->items[slot];
	}
	return NULL;
}

static struct activity *add(struct open_activities *open, const uint8_t *id)
{
	const uint32_t home = home_of(id);

	if (!open->items) {
		open->items = xcalloc(SLOTS, sizeof(*open->items));
		open->is_used = xcalloc(SLOTS, 1);
	}
	for (uint32_t i = 0; i < PROBES && open->count < ACTIVITIES_OPEN; i++) {
		const uint32_t slot = (home + i) % SLOTS;

		if (open->is_used[slot])
			continue;
		open->is_used[slot] = 1;
		open->count++;
		return &open->items[slot];
	}
	return NULL;
}

/* Whether an entry may move from one slot to a hole before it. */
static int may_move(const struct activity *item, uint32_t hole, uint32_t slot)
{
	const uint32_t home = home_of(item->id);

	return (slot - home) % SLOTS >= (slot - hole) % SLOTS;
}

/* Its entry is free afterwards, and no search stops at a hole. */
static void release(struct open_activities *open, struct activity *activity)
{
	uint32_t hole = (uint32_t)(activity - open->items);

	for (uint32_t slot = (hole + 1) % SLOTS; open->is_used[slot];
	     slot = (slot + 1) % SLOTS)
		if (may_move(&open->items[slot], hole, slot)) {
			open->items[hole] = open->items[slot];
			hole = slot;
		}
	open->is_used[hole] = 0;
	open->count--;
}

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

/* With its own copies of the texts, and without keys. */
static void heap_add(struct longest *heap, const struct activity *activity)
{
	struct activity copy = *activity;

	if (!is_wanted(heap, activity))
		return;
	copy.keys = NULL;
	copy.start_text = xstrdup(activity->start_text);
	copy.stop_text = activity->stop_text ? xstrdup(activity->stop_text) : NULL;
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
		  enum severity severity)
{
	struct activity *activity = find(&facts->open, event->info->activity_id);

	if (activity) {
		activity_free(activity);
		facts->restarted++;
	} else {
		activity = add(&facts->open, event->info->activity_id);
	}
	if (!activity) {
		facts->not_opened++;
		return;
	}
	*activity = (struct activity){
		.start = event->record->sample.time,
		.lane = lane->number,
		.group = GROUPS_GATHERED,
		.worst = severity,
		.kind = event->kind,
	};
	memcpy(activity->id, event->info->activity_id, 16);
	activity->start_text = event_line(facts, event);
	keep_keys(facts, activity, lane);
}

static void finish(struct facts *facts, struct activity *activity, struct event *event)
{
	struct activity_group *group = group_of(facts, activity->kind, event->kind);

	facts->ended++;
	facts->lanes[activity->lane].activities++;
	activity->stop = event->record->sample.time;
	if (!group) {
		facts->not_grouped++;
	} else {
		activity->group = (uint32_t)(group - facts->groups);
		histogram_add_whole(&group->durations, duration(activity));
		group->failed += activity->worst == SEVERITY_ERROR;
		breakdowns_take(facts, group, activity);
	}
	facts->drawn.room = ACTIVITIES_DRAWN;
	if (!is_wanted(&facts->drawn, activity) &&
	    !(group && is_wanted(&group->slowest, activity)))
		return;
	activity->stop_text = event_line(facts, event);
	heap_add(&facts->drawn, activity);
	if (group)
		heap_add(&group->slowest, activity);
}

/* The difference of times of a hostile recording may be too large for a number. */
static int is_backwards(int64_t start, int64_t stop)
{
	return stop < start || (uint64_t)stop - (uint64_t)start > INT64_MAX;
}

static void stop(struct facts *facts, struct event *event, enum severity severity)
{
	struct activity *activity = find(&facts->open, event->info->activity_id);

	if (!activity) {
		facts->without_start++;
		return;
	}
	if (severity > activity->worst)
		activity->worst = severity;
	if (is_backwards(activity->start, event->record->sample.time))
		facts->backwards++;
	else
		finish(facts, activity, event);
	activity_free(activity);
	release(&facts->open, activity);
}

static void take_part(struct facts *facts, const struct event *event,
		      enum severity severity)
{
	struct activity *activity = find(&facts->open, event->info->activity_id);

	if (!activity)
		return;
	activity->events++;
	if (severity > activity->worst)
		activity->worst = severity;
}

void activities_take(struct facts *facts, struct event *event, const struct lane *lane,
		     enum severity severity)
{
	switch (event->info->opcode) {
	case UE_OPCODE_ACTIVITY_START:
		start(facts, event, lane, severity);
		break;
	case UE_OPCODE_ACTIVITY_STOP:
		stop(facts, event, severity);
		break;
	default:
		take_part(facts, event, severity);
	}
}

/* An activity that has not ended reaches to the end of the recording. */
void activities_end(struct facts *facts)
{
	struct open_activities *open = &facts->open;

	facts->drawn.room = ACTIVITIES_DRAWN;
	for (uint32_t i = 0; open->items && i < SLOTS; i++) {
		struct activity *activity = &open->items[i];

		if (!open->is_used[i])
			continue;
		activity->stop = facts->scale.last;
		if (!is_backwards(activity->start, activity->stop))
			heap_add(&facts->drawn, activity);
		facts->lanes[activity->lane].activities++;
		activity_free(activity);
		open->is_used[i] = 0;
	}
}

void activities_free(struct facts *facts)
{
	heap_free(&facts->drawn);
	for (uint32_t i = 0; i < facts->group_count; i++) {
		heap_free(&facts->groups[i].slowest);
		breakdowns_free(&facts->groups[i]);
		histogram_free(&facts->groups[i].durations);
	}
	free(facts->groups);
	free(facts->open.items);
	free(facts->open.is_used);
}
