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

/* The loop goes from the oldest on, so that the newest of a slot is the first there. */
static void grow_table(struct pairs *pairs)
{
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

struct open_start *open_starts_find(const struct pairs *pairs, const struct value *key,
				    uint64_t hash)
{
	return pairs->count ? find_from(*slot_of(pairs, hash), hash, key) : NULL;
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

#define KEY_USUAL ACTIVITY_SIZE

/* Starts are allocated many at a time, unless their keys are long. */
#define BLOCK_STARTS 64u

struct start_block {
	struct start_block *next;
	alignas(max_align_t) uint8_t starts[];
};

static struct open_start *carve(struct pairs *pairs)
{
	const size_t align = alignof(max_align_t);
	const size_t size = (sizeof(struct open_start) + pairs->data_size + KEY_USUAL + align - 1) /
			    align * align;
	struct start_block *block = pairs->blocks;

	if (!block || pairs->carved == BLOCK_STARTS) {
		block = xmalloc(sizeof(*block) + BLOCK_STARTS * size);
		block->next = pairs->blocks;
		pairs->blocks = block;
		pairs->carved = 0;
	}
	return (struct open_start *)(block->starts + pairs->carved++ * size);
}

static struct open_start *allocate(struct pairs *pairs, size_t length)
{
	struct open_start *start = pairs->spare;

	if (length > KEY_USUAL)
		return xmalloc(sizeof(*start) + pairs->data_size + length);
	if (!start)
		return carve(pairs);
	pairs->spare = start->next;
	return start;
}

void open_starts_end(struct pairs *pairs)
{
	while (pairs->blocks) {
		struct start_block *next = pairs->blocks->next;

		free(pairs->blocks);
		pairs->blocks = next;
	}
	free(pairs->table);
	pairs->spare = NULL;
	pairs->table = NULL;
	pairs->table_size = 0;
}

void open_starts_free(struct pairs *pairs, struct open_start *start)
{
	if (start->is_large) {
		free(start);
		return;
	}
	start->next = pairs->spare;
	pairs->spare = start;
}

static struct open_start *new_start(struct pairs *pairs, const struct value *key, uint64_t hash,
				    const struct record *record)
{
	const size_t length = is_text(key) ? key->length : 0;
	struct open_start *start = allocate(pairs, length);

	*start = (struct open_start){
		.key = *key,
		.is_wall_clock = record->sample.is_wall_clock != 0,
		.has_clock_time = record->has_clock_time,
		.time = record->sample.time,
		.clock_time = record->clock_time,
		.bytes = length,
		.hash = hash,
		.is_large = length > KEY_USUAL,
	};
	memset(start->data, 0, pairs->data_size);
	if (length)
		start->key.text = memcpy(start->data + pairs->data_size, key->text, length);
	return start;
}

struct open_start *open_starts_add(struct pairs *pairs, const struct value *key, uint64_t hash,
				   const struct record *record)
{
	struct open_start *start = new_start(pairs, key, hash, record);

	if (pairs->count >= pairs->table_size)
		grow_table(pairs);
	link_in(pairs, start);
	append(pairs, start);
	pairs->bytes += start->bytes;
	pairs->count++;
	return start;
}
