/* SPDX-License-Identifier: MIT */
/* Parses perf_event_attr and samples. */
#include "perf_input.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>

#include <userevents/decode/render.h>

#include "common/cli/memory.h"
#include "common/records/byte_cursor.h"

/* Members of 8 bytes, in the order in which samples have them. */
static const uint64_t fixed_members[] = {
	PERF_SAMPLE_IDENTIFIER, PERF_SAMPLE_IP,	       PERF_SAMPLE_TID,
	PERF_SAMPLE_TIME,	PERF_SAMPLE_ADDR,      PERF_SAMPLE_ID,
	PERF_SAMPLE_STREAM_ID,	PERF_SAMPLE_CPU,       PERF_SAMPLE_PERIOD,
};

#define FIXED_MEMBERS (sizeof(fixed_members) / sizeof(fixed_members[0]))

static uint8_t place(uint64_t sample_type, uint64_t member)
{
	uint8_t at = 0;

	if (!(sample_type & member))
		return NOWHERE;
	for (size_t i = 0; fixed_members[i] != member; i++)
		at = (uint8_t)(at + !!(sample_type & fixed_members[i]));
	return at;
}

static void find_places(struct perf_event *event)
{
	uint64_t type = event->sample_type;

	event->id_at = place(type, PERF_SAMPLE_IDENTIFIER);
	if (event->id_at == NOWHERE)
		event->id_at = place(type, PERF_SAMPLE_ID);
	event->tid_at = place(type, PERF_SAMPLE_TID);
	event->time_at = place(type, PERF_SAMPLE_TIME);
	event->cpu_at = place(type, PERF_SAMPLE_CPU);
	event->fixed = 0;
	for (size_t i = 0; i < FIXED_MEMBERS; i++)
		event->fixed = (uint8_t)(event->fixed + !!(type & fixed_members[i]));
}

/* Members that vary stand before the group, but for those of later kernels. */
#define BEHIND_CGROUP (PERF_SAMPLE_DATA_PAGE_SIZE | PERF_SAMPLE_CODE_PAGE_SIZE)
#define NOT_BEHIND_CGROUP \
	((PERF_SAMPLE_CGROUP << 1) - 1 + PERF_SAMPLE_WEIGHT_STRUCT)

static uint8_t cgroup_place(uint64_t type)
{
	if (!(type & PERF_SAMPLE_CGROUP) || type & ~(NOT_BEHIND_CGROUP | BEHIND_CGROUP))
		return NOWHERE;
	return (uint8_t)(1 + __builtin_popcountll(type & BEHIND_CGROUP));
}

/* Records that are no samples end with the same members as samples begin with. */
static uint8_t end_time_place(uint64_t type)
{
	const uint64_t behind = PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU |
				PERF_SAMPLE_IDENTIFIER;

	if (!(type & PERF_SAMPLE_TIME))
		return NOWHERE;
	return (uint8_t)(1 + __builtin_popcountll(type & behind));
}

/* On big-endian machines the bits of the attr's flags count from the other end. */
static int flag(const struct perf_events *events, uint64_t flags, unsigned int bit)
{
	return (int)(flags >> (events->is_big_endian ? 63 - bit : bit) & 1);
}

#define FLAG_SAMPLE_ID_ALL 18
#define FLAG_USE_CLOCKID 25
#define ATTR_CLOCKID_AT 92
#define ATTR_MAX_STACK_AT 108

static void parse_attr(const struct perf_events *events, struct perf_event *event,
		       const uint8_t *attr, size_t length)
{
	struct cursor cursor = cursor_of(attr, length, events->is_big_endian);
	uint64_t flags;

	event->type = cursor_u32(&cursor);
	cursor_u32(&cursor); /* size */
	event->config = cursor_u64(&cursor);
	cursor_u64(&cursor); /* period */
	event->sample_type = cursor_u64(&cursor);
	event->read_format = cursor_u64(&cursor);
	flags = cursor_u64(&cursor);
	event->end_time_at = flag(events, flags, FLAG_SAMPLE_ID_ALL) ?
				     end_time_place(event->sample_type) : NOWHERE;
	event->cgroup_at = cgroup_place(event->sample_type);
	event->clock = -1;
	if (flag(events, flags, FLAG_USE_CLOCKID) && length >= ATTR_CLOCKID_AT + 4)
		event->clock = (int32_t)load_u32(attr + ATTR_CLOCKID_AT,
						 events->is_big_endian);
	if (length >= ATTR_MAX_STACK_AT + 2)
		event->max_stack = load_u16(attr + ATTR_MAX_STACK_AT,
					    events->is_big_endian);
}

long perf_events_add(struct perf_events *events, const uint8_t *attr, size_t length)
{
	struct perf_event *event;

	if (length < PERF_ATTR_SIZE_VER0 || events->count >= INT32_MAX)
		return -EBADMSG;
	events->events = xgrow(events->events, events->count, sizeof(*event));
	event = &events->events[events->count];
	*event = (struct perf_event){ 0 };
	parse_attr(events, event, attr, length);
	find_places(event);
	if (event->sample_type != events->events[0].sample_type ||
	    event->read_format != events->events[0].read_format)
		events->is_mixed = 1;
	return (long)events->count++;
}

