/* SPDX-License-Identifier: MIT */
/*
 * Numbers of fields and values, from the .proto files in protos/perfetto/trace and
 * protos/perfetto/common of Perfetto's sources.
 */
#ifndef UE__TOOLS_EXPORT_PERFETTO_PERFETTO_TRACKS_H
#define UE__TOOLS_EXPORT_PERFETTO_PERFETTO_TRACKS_H

#include <stdint.h>

#include "export/tree/exported_event.h"
#include "export/tree/field_walk.h"
#include "common/cli/key_table.h"
#include "common/pairs/pairs.h"
#include "export/tree/protobuf.h"
#include "common/cli/memory.h"

enum { TRACE_PACKET = 1 };

/* The sequence of packets that one writer wrote, in order: all of ours. */
enum { PERFETTO_SEQUENCE = 1 };

enum trace_packet_field {
	PACKET_FTRACE = 1,
	PACKET_CLOCK_SNAPSHOT = 6,
	PACKET_TIMESTAMP = 8,
	PACKET_SEQUENCE = 10,
	PACKET_TRACK_EVENT = 11,
	PACKET_PREVIOUS_DROPPED = 42,
	PACKET_CLOCK = 58,
	PACKET_TRACK_DESCRIPTOR = 60,
};

enum clock_snapshot_field {
	SNAPSHOT_CLOCKS = 1,
	SNAPSHOT_PRIMARY = 2,
};

enum clock_field {
	CLOCK_ID = 1,
	CLOCK_TIMESTAMP = 2,
};

enum builtin_clock {
	BUILTIN_REALTIME = 1,
	BUILTIN_MONOTONIC = 3,
	BUILTIN_BOOTTIME = 6,
};

enum ftrace_bundle_field {
	FTRACE_CPU = 1,
	FTRACE_EVENT = 2,
};

enum ftrace_event_field {
	FTRACE_TIMESTAMP = 1,
	FTRACE_PID = 2,
	FTRACE_SCHED_SWITCH = 4,
	FTRACE_SCHED_WAKING = 20,
};

enum sched_switch_field {
	SWITCH_PREV_COMM = 1,
	SWITCH_PREV_PID = 2,
	SWITCH_PREV_PRIO = 3,
	SWITCH_PREV_STATE = 4,
	SWITCH_NEXT_COMM = 5,
	SWITCH_NEXT_PID = 6,
	SWITCH_NEXT_PRIO = 7,
};

enum sched_waking_field {
	WAKING_COMM = 1,
	WAKING_PID = 2,
	WAKING_PRIO = 3,
};

enum track_descriptor_field {
	TRACK_UUID = 1,
	TRACK_NAME = 2,
	TRACK_PROCESS = 3,
	TRACK_THREAD = 4,
	TRACK_PARENT = 5,
};

enum process_descriptor_field {
	PROCESS_PID = 1,
	PROCESS_NAME = 6,
	PROCESS_LABELS = 8,
};

enum thread_descriptor_field {
	THREAD_PID = 1,
	THREAD_TID = 2,
	THREAD_NAME = 5,
};

enum track_event_field {
	EVENT_ANNOTATIONS = 4,
	EVENT_TYPE = 9,
	EVENT_TRACK = 11,
	EVENT_CATEGORIES = 22,
	EVENT_NAME = 23,
};

enum track_event_type {
	EVENT_SLICE_BEGIN = 1,
	EVENT_SLICE_END = 2,
	EVENT_INSTANT = 3,
};

enum annotation_field {
	ANNOTATION_BOOL = 2,
	ANNOTATION_UINT = 3,
	ANNOTATION_INT = 4,
	ANNOTATION_DOUBLE = 5,
	ANNOTATION_TEXT = 6,
	ANNOTATION_NAME = 10,
	ANNOTATION_DICT = 11,
	ANNOTATION_ARRAY = 12,
};

/*
 * The fields of an event as annotations: arrays and structs nested, each name once, and in a
 * dict "eventheader" the parts that an EventHeader event has beside its fields.
 */

/* An array or struct whose elements are being appended. */
struct open_annotation {
	size_t begun; /* for protobuf_end() */
	size_t body;  /* where its elements begin */
};

/* The facts that events of a kind have in common, as they are written. */
struct kept_constants {
	uint64_t keyword;
	uint16_t id, tag;
	uint8_t version, opcode, level;
	uint32_t length; /* of bytes; 0: not in use */
	uint8_t bytes[104];
};

#define KEPT_CONSTANTS 64

/* Zero it before the first use. */
struct perfetto_annotations {
	struct field_walk walk;
	struct unique_names names;
	struct bytes text; /* of a value */
	struct open_annotation open[WALK_DEPTH_MAX + 2]; /* and "stop" and an error */
	uint32_t depth;
	struct kept_constants kept[KEPT_CONSTANTS]; /* by the kind's number */
	int is_brief; /* leave out members that are equal for all events of a kind */
};

