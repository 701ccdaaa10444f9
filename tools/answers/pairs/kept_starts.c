/* SPDX-License-Identifier: MIT */
/* Keeps the records of open starts, and the text of the pairs that took longest. */
#include <stdlib.h>
#include <string.h>

#include "common/cli/memory.h"
#include "common/text/text_table.h"
#include "pairing.h"

size_t kept_start_fill(struct kept_start *start, const struct value *by,
		       const struct record *record)
{
	const int has_text = by->type == VALUE_TEXT || by->type == VALUE_BYTES;

	start->by = *by;
	return record_keep(&start->kept, record, by->text, has_text ? by->length : 0,
			   &start->by.text);
}

size_t kept_start_add(struct kept_start *start, const struct record *within, uint32_t depth)
{
	size_t size;

	start->within = xgrow(start->within, start->count, sizeof(*start->within));
	start->within[start->count].depth = depth;
	size = sizeof(*start->within) +
	       record_keep(&start->within[start->count].kept, within, NULL, 0, NULL);
	start->count++;
	start->bytes += size;
	return size;
}

void kept_start_free(struct kept_start *start)
{
	record_drop(&start->kept);
	for (uint32_t i = 0; i < start->count; i++)
		record_drop(&start->within[i].kept);
	free(start->within);
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

/* Events within a pair */

static void put_line_within(const struct bytes *line, int64_t nanoseconds, uint32_t depth,
			    struct bytes *to)
{
	char offset[QUANTITY_TEXT_MAX];

	quantity_text(offset, (double)nanoseconds, UNIT_NS);
	bytes_add(to, "      +", 7);
	bytes_add(to, offset, strlen(offset));
	bytes_add(to, "  ", 2);
	while (depth--)
		bytes_put(to, "> ");
	bytes_add(to, line->at, line->length);
	bytes_add(to, "\n", 1);
}

static void put_object_within(const struct bytes *object, int64_t nanoseconds, uint32_t depth,
			      struct bytes *json)
{
	json_open(json, NULL, '{');
	json_count(json, "nanoseconds", (uint64_t)nanoseconds);
	json_count(json, "depth", depth);
	json_raw(json, "event", object->at, object->length);
	json_close(json, '}');
}

static void put_within(const struct open_start *start, int is_json, struct bytes *to)
{
	const struct kept_start *kept = (const struct kept_start *)start->data;
	AUTO(bytes_free) struct bytes event = { .length = 0 };
	int64_t nanoseconds;

	if (is_json)
		json_open(to, NULL, '[');
	for (uint32_t i = 0; i < kept->count; i++) {
		const struct record *record = &kept->within[i].kept.record;

		if (open_start_age(start, record, &nanoseconds))
			nanoseconds = 0;
		record_put(record, is_json, &event);
		(is_json ? put_object_within : put_line_within)(&event, nanoseconds, kept->within[i].depth,
								  to);
	}
	if (is_json)
		json_close(to, ']');
}

static void fill_last(struct slowest_pairs *slowest, const struct open_start *start,
		      const struct record *end, const struct thread_times *times)
{
	const struct kept_start *kept = (const struct kept_start *)start->data;
	struct slow_pair *last = last_item(slowest);

	last->start.length = last->within.length = last->end.length = 0;
	record_put(&kept->kept.record, slowest->is_json, &last->start);
	if (slowest->has_within)
		put_within(start, slowest->is_json, &last->within);
	last->left_out = kept->left_out;
	record_put(end, slowest->is_json, &last->end);
	last->has_times = times != NULL;
	if (times)
		last->times = *times;
}

void slowest_pairs_offer(struct slowest_pairs *slowest, int64_t nanoseconds,
			 const struct open_start *start, const struct record *end,
			 const struct thread_times *times)
{
	const uint32_t place = rank_place_of(slowest, nanoseconds);
	struct slow_pair pair;

	if (place >= slowest->most)
		return;
	fill_last(slowest, start, end, times);
	pair = slowest->items[slowest->count - 1];
	pair.nanoseconds = nanoseconds;
	memmove(&slowest->items[place + 1], &slowest->items[place],
		(slowest->count - 1 - place) * sizeof(pair));
	slowest->items[place] = pair;
}

void slowest_pairs_free(struct slowest_pairs *slowest)
{
	for (uint32_t i = 0; i < slowest->count; i++) {
		bytes_free(&slowest->items[i].start);
		bytes_free(&slowest->items[i].within);
		bytes_free(&slowest->items[i].end);
	}
	free(slowest->items);
}
