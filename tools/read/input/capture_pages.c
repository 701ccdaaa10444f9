/* SPDX-License-Identifier: MIT */
/*
 * Pages of a capture file.
 *
 * A recorder copies the pages of a ring, and leaves it to the reader
 * to put events in order. All of a pass are later than those of the pass before; so the
 * records of events of one pass, each of which is in order, are merged by a heap. With
 * several rings, those that are later than a pass began stay in the heap for the next.
 *
 * Each event is looked at when its record is added, so that nothing can be wrong
 * afterwards.
 */
#include "capture_pages.h"

#include <stdlib.h>
#include <string.h>

#include "common/cli/memory.h"
#include "common/records/byte_cursor.h"
#include "common/records/capture_file.h"

static struct cursor body_of(const struct capture_pages *pages, const uint8_t *bytes,
			     size_t size)
{
	struct cursor cursor = cursor_of(bytes, size, pages->is_big_endian);

	cursor_take(&cursor, sizeof(struct capture_file_head));
	return cursor;
}

static void take_name(struct cursor *cursor, char *to)
{
	const uint8_t *from = cursor_take(cursor, 16);

	if (from)
		memcpy(to, from, 16);
}

const char *capture_pages_add_thread(struct capture_pages *pages, const uint8_t *bytes,
				     size_t size)
{
	struct cursor cursor = body_of(pages, bytes, size);
	struct capture_thread thread = { .tid = cursor_u32(&cursor) };

	take_name(&cursor, thread.comm);
	if (cursor.is_short)
		return "a thread is longer than its record";
	if (pages->thread_count == CAPTURE_FILE_THREADS_MAX)
		return "it has too many threads";
	pages->threads = xgrow(pages->threads, pages->thread_count, sizeof(thread));
	pages->threads[pages->thread_count++] = thread;
	return NULL;
}

const char *capture_pages_add_ring(struct capture_pages *pages, const uint8_t *bytes,
				   size_t size)
{
	struct cursor cursor = body_of(pages, bytes, size);
	const uint32_t number = cursor_u32(&cursor), length = cursor_u32(&cursor);
	const char *text = (const char *)cursor_take(&cursor, (size_t)length + 1);

	if (!text || text[length] || strlen(text) != length)
		return "a ring has no valid name";
	if (number > pages->ring_count || number >= CAPTURE_FILE_RINGS_MAX)
		return "a ring has a number that is not the next one";
	if (number == pages->ring_count) {
		pages->rings = xgrow(pages->rings, pages->ring_count++, sizeof(char *));
		pages->rings[number] = NULL;
	}
	free(pages->rings[number]);
	pages->rings[number] = xstrdup(text);
	return NULL;
}

const char *capture_pages_cgroup(const struct capture_pages *pages,
				 const struct capture_place *page)
{
	return page->ring < pages->ring_count ? pages->rings[page->ring] : NULL;
}

const char *capture_pages_add_page(struct capture_pages *pages, const uint8_t *bytes,
				   size_t size)
{
	struct cursor cursor = body_of(pages, bytes, size);
	struct capture_place place = { 0 };
	const uint32_t number = cursor_u32(&cursor);

	place.pid = cursor_u32(&cursor);
	place.cpu = cursor_u32(&cursor);
	place.lost = cursor_u32(&cursor);
	place.clock = cursor_u32(&cursor);
	place.ring = cursor_u32(&cursor);
	place.opened = cursor_u64(&cursor);
	place.clock_time = (int64_t)cursor_u64(&cursor);
	place.time = (int64_t)cursor_u64(&cursor);
	take_name(&cursor, place.process);
	place.writer = cursor_u64(&cursor);
	if (cursor.is_short)
		return "a page is longer than its record";
	if (number > pages->place_count)
		return "a page has a place that is not the next one";
	if (number == pages->place_count)
		pages->places = xgrow(pages->places, pages->place_count++, sizeof(place));
	pages->places[number] = place;
	return NULL;
}

/* Events */

