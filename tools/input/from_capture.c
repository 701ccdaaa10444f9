/* SPDX-License-Identifier: MIT */
/*
 * Capture files, of "userevents run --record"; records/capture_file.h describes them.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/memory.h"
#include "records/byte_cursor.h"
#include "records/capture_file.h"
#include "open_input.h"

struct capture_input {
	char comm[17]; /* of the event */
	int is_big_endian;
	struct tracepoint **tracepoints; /* by index */
	uint32_t count;
};

int input_is_capture(const uint8_t *bytes, size_t length)
{
	return length >= sizeof(struct capture_file_header) &&
	       !memcmp(bytes, CAPTURE_FILE_MAGIC, strlen(CAPTURE_FILE_MAGIC));
}

static int is_damaged(struct input *input, const char *why)
{
	return input_fails(input, "it is damaged at byte %llu: %s",
			   (unsigned long long)input->source.offset, why);
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

/* Events */

static int take_event(struct input *input, const uint8_t *bytes, size_t size,
		      struct record *record)
{
	struct capture_input *capture = input->state;
	struct cursor cursor = cursor_of(bytes, size, capture->is_big_endian);
	uint32_t index, pid, length, tid, cpu, lost;
	const uint8_t *comm;
	int64_t time, clock_time;

	cursor_take(&cursor, sizeof(struct capture_file_head));
	index = cursor_u32(&cursor);
	pid = cursor_u32(&cursor);
	time = (int64_t)cursor_u64(&cursor);
	clock_time = (int64_t)cursor_u64(&cursor);
	length = cursor_u32(&cursor);
	tid = cursor_u32(&cursor);
	cpu = cursor_u32(&cursor);
	lost = cursor_u32(&cursor);
	comm = cursor_take(&cursor, sizeof(capture->comm) - 1);
	if (cursor.is_short || length > cursor_left(&cursor))
		return is_damaged(input, "an event is longer than its record");
	if (index >= capture->count || !capture->tracepoints[index])
		return is_damaged(input, "an event was not defined before");
	memcpy(capture->comm, comm, sizeof(capture->comm) - 1);
	input->lost += lost;
	*record = (struct record){
		.tracepoint = capture->tracepoints[index],
		.bytes = cursor.at,
		.length = length,
		.has_clock_time = 1,
		.clock_time = clock_time,
		.sample = {
			.size = sizeof(record->sample),
			.present = UE_META_TIME | UE_META_CPU | UE_META_PID | UE_META_TID |
				   UE_META_COMM | UE_META_LOST,
			.is_wall_clock = 1,
			.time = time,
			.cpu = cpu,
			.pid = pid,
			.tid = tid,
			.comm = capture->comm,
			.lost = lost,
		},
	};
	return 1;
}

/*
 * 1 with an event, 0 for another record, -1. The event's bytes stay until the next call,
 * also those of a stream.
 */
static int take_record(struct input *input, struct record *record)
{
	const struct capture_input *capture = input->state;
	const uint8_t *bytes =
		source_peek(&input->source, sizeof(struct capture_file_head));
	uint32_t size, kind;
	int result = 0;

	if (!bytes)
		return input_is_cut_off(input, "an event");
	size = load_u32(bytes, capture->is_big_endian);
	kind = load_u32(bytes + 4, capture->is_big_endian);
	if (size < sizeof(struct capture_file_head) || size > CAPTURE_FILE_SIZE_MAX ||
	    size % 8)
		return is_damaged(input, "the size of a record is invalid");
	bytes = source_peek(&input->source, size);
	if (!bytes)
		return input_is_cut_off(input, "an event");
	if (kind == CAPTURE_FILE_DEFINITION)
		result = take_definition(input, bytes, size);
	else if (kind == CAPTURE_FILE_EVENT)
		result = take_event(input, bytes, size, record);
	if (result >= 0)
		source_skip(&input->source, size);
	return result;
}

static int next(struct input *input, struct record *record)
{
	int result = 0;

	while (!result && (source_left(&input->source, 1) || input->source.error))
		result = take_record(input, record);
	return result;
}

static void close_capture(struct input *input)
{
	struct capture_input *capture = input->state;

	for (uint32_t i = 0; i < capture->count; i++)
		tracepoint_free(capture->tracepoints[i]);
	free(capture->tracepoints);
	free(capture);
}

static const struct input_kind kind = { next, close_capture };

int input_open_capture(struct input *input)
{
	const uint8_t *bytes = source_peek(&input->source,
					   sizeof(struct capture_file_header));
	int is_big_endian = load_u32(bytes + 8, 1) == CAPTURE_FILE_ORDER;
	struct capture_input *capture;

	if (load_u32(bytes + 8, is_big_endian) != CAPTURE_FILE_ORDER)
		return input_fails(input, "it has no valid byte order");
	if (load_u32(bytes + 12, is_big_endian) != CAPTURE_FILE_VERSION)
		return input_fails(
			input, "it has version %u; this tool reads version %u",
			load_u32(bytes + 12, is_big_endian), CAPTURE_FILE_VERSION);
	capture = xcalloc(1, sizeof(*capture));
	capture->is_big_endian = is_big_endian;
	source_skip(&input->source, sizeof(struct capture_file_header));
	input->state = capture;
	input->kind = &kind;
	return 0;
}
