/* SPDX-License-Identifier: MIT */
/* Keeps the tracks of the latest events in bounded memory. */
#include "perfetto_table.h"

#include <stdlib.h>
#include <string.h>

#include "common/cli/memory.h"

#define SLOTS_LEAST 64u
#define SLOTS_MOST (2 * TRACKS_MAX)

static int is_of(const struct perfetto_track *track, const struct perfetto_track *like)
{
	return track->kind == like->kind &&
	       track->key[0] == like->key[0] && track->key[1] == like->key[1];
}

/* The track's slot, or a free one; NULL if the table is empty. */
static struct perfetto_track *slot_of(const struct perfetto_slots *slots,
				      const struct perfetto_track *like)
{
	size_t at;

	if (!slots->count)
		return NULL;
	at = hash_slot(&slots->seed, like->key[0] ^ like->kind, like->key[1], slots->count);
	while (slots->at[at].uuid && !is_of(&slots->at[at], like))
		at = (at + 1) & (slots->count - 1);
	return &slots->at[at];
}

static struct perfetto_track *found_in(const struct perfetto_slots *slots,
				       const struct perfetto_track *like)
{
	struct perfetto_track *slot = slot_of(slots, like);

	return slot && slot->uuid ? slot : NULL;
}

static void grow(struct perfetto_slots *slots)
{
	const struct perfetto_slots old = *slots;

	if (!old.count)
		slots->seed = hash_seed();
	slots->count = old.count ? 2 * old.count : SLOTS_LEAST;
	slots->at = xcalloc(slots->count, sizeof(*slots->at));
	for (uint32_t i = 0; i < old.count; i++)
		if (old.at[i].uuid)
			*slot_of(slots, &old.at[i]) = old.at[i];
	free(old.at);
}

/* Half of the slots stay free. */
static void make_room(struct perfetto_table *table)
{
	struct perfetto_slots *young = &table->young;

	if (young->used < young->count / 2)
		return;
	if (young->count == SLOTS_MOST) {
		free(table->old.at);
		table->old = *young;
		*young = (struct perfetto_slots){ .at = NULL };
	}
	grow(young);
}

struct perfetto_track *perfetto_table_add(struct perfetto_table *table,
					  const struct perfetto_track *track)
{
	const struct perfetto_track added = *track; /* it may be in the old table */
	struct perfetto_track *slot;

	make_room(table);
	slot = slot_of(&table->young, &added);
	*slot = added;
	table->young.used++;
	return slot;
}

struct perfetto_track *perfetto_table_find(struct perfetto_table *table,
					   const struct perfetto_track *like)
{
	struct perfetto_track *found = found_in(&table->young, like);

	if (found)
		return found;
	found = found_in(&table->old, like);
	return found ? perfetto_table_add(table, found) : NULL;
}

/* A track of the old table may be in the young one, too: then it is out of date. */
void perfetto_table_each(struct perfetto_table *table,
			 void (*call)(struct perfetto_track *track, void *argument),
			 void *argument)
{
	for (uint32_t i = 0; i < table->young.count; i++)
		if (table->young.at[i].uuid)
			call(&table->young.at[i], argument);
	for (uint32_t i = 0; i < table->old.count; i++)
		if (table->old.at[i].uuid && !found_in(&table->young, &table->old.at[i]))
			call(&table->old.at[i], argument);
}

void perfetto_table_free(struct perfetto_table *table)
{
	free(table->young.at);
	free(table->old.at);
	*table = (struct perfetto_table){ .young.at = NULL };
}
