/* SPDX-License-Identifier: MIT */
/* Finds the kind of a recording by its first bytes, and reads rings and bare events. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <userevents/capture.h>
#include <userevents/eventheader_name.h>
#include <userevents/ring.h>

#include "common/cli/clock.h"
#include "common/cli/memory.h"
#include "common/records/byte_cursor.h"
#include "common/records/ring_record.h"
#include "common/stacks/stacks.h"
#include "open_input.h"
#include "read/perf/perf_input.h"

/*
 * Rings (userevents/ring.h), whose programs may still run. The library reads them; it needs
 * the file, so streams are spooled.
 */

struct ring_input {
	struct ue_capture *capture;
	struct ring_events events;
	struct ring_stacks stacks;
	char *reasons; /* input->reasons */
	int is_written; /* by programs that run */
	uint64_t malformed; /* records so far */
	int64_t end; /* of CLOCK_MONOTONIC; later events are left out. 0: not known yet */
};

static int describe(struct input *input, struct ue_ring_info *info)
{
	const int result = ue_ring_info(input->source.fd, info);

	return result ? input_fails(input, "%s", ring_reason(input->source.fd, result)) : 0;
}

static int report(struct input *input)
{
	struct ring_input *ring = input->state;
	struct ue_capture_counts counts;
	struct ue_ring_info info;

	if (describe(input, &info))
		return -1;
	ue_capture_count(ring->capture, &counts);
	input->lost = losses_sum(info.lost);
	free(ring->reasons);
	input->reasons = ring->reasons = losses_text(info.lost);
	input->overwritten = info.overwritten;
	input->unfinished = info.cut_off;
	input->why_empty = ring_why_empty(&info);
	if (counts.malformed)
		return input_fails(input, "%llu of its events %s damaged; a program wrote to "
				   "memory that is not its own",
				   (unsigned long long)counts.malformed,
				   counts.malformed == 1 ? "is" : "are");
	return 0;
}

/*
 * A program that writes faster than this one reads would keep it busy for ever. It may also
 * overwrite all that there was at the beginning, so the first event that is found counts.
 */
static int64_t find_end(const struct ring_input *ring)
{
	return ring->is_written ? clock_now(CLOCK_MONOTONIC) : INT64_MAX;
}

#define ATTEMPTS 1000

/*
 * All that was there when the library looked may be overwritten before it reads it, by a
 * writer that never pauses. Then it looks again, unless it has found an event already. It
 * also stops amid many records that are malformed.
 */
static int next_event(struct ring_input *ring, struct ue_captured *event)
{
	struct ue_capture_counts counts;
	uint64_t before = 0;
	int result;

	for (int i = 0; i < ATTEMPTS; i++) {
		result = ue_capture_next(ring->capture, event);
		if (result)
			return result;
		ue_capture_count(ring->capture, &counts);
		if (counts.malformed == ring->malformed &&
		    (ring->end || counts.overwritten == before))
			return 0;
		ring->malformed = counts.malformed;
		before = counts.overwritten;
	}
	return 0;
}

static int next(struct input *input, struct record *record)
{
	struct ring_input *ring = input->state;
	struct ue_captured event;
	struct ring_stack stack;
	int result;

	do {
		result = next_event(ring, &event);
		if (result == -ENOMEM)
			memory_is_short();
		if (result == 1 && !ring->end)
			ring->end = find_end(ring);
		if (result != 1 || event.time > ring->end)
			return report(input);
		*record = ring_record(&ring->events, &event);
		stack = ring_stack_of(&event);
	} while (!ring_stacks_take(&ring->stacks, record, &stack));
	return 1;
}

static void close_ring(struct input *input)
{
	AUTO_FREE struct ring_input *ring = input->state;

	ue_capture_close(ring->capture);
	ring_events_free(&ring->events);
	ring_stacks_free(&ring->stacks);
	free(ring->reasons);
}

static const struct input_kind kind = { next, close_ring };

static int input_open_ring(struct input *input)
{
	struct ring_input *ring;
	struct ue_ring_info info;
	int result = source_spool(&input->source);

	if (result)
		return input_fails_with(input, -result);
	if (describe(input, &info))
		return -1;
	ring = xcalloc(1, sizeof(*ring));
	ring->is_written = info.processes > 0;
	result = ue_capture_open_ring(input->source.fd, 0, &ring->capture);
	if (!result) {
		input->state = ring;
		input->kind = &kind;
		return 0;
	}
	free(ring);
	return input_fails(input, "%s", ring_reason(input->source.fd, result));
}

