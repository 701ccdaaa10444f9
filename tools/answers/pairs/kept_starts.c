/* SPDX-License-Identifier: MIT */
/* Keeps the records of open starts, and the text of the pairs that took longest. */
#include <stdlib.h>
#include <string.h>

#include "common/cli/memory.h"
#include "pairing.h"

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

/*
 * The reader may forget names as soon as another record gives a thread or a group its own. A
 * fault while the record is read leaves the copy empty.
 */
size_t kept_start_fill(struct kept_start *kept, const struct value *by,
		       const struct record *record)
{
	const struct ue_sample *sample = &record->sample;
	const size_t comm = name_length(sample, UE_META_COMM, sample->comm);
	const size_t cgroup = name_length(sample, UE_META_CGROUP, sample->cgroup);
	const size_t size = text_length(by) + record->length + comm + cgroup + 1;
	struct kept_start copied = { .record = *record };
	uint8_t *end = xmalloc(size);

	copied.memory = end;
	copy_value(&end, &copied.by, by);
	copied.record.bytes = copy(&end, record->bytes, record->length);
	if (comm)
		copied.record.sample.comm = copy(&end, sample->comm, comm);
	if (cgroup)
		copied.record.sample.cgroup = copy(&end, sample->cgroup, cgroup);
	tracepoint_keep(record->tracepoint);
	*kept = copied;
	return size;
}

void kept_start_free(struct kept_start *kept)
{
	if (kept->memory)
		tracepoint_release(kept->record.tracepoint);
	free(kept->memory);
}

/* The pairs that took longest */

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

void record_put(const struct record *record, int is_json, struct bytes *to)
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
	record_put(start, slowest->is_json, &last->start);
	record_put(end, slowest->is_json, &last->end);
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
