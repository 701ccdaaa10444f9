/* SPDX-License-Identifier: MIT */
/* Keeps the tracks of the latest events in bounded memory. */
#include "perfetto_table.h"

#include <stdlib.h>
#include <string.h>

#include "cli/memory.h"

#define SLOTS (2 * TRACKS_MAX)

static uint64_t mixed(uint64_t hash)
{
	hash = (hash ^ hash >> 32) * 0x9fb21c651e98df25u;
	return hash ^ hash >> 28;
}

static int is_of(const struct perfetto_track *track, const struct perfetto_track *like)
{
	return track->kind == like->kind &&
	       track->key[0] == like->key[0] && track->key[1] == like->key[1];
}

/* The track's slot, or a free one. */
static struct perfetto_track *slot_of(struct perfetto_track *slots,
				      const struct perfetto_track *like)
{
	size_t at = mixed(mixed(like->key[0] ^ like->kind) ^ like->key[1]) & (SLOTS - 1);

	while (slots[at].uuid && !is_of(&slots[at], like))
		at = (at + 1) & (SLOTS - 1);
	return &slots[at];
}

struct perfetto_track *perfetto_table_add(struct perfetto_table *table,
					  const struct perfetto_track *track)
{
	const struct perfetto_track added = *track; /* it may be in the old table */
	struct perfetto_track *slot;

	if (!table->young || table->count == TRACKS_MAX) {
		free(table->old);
		table->old = table->young;
		table->young = xcalloc(SLOTS, sizeof(*table->young));
		table->count = 0;
	}
	slot = slot_of(table->young, &added);
	*slot = added;
	table->count++;
	return slot;
}

struct perfetto_track *perfetto_table_find(struct perfetto_table *table,
					   const struct perfetto_track *like)
{
	struct perfetto_track *slot = table->young ? slot_of(table->young, like) : NULL;

	if (!slot || slot->uuid)
		return slot;
	slot = table->old ? slot_of(table->old, like) : NULL;
	return slot && slot->uuid ? perfetto_table_add(table, slot) : NULL;
}

/* A track of the old table may be in the young one, too: then it is out of date. */
void perfetto_table_each(struct perfetto_table *table,
			 void (*call)(struct perfetto_track *track, void *argument),
			 void *argument)
{
	for (uint32_t i = 0; i < SLOTS; i++) {
		if (table->young && table->young[i].uuid)
			call(&table->young[i], argument);
		if (table->old && table->old[i].uuid &&
		    !slot_of(table->young, &table->old[i])->uuid)
			call(&table->old[i], argument);
	}
}

void perfetto_table_free(struct perfetto_table *table)
{
	free(table->young);
	free(table->old);
	*table = (struct perfetto_table){ .young = NULL };
}
