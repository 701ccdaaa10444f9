/* SPDX-License-Identifier: MIT */
/*
 * Rings (userevents/ring.h), whose programs may still run. The library reads them; it needs
 * the file, so streams are spooled.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <time.h>

#include <userevents/capture.h>
#include <userevents/ring.h>

#include "common/cli/clock.h"
#include "common/cli/memory.h"
#include "common/records/ring_record.h"
#include "open_input.h"

struct ring_input {
	struct ue_capture *capture;
	struct ring_events events;
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
	const int result = next_event(ring, &event);

	if (result == -ENOMEM)
		memory_is_short();
	if (result == 1 && !ring->end)
		ring->end = find_end(ring);
	if (result != 1 || event.time > ring->end)
		return report(input);
	*record = ring_record(&ring->events, &event);
	return 1;
}

static void close_ring(struct input *input)
{
	struct ring_input *ring = input->state;

	ue_capture_close(ring->capture);
	ring_events_free(&ring->events);
	free(ring->reasons);
	free(ring);
}

static const struct input_kind kind = { next, close_ring };

int input_open_ring(struct input *input)
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
