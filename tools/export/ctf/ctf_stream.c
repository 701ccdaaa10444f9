/* SPDX-License-Identifier: MIT */
/*
 * Puts events into packets of a stream. CTF 1.8 counts lost events in packets: a reader finds
 * that so many were lost between the ends of two. So a loss ends a packet with the event before
 * it, and a packet without events that ends with the event after it has the count.
 *
 * Time never goes back in a stream, or readers refuse it all.
 */
#include "ctf_stream.h"

#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "common/cli/memory.h"

/* Makes and fills the contexts of events: the process, keyword, opcode, ids. */

static void add_member(bt_field_class *class, bt_trace_class *trace, const char *name,
		       struct ctf_type type)
{
	bt_field_class *member = ctf_type_class(trace, type);

	if (bt_field_class_structure_append_member(class, name, member))
		memory_is_short();
	bt_field_class_put_ref(member);
}

static bt_field *member(bt_field *context, uint64_t index)
{
	return bt_field_structure_borrow_member_field_by_index(context, index);
}

/* The context of all events */

enum { VPID, VTID, PROCNAME, CPU_ID };

/* All events have vpid, vtid, procname, cpu_id. */
static bt_field_class *ctf_common_context(bt_trace_class *trace)
{
	bt_field_class *class = ctf_made(bt_field_class_structure_create(trace));

	add_member(class, trace, "vpid", (struct ctf_type){ CTF_SIGNED, 4 });
	add_member(class, trace, "vtid", (struct ctf_type){ CTF_SIGNED, 4 });
	add_member(class, trace, "procname", (struct ctf_type){ CTF_TEXT, 0 });
	add_member(class, trace, "cpu_id", (struct ctf_type){ CTF_SIGNED, 4 });
	return class;
}

uint64_t ctf_set_common_context(bt_field *context, const struct exported_event *event,
				struct clean_texts *texts)
{
	const struct ue_sample *sample = &event->event->record->sample;
	const char *comm = sample->present & UE_META_COMM ? sample->comm : "";
	const struct clean_text name = clean_text(texts, comm, strlen(comm));

	bt_field_integer_signed_set_value(
		member(context, VPID),
		sample->present & UE_META_PID ? (int32_t)sample->pid : -1);
	bt_field_integer_signed_set_value(member(context, VTID),
					  event->has_tid ? (int32_t)event->tid : -1);
	bt_field_integer_signed_set_value(
		member(context, CPU_ID),
		sample->present & UE_META_CPU ? (int32_t)sample->cpu : -1);
	return 3 * sizeof(int32_t) +
	       ctf_set_words(member(context, PROCNAME), name.at, name.length);
}

/* The context of some */

enum own {
	KEYWORD,
	OPCODE,
	ID,
	VERSION,
	TAG,
	LEVEL, /* that CTF has none for */
	ACTIVITY,
	RELATED_ACTIVITY,
	CGROUP,
	RECORDED_TIME,
	OWN_COUNT,
};

static const struct {
	const char *name;
	struct ctf_type type;
} own[OWN_COUNT] = {
	[KEYWORD] = { "keyword", { CTF_HEX, 8 } },
	[OPCODE] = { "opcode", { CTF_UNSIGNED, 1 } },
	[ID] = { "id", { CTF_UNSIGNED, 2 } },
	[VERSION] = { "version", { CTF_UNSIGNED, 1 } },
	[TAG] = { "tag", { CTF_HEX, 2 } },
	[LEVEL] = { "level", { CTF_UNSIGNED, 1 } },
	[ACTIVITY] = { "activity", { CTF_TEXT, 0 } },
	[RELATED_ACTIVITY] = { "related_activity", { CTF_TEXT, 0 } },
	[CGROUP] = { "cgroup", { CTF_TEXT, 0 } },
	[RECORDED_TIME] = { "recorded_time", { CTF_SIGNED, 8 } },
};

uint32_t ctf_properties_of(const struct exported_event *event, int late)
{
	const struct ue_event_info *info = event->info;
	uint32_t properties = (uint32_t)late << RECORDED_TIME;

	properties |= (uint32_t)(*event->origin->cgroup != '\0') << CGROUP;
	if (!info)
		return properties;
	return properties | (uint32_t)(info->keyword != 0) << KEYWORD |
	       (uint32_t)(info->opcode != 0) << OPCODE | (uint32_t)(info->id != 0) << ID |
	       (uint32_t)(info->version != 0) << VERSION | (uint32_t)(info->tag != 0) << TAG |
	       (uint32_t)(info->level < 1 || info->level > 5) << LEVEL |
	       (uint32_t)(info->activity_id != NULL) << ACTIVITY |
	       (uint32_t)(info->related_id != NULL) << RELATED_ACTIVITY;
}

