/* SPDX-License-Identifier: MIT */
/*
 * Finds the end of each start. Keeps the records of open starts, and the text of the
 * pairs that took longest.
 */
#include "pairing.h"

#include <stdlib.h>
#include <string.h>

#include "common/cli/memory.h"
#include "common/cli/message.h"
#include "common/text/text_table.h"

/* kept_start_fill() and kept_start_add() return the memory that they use, in bytes. */
static size_t kept_start_fill(struct kept_start *start, const struct value *by,
			      const struct record *record)
{
	const int has_text = by->type == VALUE_TEXT || by->type == VALUE_BYTES;

	start->by = *by;
	return record_keep(&start->kept, record, by->text, has_text ? by->length : 0,
			   &start->by.text);
}

static size_t kept_start_add(struct kept_start *start, const struct record *within,
			     uint32_t depth)
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

static void kept_start_free(struct kept_start *start)
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

static ptrdiff_t render(const struct record *record, int is_json, char *out, size_t size)
{
	const struct ue_render_opts opts = {
		.size = sizeof(opts),
		.flags = UE_RENDER_TAGS,
		.meta = SHOWN | (is_json ? UE_META_DEFAULT : 0),
		.sample = &record->sample,
	};

	return record_render(record, NULL, &opts, !is_json, out, size);
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

/*
 * Keep a pair if it is one of the slowest. start: with a record. times: the states of its
 * thread; or NULL.
 */
static void slowest_pairs_offer(struct slowest_pairs *slowest, int64_t nanoseconds,
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

static void slowest_pairs_free(struct slowest_pairs *slowest)
{
	for (uint32_t i = 0; i < slowest->count; i++) {
		bytes_free(&slowest->items[i].start);
		bytes_free(&slowest->items[i].within);
		bytes_free(&slowest->items[i].end);
	}
	free(slowest->items);
}

static void leave(void *context, struct open_start *start, enum pair_fate fate)
{
	struct pairing *pairing = context;
	struct kept_start *kept = (struct kept_start *)start->data;

	(void)fate;
	pairing->within_bytes -= kept->bytes;
	kept_start_free(kept);
}

/* Pairs */

static void group_of(struct pairing *pairing, struct event *event, struct value *by)
{
	*by = (struct value){ .type = VALUE_NONE };
	if (pairing->set.by)
		asked_field_get(pairing->set.by, event, by);
}

static int passes_where(struct pairing *pairing, struct where *where,
			const struct kept_start *start, struct event *stop, int has_duration,
			int64_t nanoseconds)
{
	struct event begun;
	const struct where_pair pair = {
		.start = &begun,
		.stop = stop,
		.duration = nanoseconds,
		.has_duration = has_duration,
	};

	if (!start->kept.memory)
		return 0;
	event_read(&begun, &start->kept.record, pairing->kinds);
	return where_passes_pair(where, &pair);
}

int pairing_passes(struct pairing *pairing, const struct kept_start *start, struct event *stop,
		   int has_duration, int64_t nanoseconds)
{
	return pairing->where ? passes_where(pairing, pairing->where, start, stop, has_duration,
					     nanoseconds) :
				1;
}

/* 0, or -1 after a message. */
static int compare_pair(struct pairing *pairing, const struct kept_start *start,
			struct event *stop, int64_t nanoseconds)
{
	const struct value value = { .type = VALUE_SIGNED, .whole = nanoseconds };
	int side = pairing->side;

	if (pairing->split)
		side = passes_where(pairing, pairing->split, start, stop, 1, nanoseconds);
	if (side < 0) {
		pairing->has_failed = 1;
		return -1;
	}
	comparison_value(pairing->comparison, comparison_row(pairing->comparison, NULL), side,
			 stop->record, &value);
	return 0;
}

/* The states of its thread: times, or NULL if it is not of one thread. */
static const struct thread_times *times_of(struct pairing *pairing,
					   const struct kept_start *start,
					   const struct event *event, int64_t nanoseconds,
					   struct thread_times *times)
{
	if (!pairing->has_threads || !start->kept.memory ||
	    !thread_states_end(&pairing->threads, event->record, &start->mark,
			       nanoseconds, times))
		return NULL;
	return times;
}

static int count_pair(struct pairing *pairing, const struct open_start *ended,
		      struct event *event, int64_t nanoseconds)
{
	const struct kept_start *start = (const struct kept_start *)ended->data;
	const int is_meant = pairing_passes(pairing, start, event, 1, nanoseconds);
	struct thread_times kept_times;
	const struct thread_times *times;
	struct histogram *histogram;
	struct value by = start->by;

	if (is_meant <= 0) {
		pairing->excluded += !is_meant;
		pairing->has_failed |= is_meant < 0;
		return is_meant;
	}
	if (pairing->comparison && compare_pair(pairing, start, event, nanoseconds))
		return -1;
	if (by.type == VALUE_NONE)
		group_of(pairing, event, &by);
	histogram = histogram_set_find(&pairing->set, &by);
	histogram_add_whole(histogram, nanoseconds);
	times = times_of(pairing, start, event, nanoseconds, &kept_times);
	if (times)
		thread_sums_add(histogram, times);
	if (start->kept.memory)
		slowest_pairs_offer(&pairing->slowest, nanoseconds, ended, event->record,
				    times);
	return 0;
}

#define DEPTH_MAX 8 /* calls around an event that know it */

static void add_to(struct pairing *pairing, struct open_start *start, const struct event *event,
		   uint32_t depth)
{
	struct kept_start *kept = (struct kept_start *)start->data;

	if (kept->count < WITHIN_MAX && pairing->within_bytes < WITHIN_BYTES)
		pairing->within_bytes += kept_start_add(kept, event->record, depth);
	else
		kept->left_out++;
}

/* An event of an activity is also within the starts of its parents. */
static void add_to_parents(struct pairing *pairing, const struct event *event)
{
	struct families *families = &pairing->families;
	uint32_t member = family_of(families, event);

	for (uint32_t depth = 1; member != FAMILY_NONE && depth <= FAMILY_DEPTH; depth++) {
		struct open_start *start;

		member = family_parent(families, member);
		start = member == FAMILY_NONE ? NULL :
						pairs_of_activity(&pairing->pairs, family_id(families, member));
		if (start)
			add_to(pairing, start, event, depth);
	}
	families->too_deep += member != FAMILY_NONE &&
			      family_parent(families, member) != FAMILY_NONE;
}

/* An event happened within starts; one that starts or ends something, within those around. */
static void add_within(struct pairing *pairing, struct event *event, const struct pair *pair)
{
	struct open_start *start = pair->opened ? open_start_around(pair->opened) :
						  pairs_around(&pairing->pairs, event);

	for (int i = 0; start && i < DEPTH_MAX; i++, start = open_start_around(start))
		add_to(pairing, start, event, 0);
	add_to_parents(pairing, event);
}

static void open(struct pairing *pairing, struct event *event, struct open_start *opened)
{
	struct value by;

	group_of(pairing, event, &by);
	if (pairing->has_threads)
		thread_states_begin(&pairing->threads, event->record,
				    &((struct kept_start *)opened->data)->mark);
	pairs_weigh(&pairing->pairs, opened,
		    kept_start_fill((struct kept_start *)opened->data, &by, event->record));
}

static int take(struct sink *sink, struct event *event)
{
	struct pairing *pairing = (struct pairing *)sink;
	struct pair pair;

	if (pairing->lists_open && event->record->sample.present & UE_META_TIME)
		pairing->last = *event->record;
	if (!pairs_take(&pairing->pairs, event, &pair) && !pairing->slowest.has_within)
		return 0;
	if (pairing->slowest.has_within) {
		families_see(&pairing->families, event);
		add_within(pairing, event, &pair);
	}
	if (pair.ended && count_pair(pairing, pair.ended, event, pair.nanoseconds) < 0)
		return -1;
	if (pair.opened)
		open(pairing, event, pair.opened);
	return 0;
}

static int take_with_threads(struct sink *sink, struct event *event)
{
	thread_states_see(&((struct pairing *)sink)->threads, event->record);
	return take(sink, event);
}

static int take_sched(struct sink *sink, const struct record *record)
{
	thread_states_take(&((struct pairing *)sink)->threads, record);
	return 0;
}

void pairing_follow_threads(struct pairing *pairing, const struct stream *stream)
{
	pairing->has_threads = 1;
	pairing->set.more = thread_sums_more;
	pairing->threads.lost = &stream->lost_before;
	pairing->threads.doubt_until = &stream->doubt_until;
	pairing->pairs.data_size = sizeof(struct kept_start);
	pairing->sink.take = take_with_threads;
	pairing->sink.take_sched = take_sched;
}

int pairing_choose(struct pairing *pairing, const char *expression)
{
	pairing->expression = expression;
	pairing->where = where_parse_pairs(expression);
	return pairing->where ? 0 : -1;
}

int pairing_begin(struct pairing *pairing, const struct pair_options *options,
		  struct event_kinds *kinds)
{
	*pairing = (struct pairing){
		.sink = { .take = take },
		.kinds = kinds,
		.pairs = {
			.data_size = offsetof(struct kept_start, mark),
			.context = pairing,
			.leave = leave,
		},
	};
	return asked_pairs_begin(&pairing->asked, options, &pairing->pairs);
}

void pairing_again(struct pairing *pairing)
{
	const struct pairs options = pairing->pairs;
	const struct thread_states threads = pairing->threads;

	histogram_set_again(&pairing->set);
	pairs_free(&pairing->pairs);
	pairing->pairs = (struct pairs){
		.data_size = options.data_size,
		.context = pairing,
		.asked = &pairing->asked,
		.role = options.role,
		.field = options.field,
		.leave = options.leave,
		.key = options.key,
		.most = options.most,
	};
	families_free(&pairing->families);
	thread_states_free(&pairing->threads);
	pairing->threads = (struct thread_states){
		.lost = threads.lost,
		.doubt_until = threads.doubt_until,
	};
	slowest_pairs_free(&pairing->slowest);
	pairing->slowest.items = NULL;
	pairing->slowest.count = 0;
	pairing->excluded = pairing->listed = 0;
	pairing->asked.start.found = pairing->asked.end.found = 0;
	pairing->asked.field.found = pairing->asked.field.missing = 0;
	pairing->set.by->found = pairing->set.by->missing = 0;
}

void pairing_free(struct pairing *pairing)
{
	asked_pairs_free(&pairing->asked);
	histogram_set_free(&pairing->set);
	slowest_pairs_free(&pairing->slowest);
	pairs_free(&pairing->pairs);
	families_free(&pairing->families);
	thread_states_free(&pairing->threads);
	where_free(pairing->where);
	where_free(pairing->split);
}
