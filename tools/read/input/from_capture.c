/* SPDX-License-Identifier: MIT */
/*
 * Capture files, of "userevents run --record" and others; common/records/capture_file.h
 * describes them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture_pages.h"
#include "common/cli/memory.h"
#include "common/records/byte_cursor.h"
#include "common/records/capture_file.h"
#include "common/records/ring_record.h"
#include "common/stacks/stacks.h"
#include "open_input.h"

struct capture_input {
	char comm[17], program[17]; /* the event's */
	int is_big_endian;
	struct tracepoint **tracepoints; /* by index */
	uint32_t count;
	struct capture_pages pages;
	struct capture_stack stack; /* of the event */
	struct ring_stacks stacks;
	size_t length; /* of the records of a pass that were looked at */
	int has_pass;  /* its events are being read */
	int forgets_threads; /* after this pass */
	int64_t until; /* later events of this pass wait for the next one */
	int is_over; /* behind this pass is the end, */
	int has_problem; /* or as input->problem says */
	int64_t last_time;
	uint64_t lost_by_events; /* as those that followed report it */
	struct capture_file_lost lost; /* as it was read last */
	char reasons[512];
};

int input_is_capture(const uint8_t *bytes, size_t length)
{
	return length >= sizeof(struct capture_file_header) &&
	       !memcmp(bytes, CAPTURE_FILE_MAGIC, strlen(CAPTURE_FILE_MAGIC));
}

static unsigned long long offset_of(const struct input *input)
{
	const struct capture_input *capture = input->state;

	return input->source.offset + capture->length;
}

static int is_damaged(struct input *input, const char *why)
{
	return input_fails(input, "it is damaged at byte %llu: %s", offset_of(input),
			   why);
}

static int is_cut_off(struct input *input)
{
	if (input->source.error)
		return input_fails_with(input, input->source.error);
	return input_fails(input, "it is cut off at byte %llu, within an event",
			   offset_of(input));
}

/* Definitions */

static void make_room(struct capture_input *capture, uint32_t index)
{
	for (; capture->count <= index; capture->count++) {
		capture->tracepoints = xgrow(capture->tracepoints, capture->count,
					     sizeof(*capture->tracepoints));
		capture->tracepoints[capture->count] = NULL;
	}
}

/* bytes: a whole record of size bytes. */
static int take_definition(struct input *input, const uint8_t *bytes, size_t size)
{
	struct capture_input *capture = input->state;
	struct cursor cursor = cursor_of(bytes, size, capture->is_big_endian);
	struct tracepoint *tracepoint;
	uint32_t index, length;

	cursor_take(&cursor, sizeof(struct capture_file_head));
	index = cursor_u32(&cursor);
	length = cursor_u32(&cursor);
	if (cursor.is_short || length >= cursor_left(&cursor) || cursor.at[length] ||
	    strlen((const char *)cursor.at) != length || index >= CAPTURE_FILE_INDEX_MAX)
		return is_damaged(input, "a definition is malformed");
	tracepoint = tracepoint_define((const char *)cursor.at, capture->is_big_endian);
	if (!tracepoint)
		return is_damaged(input, "a definition is invalid");
	make_room(capture, index);
	tracepoint->has_no_common = 1;
	tracepoint_free(capture->tracepoints[index]);
	capture->tracepoints[index] = tracepoint;
	return 0;
}

/* Losses */

static void count_lost(struct input *input, uint32_t lost)
{
	struct capture_input *capture = input->state;

	capture->lost_by_events += lost;
	input->lost += lost;
}

static int take_losses(struct input *input, const uint8_t *bytes, size_t size)
{
	struct capture_input *capture = input->state;
	struct cursor cursor = cursor_of(bytes, size, capture->is_big_endian);
	struct capture_file_lost lost = { .head.size = 0 };

	cursor_take(&cursor, sizeof(lost.head));
	for (unsigned i = 0; i < CAPTURE_FILE_REASONS; i++)
		lost.lost[i] = cursor_u64(&cursor);
	lost.overwritten = cursor_u64(&cursor);
	lost.in_programs = cursor_u64(&cursor);
	if (cursor.is_short)
		return is_damaged(input,
				  "the counts of losses are longer than their record");
	capture->lost = lost;
	return 0;
}

/* Add to the reasons, as a list. */
static void add_reason(struct capture_input *capture, uint64_t count, const char *why)
{
	const size_t length = strlen(capture->reasons);

	if (count)
		snprintf(capture->reasons + length, sizeof(capture->reasons) - length,
			 "%s%llu %s", length ? ", " : "", (unsigned long long)count, why);
}

/*
 * Some may have been followed by no event. Of a damaged file the counts may be anything.
 */