/* Append them to a TrackEvent. */
void perfetto_annotate(struct perfetto_annotations *annotations,
		       const struct exported_event *event, struct bytes *to);
/* The same, as one annotation that is a dict: "stop" of the event that ends a slice. */
void perfetto_annotate_stop(struct perfetto_annotations *annotations,
			    const struct exported_event *event, struct bytes *to);
/* Append one annotation of a TrackEvent. */
void perfetto_annotate_number(struct bytes *to, const char *name, uint64_t number);
void perfetto_annotations_free(struct perfetto_annotations *annotations);

/*
 * One annotation with a value, appended to a message. Its length is known before it is
 * written, so it is written at once: an event has a dozen of them.
 */

#define LITERAL(text) ((struct clean_text){ (text), sizeof(text) - 1 })

static inline uint8_t *annotation_key_at(uint8_t *at, uint32_t field, enum protobuf_wire wire)
{
	return varint_put(at, (uint64_t)field << 3 | wire);
}

static inline uint8_t *annotation_text_at(uint8_t *at, uint32_t field, struct clean_text text)
{
	at = annotation_key_at(at, field, PROTOBUF_LENGTH);
	at = varint_put(at, text.length);
	if (text.length)
		memcpy(at, text.at, text.length);
	return at + text.length;
}

/* Numbers of the fields within an annotation take one byte. */
static inline size_t annotation_text_size(struct clean_text text)
{
	return 1 + protobuf_varint_size(text.length) + text.length;
}

/* Up to its value, of so many bytes, for which there is room. An element has no name. */
static inline uint8_t *annotation_begin_at(struct bytes *to, uint32_t field,
					   const struct clean_text *name, size_t value)
{
	const size_t size = value + (name ? annotation_text_size(*name) : 0);
	uint8_t *at = bytes_room(to, size + 2 * VARINT_MOST);

	at = annotation_key_at(at, field, PROTOBUF_LENGTH);
	at = varint_put(at, size);
	return name ? annotation_text_at(at, ANNOTATION_NAME, *name) : at;
}

static inline void annotation_end_at(struct bytes *to, const uint8_t *at)
{
	to->length = (size_t)(at - to->at);
}

static inline void annotation_text(struct bytes *to, uint32_t field,
				   const struct clean_text *name, struct clean_text text)
{
	uint8_t *at = annotation_begin_at(to, field, name, annotation_text_size(text));

	annotation_end_at(to, annotation_text_at(at, ANNOTATION_TEXT, text));
}

/* type: ANNOTATION_BOOL, _UINT or _INT. */
static inline void annotation_number(struct bytes *to, uint32_t field,
				     const struct clean_text *name, uint32_t type,
				     uint64_t number)
{
	uint8_t *at = annotation_begin_at(to, field, name, 1 + protobuf_varint_size(number));

	at = annotation_key_at(at, type, PROTOBUF_VARINT);
	annotation_end_at(to, varint_put(at, number));
}

static inline void annotation_double(struct bytes *to, uint32_t field,
				     const struct clean_text *name, double number)
{
	uint8_t *at = annotation_begin_at(to, field, name, 1 + sizeof(uint64_t));
	uint64_t bits;

	memcpy(&bits, &number, sizeof(bits));
	bits = htole64(bits);
	at = annotation_key_at(at, ANNOTATION_DOUBLE, PROTOBUF_FIXED64);
	memcpy(at, &bits, sizeof(bits));
	annotation_end_at(to, at + sizeof(bits));
}

/* The tracks that events were written to lately. */

enum perfetto_track_kind {
	TRACK_OF_PROCESS,
	TRACK_OF_THREAD,
};

struct perfetto_track {
	uint64_t key[2]; /* of its kind */
	uint64_t uuid;	 /* 0: not in use */
	uint64_t parent; /* uuid; 0: none */
	uint64_t name_hash; /* of a thread or a process, whose names change */
	uint64_t label_hash; /* of a process, whose pid may return in another container */
	char name[32]; /* of a process: a thread's, as its own is not known; or "" */
	uint8_t kind; /* enum perfetto_track_kind */
};

/* Memory is bounded: tracks without an event among the last TRACKS_MAX or so are forgotten. */
#define TRACKS_MAX 32768u

/* A hash table. */
struct perfetto_slots {
	struct perfetto_track *at;
	uint32_t count; /* a power of two, or 0 */
	uint32_t used;
};

/* When the young one is full, the old one is forgotten. Zero it before the first use. */
struct perfetto_table {
	struct perfetto_slots young, old;
};

/*
 * The tracks of a trace: one for each process and thread, described when its first event
 * arrives, and lanes for slices, described when they have one. The tracks of threads and
 * lanes are under that of their process.
 */