bt_field_class *ctf_own_context(bt_trace_class *trace, uint32_t properties)
{
	bt_field_class *class;

	if (!properties)
		return NULL;
	class = ctf_made(bt_field_class_structure_create(trace));
	for (uint32_t i = 0; i < OWN_COUNT; i++)
		if (properties >> i & 1)
			add_member(class, trace, own[i].name, own[i].type);
	return class;
}

static uint64_t set_id(bt_field *field, const uint8_t *id)
{
	const struct ue_value raw = {
		.bytes = id,
		.length = 16,
		.encoding = UE_ENCODING_VALUE128,
		.format = UE_FORMAT_UUID,
	};
	char text[40] = "";

	ue_value_to_text(&raw, 0, text, sizeof(text));
	return ctf_set_words(field, text, strlen(text));
}

static uint64_t number_of(const struct ue_event_info *info, uint32_t which)
{
	switch (which) {
	case KEYWORD:
		return info->keyword;
	case OPCODE:
		return info->opcode;
	case ID:
		return info->id;
	case VERSION:
		return info->version;
	case TAG:
		return info->tag;
	default:
		return info->level;
	}
}

static uint64_t set_own(bt_field *field, const struct exported_event *event, uint32_t which)
{
	const char *cgroup = event->origin->cgroup;

	switch (which) {
	case ACTIVITY:
		return set_id(field, event->info->activity_id);
	case RELATED_ACTIVITY:
		return set_id(field, event->info->related_id);
	case CGROUP:
		return ctf_set_words(field, cgroup, strlen(cgroup));
	case RECORDED_TIME:
		bt_field_integer_signed_set_value(field, event->event->record->sample.time);
		break;
	default:
		bt_field_integer_unsigned_set_value(field, number_of(event->info, which));
	}
	return own[which].type.size;
}

uint64_t ctf_set_own_context(bt_field *context, const struct exported_event *event,
			     uint32_t properties)
{
	uint64_t index = 0, size = 0;

	for (uint32_t left = properties; left; left &= left - 1)
		size += set_own(member(context, index++), event,
				(uint32_t)__builtin_ctz(left));
	return size;
}

/* Readers look for a time packet by packet. */
#define PACKET_BYTES (1u << 20)
/* A number for readers, the trace's and the stream's; the context of six numbers. */
#define PACKET_HEADER 84
/* The class and the time. */
#define EVENT_HEADER 16

#define SECOND 1000000000

/* A time in the year 2116. Readers fail at times whose nanoseconds hardly fit 63 bits. */
#define LATEST_TIME (INT64_C(1) << 62)

/* The trace */

static void set_clock(struct ctf_stream *stream, const struct exported_event *first)
{
	bt_clock_class *clock =
		ctf_made(bt_clock_class_create(stream->graph->component));
	const int is_wall = first && first->event->record->sample.is_wall_clock;

	if (is_wall && first->clock_time >= 0 && first->clock_time <= first->time &&
	    first->time <= LATEST_TIME)
		stream->offset = first->time - first->clock_time;
	bt_clock_class_set_frequency(clock, SECOND);
	bt_clock_class_set_offset(clock, stream->offset / SECOND,
				  (uint64_t)(stream->offset % SECOND));
	bt_clock_class_set_origin_is_unix_epoch(clock, is_wall);
	if (bt_clock_class_set_name(clock, "recording") ||
	    bt_stream_class_set_default_clock_class(stream->class, clock))
		memory_is_short();
	bt_clock_class_put_ref(clock);
}

static void set_class(struct ctf_stream *stream, const struct exported_event *first)
{
	bt_field_class *context;

	stream->class = ctf_made(bt_stream_class_create(stream->trace_class));
	set_clock(stream, first);
	bt_stream_class_set_supports_packets(stream->class, BT_TRUE, BT_TRUE, BT_TRUE);
	bt_stream_class_set_supports_discarded_events(stream->class, BT_TRUE, BT_TRUE);
	context = ctf_common_context(stream->trace_class);
	if (bt_stream_class_set_event_common_context_field_class(stream->class, context))
		memory_is_short();
	bt_field_class_put_ref(context);
}

/* The domain, and the fields of the context, have the names that LTTng gives them. */
static void set_environment(bt_trace *trace)
{
	char host[HOST_NAME_MAX + 1] = "";

	gethostname(host, sizeof(host) - 1);
	if (bt_trace_set_environment_entry_string(trace, "domain", "ust") ||
	    bt_trace_set_environment_entry_string(trace, "tracer_name", "userevents") ||
	    bt_trace_set_environment_entry_string(trace, "tracer_version", UE__VERSION) ||
	    bt_trace_set_environment_entry_string(trace, "exported_on", host))
		memory_is_short();
}

