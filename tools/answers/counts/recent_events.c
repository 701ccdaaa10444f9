/* SPDX-License-Identifier: MIT */
/* Keeps the last events. */
#include "recent_events.h"

#include <stdlib.h>

#include "common/cli/memory.h"

struct recent_event *recent_at(const struct recent_events *recent, uint64_t number)
{
	return &recent->items[number % recent->room];
}

uint64_t recent_number(const struct recent_events *recent, const struct recent_event *kept)
{
	const uint64_t index = (uint64_t)(kept - recent->items);
	const uint64_t first = recent->oldest % recent->room;

	return recent->oldest + (index - first) % recent->room;
}

struct recent_event *recent_find(const struct recent_events *recent, uint64_t *place,
				 const struct value *key)
{
	while (*place > recent->oldest) {
		struct recent_event *kept = recent_at(recent, *place - 1);

		if (!value_compare(&kept->key, key))
			return kept;
		*place = kept->previous;
	}
	return NULL;
}

struct recent_event *recent_last(const struct recent_events *recent, const struct value *key)
{
	uint64_t place = recent->chains ? recent->chains[value_hash(key) % RECENT_CHAINS] : 0;

	return recent_find(recent, &place, key);
}

static void grow(struct recent_events *recent)
{
	const uint64_t room = recent->room ? 2 * recent->room : 64;
	struct recent_event *items = xcalloc(room, sizeof(*items));

	for (uint64_t i = recent->oldest; i < recent->next; i++)
		items[i % room] = *recent_at(recent, i);
	free(recent->items);
	recent->items = items;
	recent->room = room;
	if (!recent->chains)
		recent->chains = xcalloc(RECENT_CHAINS, sizeof(*recent->chains));
}

struct recent_event *recent_keep(struct recent_events *recent, const struct record *record,
				 const struct value *key)
{
	const uint64_t hash = value_hash(key);
	struct recent_event *kept;
	uint64_t *chain;

	if (recent->next - recent->oldest == recent->room)
		grow(recent);
	chain = &recent->chains[hash % RECENT_CHAINS];
	kept = recent_at(recent, recent->next);
	*kept = (struct recent_event){ .hash = hash, .previous = *chain, .key = *key };
	kept->size = sizeof(*kept) +
		     record_keep(&kept->copy, record, key->text, key->length, &kept->key.text);
	*chain = ++recent->next;
	recent->bytes += kept->size;
	return kept;
}

void recent_forget(struct recent_events *recent)
{
	struct recent_event *kept = recent_at(recent, recent->oldest++);

	recent->bytes -= kept->size;
	record_drop(&kept->copy);
}

void recent_forget_all(struct recent_events *recent)
{
	while (recent->oldest < recent->next)
		recent_forget(recent);
}

void recent_free(struct recent_events *recent)
{
	recent_forget_all(recent);
	free(recent->items);
	free(recent->chains);
}