/* Zero it before the first use. */
struct perfetto_tracks {
	struct perfetto_table threads; /* and processes */
	int is_other_known, is_lost_known; /* these tracks are described */
	/* The thread of the event before, as that of the next is often the same: */
	uint64_t last_origin; /* its serial; 0: there was none */
	uint32_t last_tid;
	char last_comm[32];
	uint64_t last_thread; /* uuid */
	struct clean_texts comms;
};

/*
 * The track of the event's thread. Appends descriptions of it and of its process if they are
 * new, or have other names.
 */
uint64_t perfetto_thread_track(struct perfetto_tracks *tracks,
			       const struct exported_event *event, struct bytes *trace);
/* The track that shows where events are missing. */
uint64_t perfetto_lost_track(struct perfetto_tracks *tracks, struct bytes *trace);
/*
 * Called after the last event: name the processes of which only other threads than the
 * first were seen, by one of those, as Perfetto keeps the first name of a process.
 */
void perfetto_name_processes(struct perfetto_tracks *tracks, struct bytes *trace);
void perfetto_tracks_free(struct perfetto_tracks *tracks);
/* The uuid of a process, 0 without one; of a lane. */
uint64_t perfetto_process_uuid(const struct origin *origin);
uint64_t perfetto_lane_uuid(int has_pid, uint32_t pid, uint32_t lane);
void perfetto_describe_lane(struct bytes *trace, uint64_t uuid, uint64_t process);

/* perfetto_slices.c: a packet of a record of the scheduler, for rows of processors. */
void perfetto_put_sched(struct bytes *trace, const struct sched_record *record,
			uint64_t timestamp, struct clean_texts *texts);

/* perfetto_slices.c: slices of starts with their stops, which wait for their tracks. */

/* The data of an open start; zeros if reading it failed. */
struct open_slice {
	uint64_t thread; /* the track of the thread that started it */
	uint64_t begun;
	int is_of_thread; /* that is known */
	int is_late;	  /* another slice ended later than this begins */
	int is_done;
	/* The first begin and the last end of those within it on the thread's track. */
	uint64_t first_within, within_until;
	struct bytes held; /* each a struct held_packet and its body */
	size_t whole; /* of these bytes: reading the next one may fail */
	struct lane_pool *pool;
	uint32_t lane;
	uint32_t stack; /* of the thread */
	struct open_slice *above, *below; /* there */
};

#define SPARE_BUFFERS 64u

struct thread_top {
	struct open_slice *slice;
	uint32_t next_free;
};

/* Zero it before the first use. */
struct perfetto_slices {
	struct lane_pool **pools;
	uint32_t pool_count, pools_most;
	struct key_table by_process; /* of pools */
	struct thread_top *tops;
	uint32_t top_count, free_top;
	struct key_table by_thread; /* of tops */
	uint64_t latest_end; /* of all slices so far */
	struct lane_pool *last; /* of the slice before, often that of the next, too */
	struct bytes spare[SPARE_BUFFERS]; /* memory for slices to come */
	uint32_t spare_count;
};

/* Writes a packet of an event on a track. */
typedef void put_packet(void *context, uint64_t timestamp, enum track_event_type type,
			uint64_t track, const uint8_t *body, size_t length);

/* A slice begins. thread: the track of its thread. Then hold the start. */
void perfetto_slice_begin(struct perfetto_slices *slices, struct open_slice *slice,
			  const struct exported_event *event, uint64_t thread,
			  uint64_t timestamp);
/*
 * Hold the start, or an event within, without its track. The caller appends it to the
 * bytes, and perfetto_slice_hold() returns how many. NULL: there is no space.
 */
struct bytes *perfetto_slice_room(struct open_slice *slice, uint64_t timestamp,
				  uint64_t thread);
size_t perfetto_slice_hold(struct open_slice *slice);
/* It ends: put the held one. Returns the track for the end. */
uint64_t perfetto_slice_end(struct perfetto_slices *slices, struct open_slice *slice,
			    uint64_t thread, uint64_t end, put_packet *put, void *context,
			    struct bytes *trace);
/* The open start leaves: put the held one, and free it. */
void perfetto_slice_leave(struct perfetto_slices *slices, struct open_slice *slice,
			  enum pair_fate fate, put_packet *put, void *context,
			  struct bytes *trace);
void perfetto_slices_free(struct perfetto_slices *slices);

/* A trace for Perfetto. */

exporter_open perfetto_open;

/*
 * The clock of a trace. Perfetto relates clocks by snapshots, and shows the trace by one of
 * them: CLOCK_MONOTONIC if the recording has its times, as they do not jump, and as other
 * traces of the machine can be related to it; otherwise the wall clock.
 */

/* Zero it before the first use. */
struct perfetto_clock {
	uint32_t id; /* enum builtin_clock; 0: no event had a time yet */
	int has_offset;
	int64_t offset; /* of the wall clock from this one, as of the last snapshot */
	int64_t snapshot; /* when that was */
	int64_t last; /* time of the event before */
	int is_boottime; /* CLOCK_BOOTTIME, the clock of ftrace, is equal to it */
};

#endif
