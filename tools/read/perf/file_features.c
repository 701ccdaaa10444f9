/* SPDX-License-Identifier: MIT */
/* Features of a perf recording: names of events, clocks, tracepoints. */
#include <string.h>
#include <time.h>

#include "common/cli/memory.h"
#include "perf_input.h"

/* A text of a feature: its length, with padding, then bytes up to a NUL. */
static const char *take_string(struct cursor *cursor)
{
	uint32_t length = cursor_u32(cursor);
	const uint8_t *bytes = cursor_take(cursor, length);

	return bytes && memchr(bytes, 0, length) ? (const char *)bytes : NULL;
}

static void name_event(struct perf_input *perf, uint32_t event, const char *name)
{
	if (event >= perf->events.count || perf->events.events[event].name)
		return;
	perf->events.events[event].name = xstrdup(name);
}

/* The name belongs to the event with these ids; without ids, to the one in this place. */
static void take_name(struct perf_input *perf, struct cursor *cursor, uint32_t attr_size,
		      uint32_t place)
{
	uint32_t ids, event = place;
	const char *name;

	cursor_take(cursor, attr_size);
	ids = cursor_u32(cursor);
	name = take_string(cursor);
	if (ids) {
		uint32_t found = id_map_find(&perf->events.ids, cursor_u64(cursor));

		event = found == NO_EVENT ? event : found;
		cursor_take(cursor, (uint64_t)(ids - 1) * 8);
	}
	if (name && !cursor->is_short)
		name_event(perf, event, name);
}

static void take_names(struct perf_input *perf, struct cursor *cursor)
{
	uint32_t count = cursor_u32(cursor);
	uint32_t attr_size = cursor_u32(cursor);

	for (uint32_t i = 0; i < count && !cursor->is_short; i++)
		take_name(perf, cursor, attr_size, i);
}

/* Two readings of clocks at one moment: what to add to get to wall time. */
static void take_clock_data(struct perf_input *perf, struct cursor *cursor)
{
	uint32_t version = cursor_u32(cursor);
	uint64_t wall, clock;

	cursor_u32(cursor); /* the clock's id */
	wall = cursor_u64(cursor);
	clock = cursor_u64(cursor);
	if (version != 1 || cursor->is_short)
		return;
	perf->is_wall_clock = 1;
	perf->wall_offset = (int64_t)(wall - clock);
}

void perf_take_feature(struct input *input, uint64_t feature, const uint8_t *bytes,
		       size_t length)
{
	struct perf_input *perf = input->state;
	struct cursor cursor = cursor_of(bytes, length, perf->events.is_big_endian);

	switch (feature) {
	case PERF_FEATURE_EVENT_DESC:
		take_names(perf, &cursor);
		break;
	case PERF_FEATURE_CLOCK_DATA:
		take_clock_data(perf, &cursor);
		break;
	}
}

int perf_take_tracing_data(struct input *input, const uint8_t *bytes, size_t length)
{
	struct perf_input *perf = input->state;
	const char *problem = tracing_data_parse(&perf->tracing, bytes, length);

	if (problem)
		return input_fails(input,
				   "it is damaged: its description of tracepoints %s",
				   problem);
	return 0;
}

long perf_take_attr(struct input *input, const uint8_t *attr, size_t length)
{
	struct perf_input *perf = input->state;
	long index = perf_events_add(&perf->events, attr, length);

	if (index < 0)
		return input_fails(
			input,
			"it is damaged: the description of an event has only %zu bytes",
			length);
	if (perf->events.events[index].clock == CLOCK_REALTIME)
		perf->is_wall_clock = 1;
	return index;
}