static void count_all_lost(struct input *input)
{
	struct capture_input *capture = input->state;
	const struct capture_file_lost *lost = &capture->lost;
	const uint64_t sum =
		losses_sum(lost->lost) + lost->overwritten + lost->in_programs;
	AUTO_FREE char *by_reason = NULL;

	if (sum < capture->lost_by_events)
		return;
	input->lost = sum;
	by_reason = losses_text(lost->lost);
	snprintf(capture->reasons, sizeof(capture->reasons), "%s", by_reason);
	add_reason(capture, lost->in_programs, "by the library in programs");
	add_reason(capture, lost->overwritten, "overwritten before being read");
	input->reasons = capture->reasons;
}

/* Events */

/* Times of two pages may differ by the time of reading two clocks. */
#define LEAST_STEP 1000u

static int64_t keep_order(struct capture_input *capture, int64_t time)
{
	if (time < capture->last_time &&
	    (uint64_t)capture->last_time - (uint64_t)time < LEAST_STEP)
		time = capture->last_time;
	capture->last_time = time;
	return time;
}

/* 0 if the event only describes the code of its process. */
static int add_stack(struct capture_input *capture, const uint8_t *base, uint64_t process,
		     struct record *record)
{
	struct ring_stack stack = { .process = process };

	capture_pages_stack(&capture->pages, base, &capture->stack);
	stack.addresses = capture->stack.addresses;
	stack.count = capture->stack.count;
	stack.asked = capture->stack.asked;
	stack.is_cut = capture->stack.is_cut;
	return ring_stacks_take(&capture->stacks, record, &stack);
}

/*
 * The earliest event of the pass, whose bytes stay until the next call: 1, or 0 if it is none of
 * the program.
 */
static int take_from_pass(struct input *input, struct record *record)
{
	struct capture_input *capture = input->state;
	const uint8_t *base = source_peek(&input->source, capture->length);
	const struct capture_run *run =
		capture_pages_first(&capture->pages, capture->until);
	const struct capture_thread *thread = &capture->pages.threads[run->thread];
	const char *cgroup = capture_pages_cgroup(&capture->pages, &run->page);
	const int64_t time = keep_order(capture, run->time);
	int is_event;

	memcpy(capture->comm, *thread->comm ? thread->comm : run->page.process,
	       sizeof(capture->comm));
	memcpy(capture->program, run->page.process, sizeof(capture->program));
	count_lost(input, run->page.lost);
	*record = (struct record){
		.tracepoint = capture->tracepoints[run->index],
		.bytes = base + run->payload,
		.length = run->length,
		.program = capture->program,
		.has_clock_time = 1,
		.clock_time = (int64_t)((uint64_t)time - (uint64_t)run->page.time +
					(uint64_t)run->page.clock_time),
		.sample = {
			.size = sizeof(record->sample),
			.present = UE_META_TIME | UE_META_CPU | UE_META_PID |
				   UE_META_TID | UE_META_COMM | UE_META_LOST,
			.is_wall_clock = 1,
			.time = time,
			.cpu = run->page.cpu,
			.pid = run->page.pid,
			.tid = thread->tid,
			.comm = capture->comm,
			.lost = run->page.lost,
			.cgroup = cgroup,
		},
	};
	if (cgroup)
		record->sample.present |= UE_META_CGROUP;
	is_event = add_stack(capture, base, run->page.writer, record);
	capture_pages_pass(&capture->pages, base);
	return is_event;
}

/* Records */

struct ahead {
	const uint8_t *bytes;
	size_t size, left; /* of the record; bytes that are there */
	uint32_t kind;
};

/* Look at the next record. 0 or -1. */
static int look_ahead(struct input *input, struct ahead *ahead)
{
	const struct capture_input *capture = input->state;
	const size_t head = sizeof(struct capture_file_head), before = capture->length;
	const uint8_t *bytes = source_peek(&input->source, before + head);

	if (!bytes)
		return is_cut_off(input);
	ahead->size = load_u32(bytes + before, capture->is_big_endian);
	ahead->kind = load_u32(bytes + before + 4, capture->is_big_endian);
	if (ahead->size < head || ahead->size > CAPTURE_FILE_SIZE_MAX || ahead->size % 8)
		return is_damaged(input, "the size of a record is invalid");
	ahead->left = source_left(&input->source, before + ahead->size) - before;
	ahead->bytes = source_peek(&input->source, before + ahead->left) + before;
	return 0;
}

static int is_defined(const void *context, uint32_t index)
{
	const struct capture_input *capture = context;

	return index < capture->count && capture->tracepoints[index];
}

static int take_pass(struct input *input, const uint8_t *bytes, size_t size)
{
	struct capture_input *capture = input->state;
	struct cursor cursor = cursor_of(bytes, size, capture->is_big_endian);
	int forgets_threads;
	int64_t until;

	cursor_take(&cursor, sizeof(struct capture_file_head));
	forgets_threads = cursor_u32(&cursor) != 0;
	cursor_u32(&cursor);
	until = (int64_t)cursor_u64(&cursor);
	if (cursor.is_short)
		return is_damaged(input, "the end of a pass is longer than its record");
	capture->forgets_threads = forgets_threads;
	capture->until = forgets_threads ? INT64_MAX : until;
	capture->has_pass = 1;
	return 0;
}

