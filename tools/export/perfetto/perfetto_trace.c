/* SPDX-License-Identifier: MIT */
/* Writes events and losses as packets of a trace. */

#include <stdlib.h>
#include <unistd.h>

#include "common/cli/memory.h"
#include "common/cli/message.h"
#include "common/output/out_file.h"
#include "common/pairs/pairs.h"
#include "export/tree/protobuf.h"
#include "export/tree/exported_event.h"
#include "perfetto_tracks.h"

/* Chooses the clock of a trace, and relates the wall clock to it. */

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
	if (clock->is_boottime)
		put_clock(trace, BUILTIN_BOOTTIME, time);
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

/*
 * The timestamp of an event with these times, as in struct exported_event. Appends a snapshot
 * if one is due. An event without a time is as old as the one before. 0, or -1 if the times
 * are of a clock that cannot be related to those before.
 */
static int perfetto_clock_read(struct perfetto_clock *clock, int64_t wall, int64_t own,
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

/* Bytes of a write(2). */
#define AT_ONCE (256u << 10)

struct perfetto {
	struct exporter exporter;
	struct outfile out;
	struct bytes trace; /* not written yet */
	struct perfetto_clock clock;
	struct perfetto_tracks tracks;
	struct perfetto_annotations annotations;
	struct pairs pairs; /* with struct open_slice */
	struct perfetto_slices slices;
	struct clean_texts texts;
};

static struct perfetto *of(struct exporter *exporter)
{
	return (struct perfetto *)exporter;
}

/* The file */

static int begin(struct exporter *exporter)
{
	return outfile_empty(&of(exporter)->out);
}

static int write_trace(struct perfetto *perfetto)
{
	struct bytes *trace = &perfetto->trace;
	const int failed = trace->length &&
			   outfile_write(&perfetto->out, trace->at, trace->length);

	trace->length = 0;
	return failed ? -1 : 0;
}

static int write_if_much(struct perfetto *perfetto)
{
	return perfetto->trace.length < AT_ONCE ? 0 : write_trace(perfetto);
}

/* Packets */

struct packet {
	size_t packet, event;
};

/* More bytes than the beginning of one has. */
#define PACKET_BEGIN_MAX 128u

static struct packet begin_packet(struct perfetto *perfetto, uint64_t timestamp,
				  enum track_event_type type, uint64_t track)
{
	struct bytes *trace = &perfetto->trace;
	struct packet packet;
	uint8_t *at;

	bytes_room(trace, PACKET_BEGIN_MAX);
	packet.packet = protobuf_begin(trace, TRACE_PACKET);
	at = trace->at + trace->length;
	at = protobuf_uint_at(at, PACKET_TIMESTAMP, timestamp);
	at = protobuf_uint_at(at, PACKET_SEQUENCE, PERFETTO_SEQUENCE);
	if (perfetto->clock.id)
		at = protobuf_uint_at(at, PACKET_CLOCK, perfetto->clock.id);
	trace->length = (size_t)(at - trace->at);
	packet.event = protobuf_begin(trace, PACKET_TRACK_EVENT);
	at = trace->at + trace->length;
	at = protobuf_uint_at(at, EVENT_TYPE, type);
	at = protobuf_uint_at(at, EVENT_TRACK, track);
	trace->length = (size_t)(at - trace->at);
	return packet;
}

static void end_packet(struct perfetto *perfetto, struct packet packet)
{
	protobuf_end(&perfetto->trace, packet.event);
	protobuf_end(&perfetto->trace, packet.packet);
}

static void put_body(void *context, uint64_t timestamp, enum track_event_type type,
		     uint64_t track, const uint8_t *body, size_t length)
{
	struct perfetto *perfetto = context;
	const struct packet packet = begin_packet(perfetto, timestamp, type, track);

	bytes_add(&perfetto->trace, body, length);
	end_packet(perfetto, packet);
}

static void name_event(struct bytes *to, struct clean_text category,
		       struct clean_text name)
{
	protobuf_bytes(to, EVENT_CATEGORIES, category.at, category.length);
	protobuf_bytes(to, EVENT_NAME, name.at, name.length);
}

/* Events */

static struct open_slice *slice_of(const struct open_start *start)
{
	return (struct open_slice *)start->data;
}

/*
 * A start whose stop has no time to compare with is an instant: it would stand above others on
 * its track, and end in their place.
 */
static void leave(void *context, struct open_start *start, enum pair_fate fate)
{
	struct perfetto *perfetto = context;

	perfetto_slice_leave(&perfetto->slices, slice_of(start), fate, put_body, perfetto,
			     &perfetto->trace);
}

/* Perfetto ends a slice only if it has the name of the end, or that has none. */
static void end_slice(struct perfetto *perfetto, const struct exported_event *event,
		      const struct pair *pair, uint64_t thread)
{
	struct open_slice *slice = slice_of(pair->ended);
	const uint64_t end = slice->begun + (uint64_t)pair->nanoseconds;
	const uint64_t track = perfetto_slice_end(&perfetto->slices, slice, thread, end,
						  put_body, perfetto, &perfetto->trace);
	const struct packet packet = begin_packet(perfetto, end, EVENT_SLICE_END, track);

	perfetto_annotate_stop(&perfetto->annotations, event, &perfetto->trace);
	end_packet(perfetto, packet);
}

/* All of an event but its time and track. */
static void put_content(struct perfetto *perfetto, const struct exported_event *event,
			struct clean_text name, struct bytes *to)
{
	name_event(to, event->scope, name);
	perfetto_annotate(&perfetto->annotations, event, to);
}

static void begin_slice(struct perfetto *perfetto, const struct exported_event *event,
			struct open_start *opened, uint64_t thread, uint64_t timestamp)
{
	struct open_slice *slice = slice_of(opened);

	perfetto_slice_begin(&perfetto->slices, slice, event, thread, timestamp);
	put_content(perfetto, event, activity_name(event->name),
		    perfetto_slice_room(slice, timestamp, thread));
	pairs_weigh(&perfetto->pairs, opened, perfetto_slice_hold(slice));
}

/* The open start of the event's activity, which it is on the track of. */
static struct open_start *around(struct perfetto *perfetto,
				 const struct exported_event *event)
{
	struct open_start *start = NULL;

	if (event->info && activity_is_set(event->info->activity_id))
		start = pairs_around(&perfetto->pairs, event->event);
	return start && slice_of(start)->pool ? start : NULL;
}

static void put_instant(struct perfetto *perfetto, const struct exported_event *event,
			uint64_t thread, uint64_t timestamp)
{
	const struct packet packet =
		begin_packet(perfetto, timestamp, EVENT_INSTANT, thread);

	put_content(perfetto, event, event->name, &perfetto->trace);
	end_packet(perfetto, packet);
}

/* 0 if it has no space. */
static int put_within(struct perfetto *perfetto, const struct exported_event *event,
		      struct open_start *start, uint64_t thread, uint64_t timestamp)
{
	struct bytes *to = perfetto_slice_room(slice_of(start), timestamp, thread);

	if (!to)
		return 0;
	put_content(perfetto, event, event->name, to);
	pairs_weigh(&perfetto->pairs, start, perfetto_slice_hold(slice_of(start)));
	return 1;
}

static void put_event(struct perfetto *perfetto, const struct exported_event *event,
		      uint64_t timestamp)
{
	const uint64_t thread = perfetto_thread_track(&perfetto->tracks, event,
						      &perfetto->trace);
	struct open_start *start;
	struct pair pair;

	pairs_take(&perfetto->pairs, event->event, &pair);
	if (pair.ended && slice_of(pair.ended)->pool) {
		end_slice(perfetto, event, &pair, thread);
		return;
	}
	if (pair.opened) {
		begin_slice(perfetto, event, pair.opened, thread, timestamp);
		return;
	}
	start = around(perfetto, event);
	if (!start || !put_within(perfetto, event, start, thread, timestamp))
		put_instant(perfetto, event, thread, timestamp);
}

static int complain_of_clocks(void)
{
	message("cannot export all events: their times are of two clocks, which a trace "
		"cannot relate; export the files one by one");
	return -1;
}

static int take(struct exporter *exporter, const struct exported_event *event)
{
	struct perfetto *perfetto = of(exporter);
	uint64_t timestamp;

	if (perfetto_clock_read(&perfetto->clock, event->time, event->clock_time,
				&perfetto->trace, &timestamp))
		return complain_of_clocks();
	put_event(perfetto, event, timestamp);
	return write_if_much(perfetto);
}

/*
 * Perfetto reads times of the kernel's records as those of CLOCK_BOOTTIME. How far it is
 * from the recording's clock is not known, so they are said to be equal.
 */
static int take_sched(struct exporter *exporter, const struct sched_record *record,
		      int64_t time, int64_t clock_time)
{
	struct perfetto *perfetto = of(exporter);
	struct perfetto_clock *clock = &perfetto->clock;
	uint64_t timestamp;

	if (perfetto_clock_read(clock, time, clock_time, &perfetto->trace, &timestamp))
		return complain_of_clocks();
	if (!clock->is_boottime) {
		clock->is_boottime = 1;
		put_snapshot(clock, (int64_t)timestamp, &perfetto->trace);
	}
	perfetto_put_sched(&perfetto->trace, record, timestamp, &perfetto->texts);
	return write_if_much(perfetto);
}

/* Perfetto marks the place in its statistics; people see the track. */
static int lost(struct exporter *exporter, const struct lost_events *lost)
{
	static const struct clean_text category = { "userevents", 10 }, name = { "lost", 4 };
	struct perfetto *perfetto = of(exporter);
	struct bytes *trace = &perfetto->trace;
	const uint64_t track = perfetto_lost_track(&perfetto->tracks, trace);
	uint64_t timestamp = (uint64_t)perfetto->clock.last;
	struct packet packet;

	perfetto_clock_read(&perfetto->clock, lost->time, lost->clock_time, trace, &timestamp);
	packet = begin_packet(perfetto, timestamp, EVENT_INSTANT, track);
	name_event(trace, category, name);
	perfetto_annotate_number(trace, "count", lost->count);
	if (lost->has_cpu)
		perfetto_annotate_number(trace, "cpu", lost->cpu);
	if (lost->origin && lost->origin->has_pid)
		perfetto_annotate_number(trace, "pid", lost->origin->pid);
	protobuf_end(trace, packet.event);
	protobuf_uint(trace, PACKET_PREVIOUS_DROPPED, 1);
	protobuf_end(trace, packet.packet);
	return write_if_much(perfetto);
}

static int flush(struct exporter *exporter)
{
	return write_trace(of(exporter));
}

static int end(struct exporter *exporter)
{
	struct perfetto *perfetto = of(exporter);
	int failed;

	pairs_end(&perfetto->pairs);
	perfetto_name_processes(&perfetto->tracks, &perfetto->trace);
	pairs_report(&perfetto->pairs, "; their slices do not end");
	failed = write_trace(perfetto);
	return outfile_close(&perfetto->out) || failed ? -1 : 0;
}

static void free_trace(struct exporter *exporter)
{
	AUTO_FREE struct perfetto *perfetto = of(exporter);

	outfile_close(&perfetto->out);
	perfetto_annotations_free(&perfetto->annotations);
	pairs_free(&perfetto->pairs);
	perfetto_slices_free(&perfetto->slices);
	perfetto_tracks_free(&perfetto->tracks);
	clean_texts_free(&perfetto->texts);
	bytes_free(&perfetto->trace);
}

static struct exporter *fail(struct exporter *exporter, int with, int *status)
{
	free_trace(exporter);
	*status = with;
	return NULL;
}

struct exporter *perfetto_open(const struct export_options *options, int *status)
{
	struct perfetto *perfetto = xcalloc(1, sizeof(*perfetto));
	struct outfile *out = &perfetto->out;

	perfetto->exporter = (struct exporter){
		.begin = begin, .take = take, .take_sched = take_sched, .lost = lost,
		.flush = flush, .end = end, .free = free_trace,
	};
	perfetto->pairs.data_size = sizeof(struct open_slice);
	perfetto->pairs.context = perfetto;
	perfetto->pairs.leave = leave;
	perfetto->annotations.is_brief = options->is_brief;
	*out = (struct outfile){
		.fd = -1, .path = options->output ? options->output : "-",
		.inputs = options->inputs,
	};
	if (!strcmp(out->path, "-") && isatty(STDOUT_FILENO)) {
		message("cannot write a trace to a terminal: it is not text; use -o FILE");
		return fail(&perfetto->exporter, EXIT_WRONG_USAGE, status);
	}
	if (outfile_open(out))
		return fail(&perfetto->exporter, EXIT_FAILED, status);
	return &perfetto->exporter;
}