/*
 * Files of EventHeader events alone. Each has its length, including this number (32 bits,
 * little-endian), the tracepoint's name, a NUL, and the event's bytes.
 */

/* The length of the name, or 0 if these are not the first bytes of an event. */
static size_t name_length(const uint8_t *bytes, size_t length)
{
	const uint8_t *nul = length > 4 ? memchr(bytes + 4, 0, length - 4) : NULL;

	return nul ? (size_t)(nul - bytes) - 4 : 0;
}

/* No event is longer. The first bytes of text, read as a number, are larger. */
#define LONGEST ((uint32_t)16 << 20)

/* If the name ends beyond these bytes, check its beginning. */
static int input_is_events(const uint8_t *bytes, size_t length)
{
	struct ue_eventheader_name parts;
	size_t name = name_length(bytes, length);

	if (length < 16 || load_u32(bytes, 0) < 5 || load_u32(bytes, 0) > LONGEST)
		return 0;
	if (name)
		return !ue_eventheader_name_parse((const char *)bytes + 4, name, &parts,
						  NULL);
	for (size_t i = 4; i < length; i++)
		if (bytes[i] <= ' ' || bytes[i] == 0x7f)
			return 0;
	return load_u32(bytes, 0) > length;
}

static struct tracepoint *find_tracepoint(struct input *input, const char *name)
{
	struct tracepoint *last = input->state;

	if (last && !strcmp(last->name, name))
		return last;
	tracepoint_free(last);
	return input->state = tracepoint_bare(name);
}

static int next_of_events(struct input *input, struct record *record)
{
	const uint8_t *bytes = source_peek(&input->source, 4);
	size_t size, name;

	if (!bytes)
		return source_left(&input->source, 1) || input->source.error ?
			       input_is_cut_off(input, "an event") : 0;
	size = load_u32(bytes, 0);
	if (size > LONGEST)
		return input_fails(input,
				   "it is damaged at byte %llu: an event has more than 16 MiB",
				   (unsigned long long)input->source.offset);
	bytes = source_peek(&input->source, size);
	if (!bytes)
		return input_is_cut_off(input, "an event");
	name = name_length(bytes, size);
	if (!name)
		return input_fails(input,
				   "it is damaged at byte %llu: an event has no name",
				   (unsigned long long)input->source.offset);
	record->tracepoint = find_tracepoint(input, (const char *)bytes + 4);
	record->bytes = bytes + 4 + name + 1;
	record->length = size - 4 - name - 1;
	record->sample = (struct ue_sample){ .size = sizeof(record->sample) };
	source_skip(&input->source, size);
	return 1;
}

static void close_events(struct input *input)
{
	tracepoint_free(input->state);
}

static const struct input_kind events_kind = { next_of_events, close_events };

static int input_open_events(struct input *input)
{
	input->kind = &events_kind;
	return 0;
}

/* Enough to tell the kinds apart. */
#define MAGIC_LENGTH 64u

/* perf wrote this magic before "PERFILE2". */
static int is_old_perf(const uint8_t *bytes, size_t length)
{
	return length >= strlen("PERFFILE") && !memcmp(bytes, "PERFFILE", strlen("PERFFILE"));
}

static int open_kind(struct input *input)
{
	size_t length = source_left(&input->source, MAGIC_LENGTH);
	const uint8_t *bytes = source_peek(&input->source, length);

	if (input->source.error)
		return input_fails_with(input, input->source.error);
	if (!length)
		return input_fails(input, "it is empty");
	if (input_is_perf(bytes, length))
		return input_open_perf(input);
	if (input_is_trace_dat(bytes, length))
		return input_open_trace_dat(input);
	if (input_is_capture(bytes, length))
		return input_open_capture(input);
	if (ring_begins(bytes, length))
		return input_open_ring(input);
	if (input_is_events(bytes, length))
		return input_open_events(input);
	if (is_old_perf(bytes, length))
		return input_fails(input, "it is a perf.data of the first format (PERFFILE), "
				   "which is not supported; perf script reads it");
	return input_fails(input, "it is not a recording: neither perf.data, trace.dat, "
				  "a capture, a ring, nor EventHeader events");
}

int input_open(struct input *input, const char *path)
{
	int result;

	*input = (struct input){
		.path = path,
		.shown = !*path ? "\"\"" : strcmp(path, "-") ? path : "standard input",
	};
	result = source_open(&input->source, path);
	if (result)
		return input_fails(input, "%s", file_reason(-result));
	return open_kind(input);
}
