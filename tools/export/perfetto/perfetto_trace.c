/* SPDX-License-Identifier: MIT */
/* Writes events and losses as packets of a trace. */
#include "perfetto_trace.h"

#include <stdlib.h>
#include <unistd.h>

#include "common/cli/memory.h"
#include "common/cli/message.h"
#include "export/protobuf/protobuf.h"
#include "export/tree/activity_id.h"
#include "export/tree/activity_name.h"
#include "common/output/out_file.h"
#include "perfetto_annotations.h"
#include "perfetto_clock.h"
#include "perfetto_proto.h"
#include "perfetto_tracks.h"

/* Bytes of a write(2). */
#define AT_ONCE (256u << 10)

struct perfetto {
	struct exporter exporter;
	struct outfile out;
	struct bytes trace; /* not written yet */
	struct perfetto_clock clock;
	struct perfetto_tracks tracks;
	struct perfetto_annotations annotations;
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

static struct packet begin_packet(struct perfetto *perfetto, uint64_t timestamp,
				  enum track_event_type type, uint64_t track)
{
	struct bytes *trace = &perfetto->trace;
	struct packet packet = { .packet = protobuf_begin(trace, TRACE_PACKET) };

	protobuf_uint(trace, PACKET_TIMESTAMP, timestamp);
	protobuf_uint(trace, PACKET_SEQUENCE, PERFETTO_SEQUENCE);
	if (perfetto->clock.id)
		protobuf_uint(trace, PACKET_CLOCK, perfetto->clock.id);
	packet.event = protobuf_begin(trace, PACKET_TRACK_EVENT);
	protobuf_uint(trace, EVENT_TYPE, type);
	protobuf_uint(trace, EVENT_TRACK, track);
	return packet;
}

static void end_packet(struct perfetto *perfetto, struct packet packet)
{
	protobuf_end(&perfetto->trace, packet.event);
	protobuf_end(&perfetto->trace, packet.packet);
}

static void name_event(struct perfetto *perfetto, struct clean_text category,
		       struct clean_text name)
{
	protobuf_bytes(&perfetto->trace, EVENT_CATEGORIES, category.at, category.length);
	protobuf_bytes(&perfetto->trace, EVENT_NAME, name.at, name.length);
}

/* Events */

/*
 * How the event is shown on its activity's track. A stop ends the slice that was begun last;
 * if there is none, as its start was lost, the event itself is shown.
 */
static enum track_event_type type_of(const struct ue_event_info *info,
				     struct perfetto_track *activity)
{
	if (!activity)
		return EVENT_INSTANT;
	if (info->opcode == UE_OPCODE_ACTIVITY_START) {
		activity->open++;
		return EVENT_SLICE_BEGIN;
	}
	if (info->opcode != UE_OPCODE_ACTIVITY_STOP || !activity->open)
		return EVENT_INSTANT;
	activity->open--;
	return EVENT_SLICE_END;
}

/* Perfetto ends a slice only if it has the name of the end, or that has none. */
static void put_event(struct perfetto *perfetto, const struct exported_event *event,
		      uint64_t timestamp)
{
	struct bytes *trace = &perfetto->trace;
	uint64_t track = perfetto_thread_track(&perfetto->tracks, event, trace);
	struct perfetto_track *activity = NULL;
	enum track_event_type type;
	struct packet packet;

	if (event->info && activity_is_set(event->info->activity_id)) {
		activity = perfetto_activity_track(&perfetto->tracks, event, track, trace);
		track = activity->uuid;
	}
	type = type_of(event->info, activity);
	packet = begin_packet(perfetto, timestamp, type, track);
	if (type == EVENT_SLICE_END) {
		perfetto_annotate_stop(&perfetto->annotations, event, trace);
	} else {
		name_event(perfetto, event->scope, type == EVENT_SLICE_BEGIN ?
			   activity_name(event->name) : event->name);
		perfetto_annotate(&perfetto->annotations, event, trace);
	}
	end_packet(perfetto, packet);
}

static int take(struct exporter *exporter, const struct exported_event *event)
{
	struct perfetto *perfetto = of(exporter);
	uint64_t timestamp;

	if (perfetto_clock_read(&perfetto->clock, event->time, event->clock_time,
				&perfetto->trace, &timestamp)) {
		message("cannot export all events: their times are of two clocks, which a "
			"trace cannot relate; export the files one by one");
		return -1;
	}
	put_event(perfetto, event, timestamp);
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
	name_event(perfetto, category, name);
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

	perfetto_name_processes(&perfetto->tracks, &perfetto->trace);
	failed = write_trace(perfetto);
	return outfile_close(&perfetto->out) || failed ? -1 : 0;
}

static void free_trace(struct exporter *exporter)
{
	struct perfetto *perfetto = of(exporter);

	outfile_close(&perfetto->out);
	perfetto_annotations_free(&perfetto->annotations);
	perfetto_tracks_free(&perfetto->tracks);
	bytes_free(&perfetto->trace);
	free(perfetto);
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
		.begin = begin, .take = take, .lost = lost, .flush = flush, .end = end,
		.free = free_trace,
	};
	perfetto_tracks_begin(&perfetto->tracks);
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
