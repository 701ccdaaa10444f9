/* SPDX-License-Identifier: MIT */
/*
 * Numbers of fields and values, from the .proto files in protos/perfetto/trace and
 * protos/perfetto/common of Perfetto's sources.
 */
#ifndef UE__TOOLS_EXPORT_PERFETTO_PROTO_H
#define UE__TOOLS_EXPORT_PERFETTO_PROTO_H

enum { TRACE_PACKET = 1 };

/* The sequence of packets that one writer wrote, in order: all of ours. */
enum { PERFETTO_SEQUENCE = 1 };

enum trace_packet_field {
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

#endif
