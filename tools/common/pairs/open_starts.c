/* SPDX-License-Identifier: MIT */
/* Keeps events that started something, in a hash table and in the order of their age. */
#include <stdlib.h>
#include <string.h>

#include "common/cli/memory.h"
#include "pairs.h"

#define TABLE_LEAST 256u

/* The table */

static int is_text(const struct value *value)
{
	return value->type == VALUE_TEXT || value->type == VALUE_BYTES;
}

/* Different numbers have different hashes of values; texts do not have to. */
static uint64_t hash_of(const struct pairs *pairs, const struct value *key)
{
	const uint64_t hash = is_text(key) ?
				      hash_text(&pairs->seed, key->text, key->length) :
				      value_hash(key);

	return hash * pairs->seed.odd[0];
}

static struct open_start **slot_of(const struct pairs *pairs, uint64_t hash)
{
	return &pairs->table[hash >> (64 - __builtin_ctz(pairs->table_size))];
}

static void link_in(struct pairs *pairs, struct open_start *start)
{
	start->link = slot_of(pairs, start->hash);
	start->next = *start->link;
	if (start->next)
		start->next->link = &start->next;
	*start->link = start;
}

/* From the oldest on, so that the newest of a slot is the first there. */
static void grow_table(struct pairs *pairs)
{
	if (!pairs->table_size)
		pairs->seed = hash_seed();
	pairs->table_size = pairs->table_size ? pairs->table_size * 2 : TABLE_LEAST;
	free(pairs->table);
	pairs->table = xcalloc(pairs->table_size, sizeof(*pairs->table));
	for (struct open_start *start = pairs->oldest; start; start = start->newer)
		link_in(pairs, start);
}

static struct open_start *find_from(struct open_start *start, uint64_t hash,
				    const struct value *key)
{
	while (start && (start->hash != hash || value_compare(&start->key, key)))
		start = start->next;
	return start;
}

struct open_start *open_start_around(const struct open_start *start)
{
	return start->is_nested ? find_from(start->next, start->hash, &start->key) : NULL;
}

struct open_start *open_starts_find(const struct pairs *pairs, const struct value *key)
{
	uint64_t hash;

	if (!pairs->count)
		return NULL;
	hash = hash_of(pairs, key);
	return find_from(*slot_of(pairs, hash), hash, key);
}

/* Age */

static void append(struct pairs *pairs, struct open_start *start)
{
	start->older = pairs->newest;
	*(pairs->newest ? &pairs->newest->newer : &pairs->oldest) = start;
	pairs->newest = start;
}

struct open_start *open_starts_take(struct pairs *pairs, struct open_start *start)
{
	*start->link = start->next;
	if (start->next)
		start->next->link = start->link;
	*(start->newer ? &start->newer->older : &pairs->newest) = start->older;
	*(start->older ? &start->older->newer : &pairs->oldest) = start->newer;
	pairs->bytes -= start->bytes;
	pairs->count--;
	return start;
}

/* Starts */

static struct open_start *new_start(const struct pairs *pairs, const struct value *key,
				    const struct record *record)
{
	const size_t length = is_text(key) ? key->length : 0;
	struct open_start *start = xmalloc(sizeof(*start) + pairs->data_size + length);

	*start = (struct open_start){
		.key = *key,
		.is_wall_clock = record->sample.is_wall_clock != 0,
		.has_clock_time = record->has_clock_time,
		.time = record->sample.time,
		.clock_time = record->clock_time,
		.bytes = length,
	};
	memset(start->data, 0, pairs->data_size);
	if (length)
		start->key.text = memcpy(start->data + pairs->data_size, key->text, length);
	return start;
}

struct open_start *open_starts_add(struct pairs *pairs, const struct value *key,
				   const struct record *record)
{
	struct open_start *start = new_start(pairs, key, record);

	if (pairs->count >= pairs->table_size)
		grow_table(pairs);
	start->hash = hash_of(pairs, key);
	link_in(pairs, start);
	append(pairs, start);
	pairs->bytes += start->bytes;
	pairs->count++;
	return start;
}