static int take_page(struct input *input, uint32_t kind, const uint8_t *bytes,
		     size_t size)
{
	struct capture_input *capture = input->state;
	const char *problem = NULL;

	if (kind == CAPTURE_FILE_THREAD)
		problem = capture_pages_add_thread(&capture->pages, bytes, size);
	else if (kind == CAPTURE_FILE_RING)
		problem = capture_pages_add_ring(&capture->pages, bytes, size);
	else if (kind == CAPTURE_FILE_PAGE)
		problem = capture_pages_add_page(&capture->pages, bytes, size);
	else if (kind == CAPTURE_FILE_STACKS)
		problem = capture_pages_add_stacks(&capture->pages, bytes, size,
						   capture->length);
	else if (kind == CAPTURE_FILE_EVENTS)
		problem = capture_pages_add_events(&capture->pages, bytes, size,
						   capture->length, is_defined, capture);
	return problem ? is_damaged(input, problem) : 0;
}

/* A whole record: 0 or -1. */
static int take_whole(struct input *input, const struct ahead *ahead)
{
	switch (ahead->kind) {
	case CAPTURE_FILE_DEFINITION:
		return take_definition(input, ahead->bytes, ahead->size);
	case CAPTURE_FILE_PASS:
		return take_pass(input, ahead->bytes, ahead->size);
	case CAPTURE_FILE_LOST:
		return take_losses(input, ahead->bytes, ahead->size);
	default:
		return take_page(input, ahead->kind, ahead->bytes, ahead->size);
	}
}

/* A record that is cut off has the events that are whole. */
static int read_record(struct input *input)
{
	struct capture_input *capture = input->state;
	struct ahead ahead = { .kind = 0 };
	int result;

	if (look_ahead(input, &ahead))
		return -1;
	if (ahead.left < ahead.size) {
		take_page(input, ahead.kind, ahead.bytes, ahead.left);
		capture->length += ahead.left;
		return is_cut_off(input);
	}
	result = take_whole(input, &ahead);
	capture->length += ahead.size;
	return result;
}

/* Passes. Records that no events were read from are passed over at once. */

static void leave_pass(struct input *input)
{
	struct capture_input *capture = input->state;
	const size_t done = capture_pages_end_pass(&capture->pages, capture->length,
						   capture->forgets_threads);

	source_skip(&input->source, done);
	capture->length -= done;
	capture->has_pass = capture->forgets_threads = 0;
	capture->until = INT64_MAX;
}

static void read_on(struct input *input)
{
	struct capture_input *capture = input->state;
	const int is_more =
		source_left(&input->source, capture->length + 1) > capture->length;
	const int result = is_more	       ? read_record(input) :
			   input->source.error ? is_cut_off(input) :
						 0;

	capture->has_problem = result < 0;
	capture->is_over = result < 0 || !is_more;
	if (capture->is_over)
		capture->until = INT64_MAX;
	capture->has_pass |= capture->is_over ||
			     capture->pages.run_count == CAPTURE_FILE_RUNS_MAX;
	if (!capture->has_pass && !capture->pages.run_count)
		leave_pass(input);
}

static int next(struct input *input, struct record *record)
{
	struct capture_input *capture = input->state;
	int result = 0;

	while (!result) {
		if (!capture->has_pass)
			read_on(input);
		else if (capture_pages_first(&capture->pages, capture->until))
			result = take_from_pass(input, record);
		else if (capture->is_over)
			break;
		else
			leave_pass(input);
	}
	if (!result)
		count_all_lost(input);
	return !result && capture->has_problem ? -1 : result;
}

static void close_capture(struct input *input)
{
	AUTO_FREE struct capture_input *capture = input->state;

	for (uint32_t i = 0; i < capture->count; i++)
		tracepoint_free(capture->tracepoints[i]);
	free(capture->tracepoints);
	capture_pages_free(&capture->pages);
	ring_stacks_free(&capture->stacks);
}

static const struct input_kind kind = { next, close_capture };

int input_open_capture(struct input *input)
{
	const uint8_t *bytes = source_peek(&input->source,
					   sizeof(struct capture_file_header));
	int is_big_endian = load_u32(bytes + 8, 1) == CAPTURE_FILE_ORDER;
	struct capture_input *capture;
	uint32_t version;

	if (load_u32(bytes + 8, is_big_endian) != CAPTURE_FILE_ORDER)
		return input_fails(input, "it has no valid byte order");
	version = load_u32(bytes + 12, is_big_endian);
	if (version != CAPTURE_FILE_VERSION)
		return input_fails(input,
				   "it has version %u, and this tool reads version %u; use "
				   "the tool that wrote it", version, CAPTURE_FILE_VERSION);
	capture = xcalloc(1, sizeof(*capture));
	capture->is_big_endian = capture->pages.is_big_endian = is_big_endian;
	capture->until = INT64_MAX;
	source_skip(&input->source, sizeof(struct capture_file_header));
	input->state = capture;
	input->kind = &kind;
	return 0;
}