void perf_events_free(struct perf_events *events)
{
	for (size_t i = 0; i < events->count; i++)
		free(events->events[i].name);
	free(events->events);
	key_table_free(&events->ids);
	*events = (struct perf_events){ 0 };
}

/* Samples */

static uint64_t member(const struct perf_events *events, const uint8_t *body, uint8_t at)
{
	return load_u64(body + (size_t)at * 8, events->is_big_endian);
}

static int has_member(uint8_t at, size_t length)
{
	return at != NOWHERE && (size_t)at * 8 + 8 <= length;
}

/*
 * One event needs no id. Recorders put the id of several events in the same place of
 * their samples. Without ids, the recorded bytes name the tracepoint, if all samples have
 * one layout.
 */
uint32_t perf_sample_event(const struct perf_events *events, const uint8_t *body,
			   size_t length)
{
	if (events->count <= 1)
		return events->count ? 0 : NO_EVENT;
	if (has_member(events->events->id_at, length))
		return key_table_find(&events->ids,
				      member(events, body, events->events->id_at));
	return events->is_mixed ? NO_EVENT : 0;
}

uint64_t perf_sample_time(const struct perf_events *events,
			  const struct perf_event *event, const uint8_t *body,
			  size_t length)
{
	if (!has_member(event->time_at, length))
		return 0;
	return member(events, body, event->time_at);
}

static int has_end(uint8_t at, size_t length)
{
	return at != NOWHERE && (size_t)at * 8 <= length;
}

/* The last member is the event's id, if events differ. */
uint64_t perf_record_time(const struct perf_events *events, const uint8_t *body,
			  size_t length)
{
	const struct perf_event *event = events->events;
	uint32_t own = NO_EVENT;

	if (!events->count || length < 8)
		return 0;
	if (events->is_mixed && event->sample_type & PERF_SAMPLE_IDENTIFIER)
		own = key_table_find(&events->ids, load_u64(body + length - 8,
							    events->is_big_endian));
	if (own != NO_EVENT)
		event = &events->events[own];
	if (!has_end(event->end_time_at, length))
		return 0;
	return load_u64(body + length - (size_t)event->end_time_at * 8,
			events->is_big_endian);
}

/* Pass over counter values. */
static void skip_read(const struct perf_event *event, struct cursor *cursor)
{
	uint64_t format = event->read_format;
	uint64_t times = !!(format & PERF_FORMAT_TOTAL_TIME_ENABLED) +
			 !!(format & PERF_FORMAT_TOTAL_TIME_RUNNING);
	uint64_t each = 1 + !!(format & PERF_FORMAT_ID) + !!(format & 16 /* lost */);
	uint64_t count = 1;

	if (format & PERF_FORMAT_GROUP)
		count = cursor_u64(cursor);
	if (count > cursor_left(cursor)) {
		cursor->is_short = 1;
		return;
	}
	cursor_take(cursor, (times + count * each) * 8);
}

static void take_callchain(struct cursor *cursor, struct perf_sample *sample)
{
	uint64_t count = cursor_u64(cursor);

	if (count > cursor_left(cursor) / 8) {
		cursor->is_short = 1;
		return;
	}
	sample->chain = cursor_take(cursor, count * 8);
	sample->chain_count = count;
}

static void take_fixed(const struct perf_events *events, const struct perf_event *event,
		       const uint8_t *body, struct perf_sample *sample)
{
	if (event->tid_at != NOWHERE) {
		const uint8_t *at = body + (size_t)event->tid_at * 8;

		sample->pid = load_u32(at, events->is_big_endian);
		sample->tid = load_u32(at + 4, events->is_big_endian);
		sample->present |= UE_META_PID | UE_META_TID;
	}
	if (event->time_at != NOWHERE) {
		sample->time = member(events, body, event->time_at);
		sample->present |= UE_META_TIME;
	}
	if (event->cpu_at != NOWHERE) {
		sample->cpu = load_u32(body + (size_t)event->cpu_at * 8,
				       events->is_big_endian);
		sample->present |= UE_META_CPU;
	}
}

int perf_sample_parse(const struct perf_events *events, const struct perf_event *event,
		      const uint8_t *body, size_t length, struct perf_sample *sample)
{
	struct cursor cursor = cursor_of(body, length, events->is_big_endian);

	*sample = (struct perf_sample){ 0 };
	if (!cursor_take(&cursor, (uint64_t)event->fixed * 8))
		return -EBADMSG;
	take_fixed(events, event, body, sample);
	if (event->sample_type & PERF_SAMPLE_READ)
		skip_read(event, &cursor);
	if (event->sample_type & PERF_SAMPLE_CALLCHAIN)
		take_callchain(&cursor, sample);
	if (event->sample_type & PERF_SAMPLE_RAW && !cursor.is_short) {
		sample->raw_length = cursor_u32(&cursor);
		sample->raw = cursor_take(&cursor, sample->raw_length);
	}
	if (has_end(event->cgroup_at, cursor_left(&cursor))) {
		sample->cgroup = load_u64(cursor.end - (size_t)event->cgroup_at * 8,
					  events->is_big_endian);
		sample->present |= UE_META_CGROUP;
	}
	return cursor.is_short ? -EBADMSG : 0;
}
