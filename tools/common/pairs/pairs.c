/* SPDX-License-Identifier: MIT */
/* Finds the start of each end; keeps the starts that are open. */
#include "pairs.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/memory.h"
#include "common/cli/message.h"

/* Keeps events that started something, in a hash table and in the order of their age. */

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

static struct open_start *open_starts_find(const struct pairs *pairs,
					   const struct value *key, uint64_t hash)
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

/* Take it out; its data stays until open_starts_free(). */
static struct open_start *open_starts_take(struct pairs *pairs, struct open_start *start)
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

/* Free the table and the memory of all, which have left. */
static void open_starts_end(struct pairs *pairs)
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

static void open_starts_free(struct pairs *pairs, struct open_start *start)
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

/* There is space for it. With copies of the key and of the record's times. */
static struct open_start *open_starts_add(struct pairs *pairs, const struct value *key,
					  uint64_t hash, const struct record *record)
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

/* Keys */

static int activity_of(const struct event *event, struct value *key)
{
	if (!event->info || !activity_is_set(event->info->activity_id))
		return 0;
	*key = (struct value){
		.type = VALUE_BYTES,
		.text = (const char *)event->info->activity_id,
		.length = ACTIVITY_SIZE,
	};
	return 1;
}

int event_thread(const struct event *event, struct value *key)
{
	const struct ue_sample *sample = &event->record->sample;

	if (!(sample->present & UE_META_TID))
		return 0;
	*key = (struct value){
		.type = VALUE_UNSIGNED,
		.whole = (int64_t)((uint64_t)sample->pid << 32 | sample->tid),
	};
	return 1;
}

/* is_nested: whether several starts with this key may be open. */
static int key_of(struct pairs *pairs, struct event *event, struct value *key,
		  int *is_nested)
{
	*is_nested = 0;
	if (pairs->key == PAIR_BY_FIELD)
		return pairs->field(pairs->asked, event, key);
	if (pairs->key != PAIR_BY_THREAD && activity_of(event, key))
		return 1;
	*is_nested = 1;
	return pairs->key != PAIR_BY_ACTIVITY && event_thread(event, key);
}

struct open_start *pairs_around(struct pairs *pairs, struct event *event)
{
	struct value key;
	int is_nested;

	return pairs->count && key_of(pairs, event, &key, &is_nested) ?
		       open_starts_find(pairs, &key, value_hash(&key)) : NULL;
}

struct open_start *pairs_of_activity(const struct pairs *pairs, const uint8_t *id)
{
	const struct value key = {
		.type = VALUE_BYTES, .text = (const char *)id, .length = ACTIVITY_SIZE,
	};

	return pairs->count && (pairs->key == PAIR_BY_EITHER || pairs->key == PAIR_BY_ACTIVITY) ?
		       open_starts_find(pairs, &key, value_hash(&key)) : NULL;
}

/* Starts that leave */

static void discard(struct pairs *pairs, struct open_start *start, enum pair_fate fate)
{
	if (pairs->leave)
		pairs->leave(pairs->context, start, fate);
	open_starts_free(pairs, start);
}

static void leave(struct pairs *pairs, struct open_start *start, enum pair_fate fate)
{
	discard(pairs, open_starts_take(pairs, start), fate);
}

static void discard_ended(struct pairs *pairs)
{
	struct open_start *ended = pairs->ended;

	pairs->ended = NULL;
	if (ended)
		discard(pairs, ended, START_ENDED);
}

static void drop_oldest(struct pairs *pairs)
{
	pairs->dropped++;
	leave(pairs, pairs->oldest, START_DROPPED);
}

void pairs_weigh(struct pairs *pairs, struct open_start *start, size_t bytes)
{
	const uint64_t most = pairs->bytes_most ? pairs->bytes_most : PAIRS_BYTES;

	start->bytes += bytes;
	pairs->bytes += bytes;
	while (pairs->count && pairs->bytes > most)
		drop_oldest(pairs);
}

/* Durations */

#define SECOND 1000000000

/*
 * The wall clock may be set back, by nanoseconds too, so the clock of the recording is better.
 * Two recordings have one such clock if both clocks went on alike.
 */
