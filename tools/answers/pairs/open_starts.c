/* SPDX-License-Identifier: MIT */
/* Keeps events that started something, in a hash table and in the order of their age. */
#include "open_starts.h"

#include <stdlib.h>
#include <string.h>

#include "common/cli/memory.h"

#define TABLE_LEAST 256u

static struct open_start *at(const struct open_starts *starts, uint32_t index)
{
	return &starts->items[index - 1];
}

static uint32_t index_of(const struct open_starts *starts, const struct open_start *start)
{
	return (uint32_t)(start - starts->items) + 1;
}

/* The table */

static uint32_t *place_of(const struct open_starts *starts, uint64_t hash)
{
	return &starts->table[hash & (starts->table_size - 1)];
}

static void link_in(struct open_starts *starts, uint32_t index)
{
	struct open_start *start = at(starts, index);
	uint32_t *place = place_of(starts, start->hash);

	start->previous = 0;
	start->next = *place;
	if (*place)
		at(starts, *place)->previous = index;
	*place = index;
}

static void unlink_from(struct open_starts *starts, const struct open_start *start)
{
	if (start->previous)
		at(starts, start->previous)->next = start->next;
	else
		*place_of(starts, start->hash) = start->next;
	if (start->next)
		at(starts, start->next)->previous = start->previous;
}

/* From the oldest on, so that the newest of a place is the first there. */
static void grow_table(struct open_starts *starts)
{
	starts->table_size = starts->table_size ? starts->table_size * 2 : TABLE_LEAST;
	free(starts->table);
	starts->table = xcalloc(starts->table_size, sizeof(*starts->table));
	for (uint32_t i = starts->oldest; i; i = at(starts, i)->newer)
		link_in(starts, i);
}

struct open_start *open_starts_find(struct open_starts *starts, const struct value *key)
{
	const uint64_t hash = value_hash(key);
	uint32_t passed = 0, i = starts->count ? *place_of(starts, hash) : 0;

	for (; i; i = at(starts, i)->next) {
		struct open_start *start = at(starts, i);

		if (start->hash == hash && !value_compare(&start->key, key))
			return start;
		if (passed++ == OPEN_STARTS_PASSED_MAX) {
			open_starts_remove(starts, start);
			starts->dropped++;
			return NULL;
		}
	}
	return NULL;
}

/* Age */

static void append(struct open_starts *starts, uint32_t index)
{
	struct open_start *start = at(starts, index);

	start->newer = 0;
	start->older = starts->newest;
	if (starts->newest)
		at(starts, starts->newest)->newer = index;
	else
		starts->oldest = index;
	starts->newest = index;
}

static void take_out(struct open_starts *starts, const struct open_start *start)
{
	if (start->older)
		at(starts, start->older)->newer = start->newer;
	else
		starts->oldest = start->newer;
	if (start->newer)
		at(starts, start->newer)->older = start->older;
	else
		starts->newest = start->older;
}

/* Copies */

static size_t text_length(const struct value *value)
{
	return value->type == VALUE_TEXT || value->type == VALUE_BYTES ? value->length : 0;
}

static void *copy(uint8_t **end, const void *bytes, size_t length)
{
	uint8_t *begin = *end;

	if (length)
		memcpy(begin, bytes, length);
	*end += length;
	return begin;
}

static void copy_value(uint8_t **end, struct value *to, const struct value *from)
{
	*to = *from;
	if (text_length(from))
		to->text = copy(end, from->text, from->length);
}

/* A name that the sample has, with its NUL. */
static size_t name_length(const struct ue_sample *sample, uint32_t which, const char *name)
{
	return sample->present & which && name ? strlen(name) + 1 : 0;
}

/* The reader may forget names as soon as another record gives a thread or a group its own. */
static void fill(struct open_start *start, const struct value *key, const struct value *by,
		 const struct record *record)
{
	const struct ue_sample *sample = &record->sample;
	const size_t comm = name_length(sample, UE_META_COMM, sample->comm);
	const size_t cgroup = name_length(sample, UE_META_CGROUP, sample->cgroup);
	uint8_t *end;

	start->hash = value_hash(key);
	start->size = text_length(key) + text_length(by) + record->length + comm + cgroup;
	start->memory = end = xmalloc(start->size);
	copy_value(&end, &start->key, key);
	copy_value(&end, &start->by, by);
	start->record = *record;
	start->record.bytes = copy(&end, record->bytes, record->length);
	if (comm)
		start->record.sample.comm = copy(&end, sample->comm, comm);
	if (cgroup)
		start->record.sample.cgroup = copy(&end, sample->cgroup, cgroup);
	tracepoint_keep(record->tracepoint);
}

/* All together */

static uint32_t new_index(struct open_starts *starts)
{
	const uint32_t index = starts->unused;

	if (index) {
		starts->unused = at(starts, index)->newer;
		return index;
	}
	starts->items = xgrow(starts->items, starts->used, sizeof(*starts->items));
	return ++starts->used;
}