/* One of more than 64 bits, or that is cut off, is too short. */
static uint64_t take_varint(struct cursor *cursor)
{
	uint64_t number = 0;

	for (unsigned shift = 0; shift < 64; shift += 7) {
		const uint8_t byte = cursor_u8(cursor);

		number |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80)
			return number;
	}
	cursor->is_short = 1;
	return 0;
}

/* Any numbers may stand in a file, so sums are cut. */
static int64_t later(int64_t time, double nanoseconds)
{
	const double most = 4e18;
	const double more = nanoseconds > most	? most :
			    nanoseconds < -most ? -most :
						  nanoseconds;

	return (int64_t)((uint64_t)time + (uint64_t)(int64_t)more);
}

static double since_opened(const struct capture_run *run)
{
	return (double)(int64_t)(run->clock - run->page.opened) * run->rate;
}

/* The next event of a run. */
static void take_event(struct capture_run *run, struct cursor *cursor)
{
	const uint64_t word = take_varint(cursor);
	uint64_t length, thread = run->thread;

	if (word & 1)
		thread = take_varint(cursor);
	run->clock += take_varint(cursor);
	length = take_varint(cursor);
	if (word >> 33 || thread > UINT32_MAX || length > CAPTURE_FILE_SIZE_MAX)
		cursor->is_short = 1;
	run->index = (uint32_t)(word >> 1);
	run->thread = (uint32_t)thread;
	run->length = (uint32_t)length;
}

/* 0, or -1 if it has no valid page. */
static int begin_run(const struct capture_pages *pages, struct cursor *cursor,
		     struct capture_run *run)
{
	const uint32_t place = cursor_u32(cursor), count = cursor_u32(cursor);
	const uint64_t rate = cursor_u64(cursor);

	*run = (struct capture_run){ .left = count, .thread = UINT32_MAX };
	memcpy(&run->rate, &rate, sizeof(rate));
	if (cursor->is_short || place >= pages->place_count ||
	    !(run->rate > 0 && run->rate < 1000))
		return -1;
	run->page = pages->places[place];
	run->clock = run->page.opened;
	pages->places[place].lost = 0;
	return 0;
}

/* Count the events that are whole, and look at each. NULL, or the fault. */
static const char *check(const struct capture_pages *pages, struct capture_run *run,
			 struct cursor cursor,
			 int (*is_defined)(const void *context, uint32_t index),
			 const void *context)
{
	struct capture_run event = *run;
	const uint32_t count = run->left;

	for (run->left = 0; run->left < count; run->left++) {
		take_event(&event, &cursor);
		cursor_take(&cursor, event.length);
		if (cursor.is_short)
			return "an event is longer than its record";
		if (!is_defined(context, event.index))
			return "an event was not defined before";
		if (event.thread >= pages->thread_count)
			return "the thread of an event was not named before";
	}
	return NULL;
}

/* The heap */

static int is_earlier(const struct capture_pages *pages, uint32_t one, uint32_t other)
{
	const struct capture_run *a = &pages->runs[one], *b = &pages->runs[other];

	if (a->page.clock == b->page.clock && a->clock != b->clock)
		return a->clock < b->clock;
	if (a->page.clock != b->page.clock && a->time != b->time)
		return a->time < b->time;
	return one < other;
}

static void swap(uint32_t *one, uint32_t *other)
{
	const uint32_t kept = *one;

	*one = *other;
	*other = kept;
}

static void rise(struct capture_pages *pages, uint32_t at)
{
	uint32_t *heap = pages->heap;

	for (; at && is_earlier(pages, heap[at], heap[(at - 1) / 2]); at = (at - 1) / 2)
		swap(&heap[at], &heap[(at - 1) / 2]);
}

static void sink_down(struct capture_pages *pages)
{
	uint32_t *heap = pages->heap, at = 0, least = 0;

	do {
		swap(&heap[at], &heap[least]);
		at = least;
		for (uint32_t child = 2 * at + 1;
		     child < pages->heap_count && child <= 2 * at + 2; child++)
			if (is_earlier(pages, heap[child], heap[least]))
				least = child;
	} while (least != at);
}