int ctf_stream_begin(struct ctf_stream *stream, const struct exported_event *first)
{
	struct ctf_graph *graph = stream->graph;

	stream->trace_class = ctf_made(bt_trace_class_create(graph->component));
	set_class(stream, first);
	stream->trace = ctf_made(bt_trace_create(stream->trace_class));
	set_environment(stream->trace);
	stream->stream = ctf_made(bt_stream_create(stream->class, stream->trace));
	if (ctf_graph_push(graph, ctf_made(bt_message_stream_beginning_create(
					  graph->iterator, stream->stream))))
		return -1;
	return ctf_graph_run(graph);
}

/* Packets */

/* The library makes packets grow by 8 pages, and maps so much when one begins. */
static uint64_t slack(void)
{
	static uint64_t size;

	if (!size)
		size = 16 * (uint64_t)sysconf(_SC_PAGESIZE);
	return size;
}

static int reserve(struct ctf_stream *stream, uint64_t size)
{
	stream->bytes += size;
	stream->end += size;
	return ctf_folder_reserve_stream(stream->folder, stream->end + slack());
}

int ctf_stream_reserve(struct ctf_stream *stream, uint64_t size)
{
	return reserve(stream, EVENT_HEADER + size);
}

static int open_packet(struct ctf_stream *stream)
{
	stream->bytes = 0;
	if (reserve(stream, PACKET_HEADER))
		return -1;
	stream->packet = ctf_made(bt_packet_create(stream->stream));
	stream->has_packet = 1;
	return ctf_graph_push(
		stream->graph,
		ctf_made(bt_message_packet_beginning_create_with_default_clock_snapshot(
			stream->graph->iterator, stream->packet, stream->now)));
}

static int close_packet(struct ctf_stream *stream)
{
	bt_message *message;

	if (!stream->packet)
		return 0;
	message = ctf_made(bt_message_packet_end_create_with_default_clock_snapshot(
		stream->graph->iterator, stream->packet, stream->now));
	bt_packet_put_ref(stream->packet);
	stream->packet = NULL;
	return ctf_graph_push(stream->graph, message);
}

/* A packet without events, which ends now. */
static int put_empty_packet(struct ctf_stream *stream)
{
	return open_packet(stream) || close_packet(stream) ? -1 : 0;
}

/* Up to this time. A reader takes the count of the first packet for unknown. */
static int report_lost(struct ctf_stream *stream, uint64_t time)
{
	const uint64_t begin = stream->has_packet ? stream->now : time;
	bt_message *message;

	if (!stream->has_packet)
		stream->now = time;
	if (stream->has_packet ? close_packet(stream) : put_empty_packet(stream))
		return -1;
	message = ctf_made(bt_message_discarded_events_create_with_default_clock_snapshots(
		stream->graph->iterator, stream->stream, begin, time));
	bt_message_discarded_events_set_count(message, stream->lost);
	stream->lost = 0;
	stream->now = time;
	return ctf_graph_push(stream->graph, message) || put_empty_packet(stream) ? -1 : 0;
}

/* The time by the clock; negative: it has none. */
static int64_t clock_time(const struct ctf_stream *stream, int64_t time)
{
	return time < 0 || time > LATEST_TIME ? -1 : time - stream->offset;
}

int ctf_stream_advance(struct ctf_stream *stream, const struct exported_event *event, int *late)
{
	const struct ue_sample *sample = &event->event->record->sample;
	uint64_t time = stream->now;
	int64_t own = clock_time(stream, sample->time);

	*late = 0;
	if (sample->present & UE_META_TIME) {
		*late = own < 0 || (uint64_t)own < stream->now;
		time = *late ? stream->now : (uint64_t)own;
	}
	if (stream->lost && report_lost(stream, time))
		return -1;
	if (stream->packet && stream->bytes >= PACKET_BYTES && close_packet(stream))
		return -1;
	stream->now = time;
	return stream->packet ? 0 : open_packet(stream);
}

int ctf_stream_end(struct ctf_stream *stream)
{
	if (stream->lost && !stream->folder->error && report_lost(stream, stream->now) &&
	    !stream->folder->error)
		return -1;
	if (close_packet(stream))
		return -1;
	return ctf_graph_push(stream->graph, ctf_made(bt_message_stream_end_create(
						     stream->graph->iterator, stream->stream)));
}

void ctf_stream_free(struct ctf_stream *stream)
{
	bt_packet_put_ref(stream->packet);
	bt_stream_put_ref(stream->stream);
	bt_trace_put_ref(stream->trace);
	bt_stream_class_put_ref(stream->class);
	bt_trace_class_put_ref(stream->trace_class);
}
