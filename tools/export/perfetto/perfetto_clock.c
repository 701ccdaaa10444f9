/* SPDX-License-Identifier: MIT */
/* Chooses the clock of a trace, and relates the wall clock to it. */
#include "perfetto_clock.h"

#include "export/protobuf/protobuf.h"
#include "perfetto_proto.h"

/* The wall clock is adjusted all the time; a snapshot is due when that can be seen. */
#define VISIBLE_NS 1000000

static void put_clock(struct bytes *trace, uint32_t id, int64_t time)
{
	const size_t clock = protobuf_begin(trace, SNAPSHOT_CLOCKS);

	protobuf_uint(trace, CLOCK_ID, id);
	protobuf_int(trace, CLOCK_TIMESTAMP, time);
	protobuf_end(trace, clock);
}

static void put_snapshot(const struct perfetto_clock *clock, int64_t time, struct bytes *trace)
{
	const size_t packet = protobuf_begin(trace, TRACE_PACKET);
	const size_t snapshot = protobuf_begin(trace, PACKET_CLOCK_SNAPSHOT);

	put_clock(trace, clock->id, time);
	if (clock->has_offset)
		put_clock(trace, BUILTIN_REALTIME,
			  (int64_t)((uint64_t)time + (uint64_t)clock->offset));
	protobuf_uint(trace, SNAPSHOT_PRIMARY, clock->id);
	protobuf_end(trace, snapshot);
	protobuf_end(trace, packet);
}

static int differ_visibly(int64_t one, int64_t other)
{
	const uint64_t apart = (uint64_t)one - (uint64_t)other + VISIBLE_NS;

	return apart > 2 * VISIBLE_NS;
}

/* Perfetto ignores snapshots of a clock that goes back. */
static int is_due(const struct perfetto_clock *clock, int64_t wall, int64_t own, int64_t offset)
{
	if (!wall || wall == own)
		return 0;
	return !clock->has_offset ||
	       (own >= clock->snapshot && differ_visibly(offset, clock->offset));
}

static void choose(struct perfetto_clock *clock, int64_t wall, int64_t own)
{
	clock->id = wall && wall == own ? BUILTIN_REALTIME : BUILTIN_MONOTONIC;
}

static void relate(struct perfetto_clock *clock, int64_t wall, int64_t own,
		   struct bytes *trace)
{
	const int is_new = !clock->id;
	const int64_t offset = (int64_t)((uint64_t)wall - (uint64_t)own);

	if (is_new)
		choose(clock, wall, own);
	if (clock->id == BUILTIN_MONOTONIC && is_due(clock, wall, own, offset)) {
		clock->has_offset = 1;
		clock->offset = offset;
	} else if (!is_new) {
		return;
	}
	clock->snapshot = own;
	put_snapshot(clock, own, trace);
}

/* The time by the trace's clock. 0, or -1. */
static int convert(const struct perfetto_clock *clock, int64_t wall, int64_t own, int64_t *time)
{
	*time = own;
	if (clock->id == BUILTIN_REALTIME) {
		*time = wall;
		return wall ? 0 : -1;
	}
	if (!wall || wall != own)
		return 0;
	*time = (int64_t)((uint64_t)wall - (uint64_t)clock->offset);
	return clock->has_offset ? 0 : -1;
}

int perfetto_clock_read(struct perfetto_clock *clock, int64_t wall, int64_t own,
			struct bytes *trace, uint64_t *timestamp)
{
	int64_t time = clock->last;

	own = own < 0 ? 0 : own; /* Perfetto has no times before 0 */
	wall = wall < 0 ? 0 : wall;
	if (own)
		relate(clock, wall, own, trace);
	if (own && convert(clock, wall, own, &time))
		return -1;
	clock->last = time < 0 ? 0 : time;
	*timestamp = (uint64_t)clock->last;
	return 0;
}