/* Runs */

static void read_event(const struct capture_pages *pages, struct capture_run *run,
		       const uint8_t *base)
{
	struct cursor cursor = cursor_of(base + run->at, run->end - run->at,
					 pages->is_big_endian);

	take_event(run, &cursor);
	run->payload = (size_t)(cursor.at - base);
	run->at = run->payload + run->length;
	run->time = later(run->page.time, since_opened(run));
}

static void add_run(struct capture_pages *pages, const struct capture_run *run)
{
	pages->runs = xgrow(pages->runs, pages->run_count, sizeof(*run));
	pages->heap = xgrow(pages->heap, pages->run_count, sizeof(*pages->heap));
	pages->runs[pages->run_count] = *run;
	pages->last_run = pages->run_count + 1;
	pages->heap[pages->heap_count] = pages->run_count++;
	rise(pages, pages->heap_count++);
}

const char *capture_pages_add_events(
	struct capture_pages *pages, const uint8_t *bytes, size_t size, size_t at,
	int (*is_defined)(const void *context, uint32_t index), const void *context)
{
	struct cursor cursor = body_of(pages, bytes, size);
	struct capture_run run;
	const char *problem;

	pages->last_run = 0;
	if (begin_run(pages, &cursor, &run))
		return "events are of no page, or have no rate";
	run.at = at + (size_t)(cursor.at - bytes);
	run.end = at + size;
	problem = check(pages, &run, cursor, is_defined, context);
	if (!run.left)
		return problem;
	read_event(pages, &run, bytes - at);
	add_run(pages, &run);
	return problem;
}

/* Stacks */

/* The part before the addresses: 0, or -1 if it is not a stack. */
static int take_stack_head(struct cursor *cursor, uint64_t *ahead, struct capture_stack *stack)
{
	uint64_t word;

	*ahead = take_varint(cursor);
	word = take_varint(cursor);
	stack->count = (uint32_t)(word / 2);
	stack->is_cut = word & 1;
	return cursor->is_short || word / 2 > CAPTURE_FRAMES_MOST || *ahead > UINT32_MAX ? -1 : 0;
}

static void take_addresses(struct cursor *cursor, struct capture_stack *stack, uint64_t *last)
{
	for (uint32_t i = 0; i < stack->count; i++) {
		const uint64_t number = take_varint(cursor);

		*last += number >> 1 ^ -(number & 1);
		stack->addresses[i] = *last;
	}
}

/* The next stack of a run is so many events ahead. */
static void look_ahead(const struct capture_pages *pages, struct capture_stacks *stacks,
		       const uint8_t *base)
{
	struct cursor cursor = cursor_of(base + stacks->at, stacks->end - stacks->at,
					 pages->is_big_endian);

	stacks->ahead = stacks->left ? (uint32_t)take_varint(&cursor) : 0;
}

const char *capture_pages_add_stacks(struct capture_pages *pages, const uint8_t *bytes,
				     size_t size, size_t at)
{
	static const char malformed[] = "a stack is longer than its record";
	struct cursor cursor = body_of(pages, bytes, size);
	struct capture_stacks stacks = { .left = cursor_u32(&cursor) }, *own;
	struct capture_stack stack;
	uint64_t ahead, last = 0;

	stacks.asked = cursor_u32(&cursor);
	if (cursor.is_short)
		return malformed;
	stacks.at = at + (size_t)(cursor.at - bytes);
	stacks.end = at + size;
	for (uint32_t i = 0; i < stacks.left; i++) {
		if (take_stack_head(&cursor, &ahead, &stack))
			return malformed;
		take_addresses(&cursor, &stack, &last);
		if (cursor.is_short)
			return malformed;
	}
	if (!pages->last_run)
		return NULL;
	own = &pages->runs[pages->last_run - 1].stacks;
	*own = stacks;
	look_ahead(pages, own, bytes - at);
	pages->last_run = 0;
	return NULL;
}