void open_starts_remove(struct open_starts *starts, struct open_start *start)
{
	unlink_from(starts, start);
	take_out(starts, start);
	tracepoint_release(start->record.tracepoint);
	free(start->memory);
	start->memory = NULL;
	starts->bytes -= start->size;
	starts->count--;
	start->newer = starts->unused;
	starts->unused = index_of(starts, start);
}

void open_starts_add(struct open_starts *starts, const struct value *key,
		     const struct value *by, const struct record *record)
{
	struct open_start filled;
	uint32_t index;

	fill(&filled, key, by, record);
	while (starts->count && (starts->count >= starts->most ||
				 starts->bytes + filled.size > OPEN_STARTS_BYTES)) {
		open_starts_remove(starts, at(starts, starts->oldest));
		starts->dropped++;
	}
	if (starts->count >= starts->table_size)
		grow_table(starts);
	index = new_index(starts);
	*at(starts, index) = filled;
	link_in(starts, index);
	append(starts, index);
	starts->bytes += filled.size;
	starts->count++;
}

void open_starts_free(struct open_starts *starts)
{
	while (starts->oldest)
		open_starts_remove(starts, at(starts, starts->oldest));
	free(starts->items);
	free(starts->table);
}

/* Keeps the pairs of events that took longest. */

#define TEXT_USUAL 512

#define SHOWN \
	(UE_META_N | UE_META_TIME | UE_META_CPU | UE_META_PID | UE_META_TID | UE_META_COMM)

static ptrdiff_t render_bare(const struct record *record, const struct ue_render_opts *opts,
			     int is_json, char *out, size_t size)
{
	const char *name = record->tracepoint->name;
	struct ue_reader reader;

	ue_reader_begin(&reader, name, strlen(name), record->bytes, record->length, NULL);
	return is_json ? ue_reader_to_json(&reader, opts, out, size) :
			 ue_reader_to_text(&reader, opts, out, size);
}

static ptrdiff_t render(const struct record *record, int is_json, char *out, size_t size)
{
	const size_t common = record_common_size(record);
	const struct ue_render_opts opts = {
		.size = sizeof(opts),
		.flags = UE_RENDER_TAGS,
		.meta = SHOWN | (is_json ? UE_META_DEFAULT : 0),
		.sample = &record->sample,
	};

	if (record->tracepoint->is_bare)
		return render_bare(record, &opts, is_json, out, size);
	return (is_json ? ue_record_to_json : ue_record_to_text)(
		&record->tracepoint->format, record->bytes + common, record->length - common,
		&opts, out, size);
}

static void put(const struct record *record, int is_json, struct bytes *to)
{
	ptrdiff_t length;

	to->length = 0;
	length = render(record, is_json, bytes_room(to, TEXT_USUAL), TEXT_USUAL);
	if (length >= TEXT_USUAL)
		length = render(record, is_json, bytes_room(to, (size_t)length + 1),
				(size_t)length + 1);
	to->length = length > 0 ? (size_t)length : 0;
}

/* The place of a new pair; earlier ones come before others that took as long. */
static uint32_t rank_place_of(const struct slowest_pairs *slowest, int64_t nanoseconds)
{
	uint32_t place = slowest->count;

	while (place && slowest->items[place - 1].nanoseconds < nanoseconds)
		place--;
	return place;
}

/* The last item, of which the buffers serve again. A fault while it is filled leaves it empty. */
static struct slow_pair *last_item(struct slowest_pairs *slowest)
{
	if (slowest->count < slowest->most) {
		slowest->items = xgrow(slowest->items, slowest->count, sizeof(*slowest->items));
		slowest->items[slowest->count++] = (struct slow_pair){ .nanoseconds = 0 };
	}
	return &slowest->items[slowest->count - 1];
}

void slowest_pairs_offer(struct slowest_pairs *slowest, int64_t nanoseconds,
			 const struct record *start, const struct record *end)
{
	const uint32_t place = rank_place_of(slowest, nanoseconds);
	struct slow_pair *last, pair;

	if (place >= slowest->most)
		return;
	last = last_item(slowest);
	last->start.length = last->end.length = 0;
	put(start, slowest->is_json, &last->start);
	put(end, slowest->is_json, &last->end);
	pair = *last;
	pair.nanoseconds = nanoseconds;
	memmove(&slowest->items[place + 1], &slowest->items[place],
		(slowest->count - 1 - place) * sizeof(pair));
	slowest->items[place] = pair;
}

void slowest_pairs_free(struct slowest_pairs *slowest)
{
	for (uint32_t i = 0; i < slowest->count; i++) {
		bytes_free(&slowest->items[i].start);
		bytes_free(&slowest->items[i].end);
	}
	free(slowest->items);
}
