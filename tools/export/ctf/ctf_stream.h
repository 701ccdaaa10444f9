/* SPDX-License-Identifier: MIT */
/* Contexts of CTF: the properties of events beside their fields. */
#ifndef UE__TOOLS_EXPORT_CTF_CTF_STREAM_H
#define UE__TOOLS_EXPORT_CTF_CTF_STREAM_H

#include <babeltrace2/babeltrace.h>

#include "export/tree/exported_event.h"
#include "ctf_fields.h"
#include "ctf_graph.h"

/* Returns the bytes that it takes in the stream. */
uint64_t ctf_set_common_context(bt_field *context, const struct exported_event *event,
			    struct clean_texts *texts);

/*
 * Properties that an event has, as a set of bits: those whose value is not 0. late: the time is
 * not the packet's.
 */
uint32_t ctf_properties_of(const struct exported_event *event, int late);
/* The context of events that have these; NULL: none. */
bt_field_class *ctf_own_context(bt_trace_class *trace, uint32_t properties);
/* As above. */
uint64_t ctf_set_own_context(bt_field *context, const struct exported_event *event,
			 uint32_t properties);

/* The trace with its one stream: the clock, packets, and losses between them. */

struct ctf_stream {
	struct ctf_graph *graph;
	struct ctf_folder *folder;
	bt_trace_class *trace_class;
	bt_stream_class *class;
	bt_trace *trace;
	bt_stream *stream; /* NULL: not begun */
	bt_packet *packet; /* that is open; NULL: none */
	int has_packet;	   /* there was one */
	uint64_t bytes;	   /* of events in it */
	uint64_t end;	   /* of the stream, in bytes; or what is behind that */
	int64_t offset;	   /* of the clock: what its 0 is in the times of samples */
	uint64_t now;	   /* by the clock */
	uint64_t lost;	   /* events that are missing before the next */
};

/*
 * Begin with the first event; NULL: there is none. graph and folder are set before. 0, or -1 if
 * writing failed: then folder->error is set, or else the library failed.
 */
int ctf_stream_begin(struct ctf_stream *stream, const struct exported_event *first);
/*
 * Go on to the time of an event, if it is not before that of the last: *late says so. Ends a
 * packet that is large enough, and reports what was lost. The result as above.
 */
int ctf_stream_advance(struct ctf_stream *stream, const struct exported_event *event, int *late);
/* Make sure that an event of this size, without its header, can be written. */
int ctf_stream_reserve(struct ctf_stream *stream, uint64_t size);
/* If there is no space, report no losses. */
int ctf_stream_end(struct ctf_stream *stream);
/* Before the graph is freed. */
void ctf_stream_free(struct ctf_stream *stream);

/* A class of events in CTF: those of one name, level and layout. */

struct ctf_class {
	struct ctf_class *next; /* of the same kind of events */
	bt_event_class *class;
	struct ctf_layout layout;
	uint32_t properties; /* ctf_properties_of() */
	uint8_t level;
	int has_arrays;
	/* Only of large events, whose arrays the library keeps for reuse. */
	int is_large;
	uint64_t largest; /* event, in bytes, if there are arrays */
};

/* The classes of all events, of which there are only so many. */

/* One for events of one name. */
#define CTF_CLASSES_OF_KIND_MAX 64

/* For fields and elements of all classes; about 100 bytes each. */
#define CTF_ROOM (1u << 21)
/* A field takes a class here, one of the sink, and a value in each event of a queue. */
#define CTF_ROOM_OF_FIELD 20

/* Zero it before the first use; set stream and folder. */
struct ctf_classes {
	struct ctf_stream *stream;
	struct ctf_folder *folder;
	struct ctf_class **by_kind; /* first the one of the last event */
	uint32_t kinds;
	uint64_t room; /* that is used */
	struct ctf_class *json, *bytes; /* NULL until an event needs them */
	struct field_walk walk;
	struct bytes scratch;
	struct clean_texts texts;
};

/*
 * Write an event as one of its class, which may be new; if there is no room for that, or the
 * event is damaged, as JSON or bytes. 0, or -1 if writing failed.
 */
int ctf_classes_put(struct ctf_classes *classes, const struct exported_event *event, int late);
void ctf_classes_free(struct ctf_classes *classes);

#endif