static int has_one_clock(const struct open_start *start, const struct record *end)
{
	const uint64_t one_ahead = (uint64_t)start->time - (uint64_t)start->clock_time;
	const uint64_t other_ahead = (uint64_t)end->sample.time - (uint64_t)end->clock_time;

	return start->has_clock_time && end->has_clock_time &&
	       one_ahead - other_ahead + SECOND < 2 * (uint64_t)SECOND;
}

/* 0, or -1 if it is below 0. */
static int duration_of(const struct open_start *start, const struct record *end,
		       int64_t *nanoseconds)
{
	const int is_by_clock = has_one_clock(start, end);
	const int64_t from = is_by_clock ? start->clock_time : start->time;
	const int64_t to = is_by_clock ? end->clock_time : end->sample.time;

	return to < from || __builtin_sub_overflow(to, from, nanoseconds) ? -1 : 0;
}

int open_start_age(const struct open_start *start, const struct record *now,
		   int64_t *nanoseconds)
{
	return start->is_wall_clock != (now->sample.is_wall_clock != 0) ||
			       duration_of(start, now, nanoseconds) ? -1 : 0;
}

/* Pairs */

static void match(struct pairs *pairs, struct open_start *start, const struct record *end,
		  struct pair *pair)
{
	if (start->is_wall_clock != (end->sample.is_wall_clock != 0)) {
		pairs->other_clock++;
		leave(pairs, start, START_OTHER_CLOCK);
	} else if (duration_of(start, end, &pair->nanoseconds)) {
		pairs->negative++;
		leave(pairs, start, START_NEGATIVE);
	} else {
		pair->ended = pairs->ended = open_starts_take(pairs, start);
	}
}

static void end_pair(struct pairs *pairs, struct open_start *start, int is_nested,
		     const struct event *event, struct pair *pair)
{
	pairs->ends++;
	if (!start) {
		pairs->without_start += !(pair->role & PAIR_START);
		return;
	}
	pairs->by_activity += !is_nested && pairs->key != PAIR_BY_FIELD;
	pairs->by_thread += (uint64_t)is_nested;
	match(pairs, start, event->record, pair);
}

static void start_pair(struct pairs *pairs, const struct value *key, uint64_t hash,
		       int is_nested, const struct event *event, struct pair *pair)
{
	const uint32_t most = pairs->most ? pairs->most : PAIRS_MOST;
	struct open_start *open = is_nested ? NULL : open_starts_find(pairs, key, hash);

	pairs->starts++;
	if (open) {
		pairs->repeated++;
		leave(pairs, open, START_REPEATED);
	}
	while (pairs->count >= most)
		drop_oldest(pairs);
	pair->opened = open_starts_add(pairs, key, hash, event->record);
	pair->opened->is_nested = is_nested;
}

void pairs_take_part(struct pairs *pairs, struct event *event, struct pair *pair)
{
	struct value key;
	uint64_t hash;
	int is_nested;

	discard_ended(pairs);
	if (!(event->record->sample.present & UE_META_TIME)) {
		pairs->without_time++;
		return;
	}
	if (!key_of(pairs, event, &key, &is_nested)) {
		pairs->without_key++;
		return;
	}
	pair->is_keyed = 1;
	hash = value_hash(&key);
	if (pair->role & PAIR_END)
		end_pair(pairs, open_starts_find(pairs, &key, hash), is_nested, event, pair);
	if (pair->role & PAIR_START)
		start_pair(pairs, &key, hash, is_nested, event, pair);
}

/* The end */

static void empty(struct pairs *pairs, enum pair_fate fate)
{
	discard_ended(pairs);
	while (pairs->oldest)
		leave(pairs, pairs->oldest, fate);
}

void pairs_end(struct pairs *pairs)
{
	empty(pairs, START_NEVER_ENDED);
}

void pairs_report(const struct pairs *pairs, const char *advice)
{
	if (pairs->dropped)
		message("cannot keep all starts: more than %u were open, or their events took "
			"more than %" PRIu64 " MiB, and %" PRIu64 " were dropped%s",
			pairs->most ? pairs->most : PAIRS_MOST,
			(pairs->bytes_most ? pairs->bytes_most : PAIRS_BYTES) >> 20,
			pairs->dropped, advice);
}

void pairs_free(struct pairs *pairs)
{
	empty(pairs, START_FREED);
	open_starts_end(pairs);
}
