/* SPDX-License-Identifier: MIT */
/* Pairs starts and ends of activities by their ids. */
#include "activities.h"

#include <stdlib.h>
#include <string.h>

#include "common/cli/memory.h"
#include "tables.h"

#define SLOTS_LEAST 64u

/* Rows */

static struct activity_row *add_row(struct activities *activities, const char *name)
{
	struct activity_row *row = xcalloc(1, sizeof(*row));

	row->name = name;
	activities->rows = xgrow(activities->rows, activities->count, sizeof(row));
	activities->rows[activities->count++] = row;
	return row;
}

static void make_room_for_kind(struct activities *activities, uint32_t number)
{
	uint32_t count = activities->kind_count;

	if (number < count)
		return;
	while (number >= count)
		count = count ? count * 2 : SLOTS_LEAST;
	activities->by_kind = xrealloc(activities->by_kind,
				       count * sizeof(*activities->by_kind));
	memset(activities->by_kind + activities->kind_count, 0,
	       (count - activities->kind_count) * sizeof(*activities->by_kind));
	activities->kind_count = count;
}

static struct activity_row *row_of(struct activities *activities,
				   const struct event_kind *kind)
{
	uint32_t *index;

	make_room_for_kind(activities, kind->number);
	index = &activities->by_kind[kind->number];
	if (!*index && activities->count < ACTIVITY_STARTS_MAX) {
		add_row(activities, activities->count == ACTIVITY_STARTS_MAX - 1 ?
						  OTHERS : kind->shown);
		*index = activities->count;
	} else if (!*index) {
		*index = ACTIVITY_STARTS_MAX;
	}
	return activities->rows[*index - 1];
}

/* Open activities. An id may be random, or a counter. */

static uint32_t hash_of(const uint8_t *id)
{
	uint64_t one, other;

	memcpy(&one, id, sizeof(one));
	memcpy(&other, id + sizeof(one), sizeof(other));
	one = (one ^ (other << 32 | other >> 32)) * 0x9e3779b97f4a7c15u;
	return (uint32_t)(one >> 32);
}

/* Its slot, or the empty one where it belongs. */
static struct open_activity *find(const struct activities *activities, const uint8_t *id)
{
	uint32_t at = hash_of(id), mask = activities->slot_count - 1;

	while (activities->slots[at & mask].row && memcmp(activities->slots[at & mask].id, id, 16))
		at++;
	return &activities->slots[at & mask];
}

/* At least half of the slots stay empty. */
static void make_room(struct activities *activities)
{
	struct open_activity *before = activities->slots;
	uint32_t count = activities->slot_count;

	if (activities->open < count / 2)
		return;
	activities->slot_count = count ? count * 2 : SLOTS_LEAST;
	activities->slots = xcalloc(activities->slot_count, sizeof(*before));
	for (uint32_t i = 0; i < count; i++)
		if (before[i].row)
			*find(activities, before[i].id) = before[i];
	free(before);
}

/* Move those behind the slot up, so that none is separated from where it belongs. */
static void clear(struct activities *activities, struct open_activity *slot)
{
	uint32_t mask = activities->slot_count - 1;
	uint32_t hole = (uint32_t)(slot - activities->slots), at = hole;

	while (activities->slots[at = (at + 1) & mask].row) {
		uint32_t home = hash_of(activities->slots[at].id) & mask;

		if (((at - home) & mask) < ((at - hole) & mask))
			continue;
		activities->slots[hole] = activities->slots[at];
		hole = at;
	}
	activities->slots[hole].row = NULL;
	activities->open--;
}

static void start(struct activities *activities, const struct event *event)
{
	struct open_activity *slot;

	make_room(activities);
	slot = find(activities, event->info->activity_id);
	if (slot->row) {
		activities->restarted++;
		slot->row->open--;
	} else if (activities->open == ACTIVITIES_MAX) {
		activities->dropped++;
		return;
	} else {
		activities->open++;
	}
	slot->row = row_of(activities, event->kind);
	slot->row->open++;
	memcpy(slot->id, event->info->activity_id, sizeof(slot->id));
	slot->start = event->record->sample.time;
	slot->pid = event->record->sample.pid;
}

/* Another processor's clock may be behind: such a duration is 0. */
static int64_t duration_of(int64_t begin, int64_t end)
{
	int64_t duration;

	if (__builtin_sub_overflow(end, begin, &duration))
		return end > begin ? INT64_MAX : 0;
	return duration > 0 ? duration : 0;
}

static void end(struct activities *activities, const struct event *event)
{
	struct open_activity *slot =
		activities->open ? find(activities, event->info->activity_id) : NULL;

	if (!slot || !slot->row) {
		activities->without_start++;
		return;
	}
	histogram_add_whole(&slot->row->durations,
			    duration_of(slot->start, event->record->sample.time));
	slot->row->open--;
	slot->row->ended++;
	activities->ended++;
	clear(activities, slot);
}

void activity_table_take(struct activities *activities, const struct event *event)
{
	if (!event->info || !event->info->activity_id)
		return;
	activities->is_wall_clock = !!event->record->sample.is_wall_clock;
	if (event->info->opcode == UE_OPCODE_ACTIVITY_START)
		start(activities, event);
	else if (event->info->opcode == UE_OPCODE_ACTIVITY_STOP)
		end(activities, event);
}

void activity_table_refresh(struct activities *activities, double seconds)
{
	for (uint32_t i = 0; i < activities->count; i++) {
		struct activity_row *row = activities->rows[i];

		row->rate = seconds > 0 ? (double)(row->ended - row->before) / seconds : 0;
		row->before = row->ended;
	}
}

void activity_table_free(struct activities *activities)
{
	for (uint32_t i = 0; i < activities->count; i++) {
		histogram_free(&activities->rows[i]->durations);
		free(activities->rows[i]);
	}
	free(activities->rows);
	free(activities->by_kind);
	free(activities->slots);
	*activities = (struct activities){ 0 };
}