void capture_pages_stack(const struct capture_pages *pages, const uint8_t *base,
			 struct capture_stack *stack)
{
	const struct capture_stacks *stacks = &pages->runs[pages->heap[0]].stacks;
	struct cursor cursor;
	uint64_t ahead, last = stacks->address;

	stack->count = 0;
	stack->asked = stacks->asked;
	if (!stacks->left || stacks->ahead)
		return;
	cursor = cursor_of(base + stacks->at, stacks->end - stacks->at, pages->is_big_endian);
	if (!take_stack_head(&cursor, &ahead, stack))
		take_addresses(&cursor, stack, &last);
}

/* The event of a run is over, and its stack. */
static void pass_stack(const struct capture_pages *pages, struct capture_stacks *stacks,
		       const uint8_t *base)
{
	struct capture_stack stack;
	struct cursor cursor;
	uint64_t ahead;

	if (!stacks->left)
		return;
	if (stacks->ahead) {
		stacks->ahead--;
		return;
	}
	cursor = cursor_of(base + stacks->at, stacks->end - stacks->at, pages->is_big_endian);
	if (take_stack_head(&cursor, &ahead, &stack))
		return;
	take_addresses(&cursor, &stack, &stacks->address);
	stacks->at = (size_t)(cursor.at - base);
	stacks->left--;
	look_ahead(pages, stacks, base);
}

const struct capture_run *capture_pages_first(const struct capture_pages *pages,
					      int64_t until)
{
	const struct capture_run *run;

	if (!pages->heap_count)
		return NULL;
	run = &pages->runs[pages->heap[0]];
	return pages->waited_count || run->time <= until ? run : NULL;
}

void capture_pages_pass(struct capture_pages *pages, const uint8_t *base)
{
	struct capture_run *run = &pages->runs[pages->heap[0]];

	run->page.lost = 0;
	pages->last_run = 0;
	pass_stack(pages, &run->stacks, base);
	if (--run->left) {
		read_event(pages, run, base);
	} else {
		pages->waited_count -= (uint32_t)run->has_waited;
		pages->heap[0] = pages->heap[--pages->heap_count];
	}
	sink_down(pages);
}

/* One pass may be much larger than the others. */
#define RUNS_KEPT 4096u

static void forget_runs(struct capture_pages *pages)
{
	if (pages->run_count > RUNS_KEPT) {
		free(pages->runs);
		free(pages->heap);
		pages->runs = NULL;
		pages->heap = NULL;
	}
	pages->run_count = pages->heap_count = 0;
}

/* The bytes in front of the first event that waits. */
static size_t done_bytes(const struct capture_pages *pages, size_t length)
{
	for (uint32_t i = 0; i < pages->heap_count; i++)
		if (pages->runs[pages->heap[i]].payload < length)
			length = pages->runs[pages->heap[i]].payload;
	return length;
}

/* Only those that wait stay, in their order. */
static void keep_waiting(struct capture_pages *pages, size_t done)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < pages->run_count; i++) {
		struct capture_run *run = &pages->runs[i];

		if (!run->left)
			continue;
		run->has_waited = 1;
		run->payload -= done;
		run->at -= done;
		run->end -= done;
		run->stacks.at -= run->stacks.left ? done : 0;
		run->stacks.end -= run->stacks.left ? done : 0;
		pages->runs[kept] = *run;
		pages->heap[kept] = kept;
		rise(pages, kept++);
	}
	pages->run_count = pages->heap_count = pages->waited_count = kept;
}

size_t capture_pages_end_pass(struct capture_pages *pages, size_t length,
			      int forgets_threads)
{
	const size_t done = done_bytes(pages, length);

	pages->last_run = 0;
	if (pages->heap_count)
		keep_waiting(pages, done);
	else
		forget_runs(pages);
	if (forgets_threads)
		pages->thread_count = 0;
	return done;
}

void capture_pages_free(struct capture_pages *pages)
{
	for (uint32_t i = 0; i < pages->ring_count; i++)
		free(pages->rings[i]);
	free(pages->rings);
	free(pages->places);
	free(pages->threads);
	free(pages->runs);
	free(pages->heap);
}
