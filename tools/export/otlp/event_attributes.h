/* SPDX-License-Identifier: MIT */
/*
 * Common Schema 4.0: log records and spans of OpenTelemetry, as its exporters for user_events
 * write them into events. A field "__csver__" is followed by the structs PartA (ids, time),
 * PartB (the record) and PartC (attributes).
 */
#ifndef UE__TOOLS_EXPORT_OTLP_EVENT_ATTRIBUTES_H
#define UE__TOOLS_EXPORT_OTLP_EVENT_ATTRIBUTES_H

#include <stdint.h>

#include "common/events/field.h"
#include "export/tree/exported_event.h"
#include "export/tree/field_walk.h"
#include "otlp_encoder.h"

/* The fields of an event, and the members of its header, as attributes. */

/*
 * Arrays and structs in each other, at most. Parsers of Protocol Buffers stop at 100
 * messages in each other; a level takes up to three, and the request around it six.
 */
#define NEST_MAX 16

/*
 * Bytes of the attributes of an event, beyond which fields are left out: names of members are
 * repeated with each element of an array, so that an event of 64 KiB can have a hundred
 * megabytes. Receivers refuse requests of 20 MiB, as a rule.
 */
#define ATTRIBUTES_MAX ((size_t)8 << 20)
/* The event could not be read, or had such attributes. */
#define PAYLOAD_MAX ((size_t)1 << 20)

/*
 * A span of another program that an event names, as SDKs of OpenTelemetry do: by its
 * fields traceparent (W3C Trace Context), or trace_id and span_id, of hexadecimal
 * digits.
 */
struct trace_context {
	int has_trace, has_span;
	uint8_t trace[TRACE_ID_SIZE], span[SPAN_ID_SIZE];
};

/*
 * An id of so many bytes, not of zeros alone, of hexadecimal digits: 1, or 0 if it is
 * none.
 */
int trace_context_id(const struct value *value, uint8_t *id, size_t size);

/* Shared by all events. Zero it, and set the first members. */
struct event_attributes {
	const struct otlp_encoder *encoder;
	int is_flat;
	int is_brief;
	int is_end; /* of an event that adds to the span that another one began */
	/* Their own */
	size_t begin;	/* where the attributes begin, in the buffer */
	int is_too_long;
	struct unique_names keys;
	struct trace_context context; /* of its fields */
	struct field_walk walk;
	struct bytes path;	/* of the struct around, if it is flat: "a.b." */
	struct bytes rendering; /* of items nested too deeply */
	struct {
		struct otlp_nest nest;
		int is_flat;	/* its members are attributes of the parent */
		size_t path_length;
	} open[NEST_MAX];
	uint32_t depth;
};

/* The attributes of an event, appended to this buffer: begin; what is known of it; its fields. */
void event_attributes_begin(struct event_attributes *attributes, const struct bytes *to);
/* One that is no field. */
void event_attributes_own(struct event_attributes *attributes, struct bytes *to,
			  enum otlp_field list, const char *key, struct value value);
/* userevents.clock_time, if that is the only time that is known. */
void event_attributes_clock(struct event_attributes *attributes, struct bytes *to,
			    enum otlp_field list, int64_t time, int64_t clock_time);
/* thread.id, and the members of an EventHeader event's header. */
void event_attributes_header(struct event_attributes *attributes, struct bytes *to,
			     enum otlp_field list, const struct exported_event *event);
void event_attributes_fields(struct event_attributes *attributes, struct bytes *to,
			     enum otlp_field list, const struct exported_event *event);
/* The item that the walk is at, to its end, if that is an array or a struct. */
void event_attributes_item(struct event_attributes *attributes, struct bytes *to,
			   enum otlp_field list, enum walk_kind kind);
/* Skip to the end of the array or struct that has started. */
void event_attributes_skip(struct event_attributes *attributes);
/* The fault of walk, at its end. */
void event_attributes_fault(struct event_attributes *attributes, struct bytes *to,
			    enum otlp_field list, const struct exported_event *event);
void event_attributes_free(struct event_attributes *attributes);

#define SEVERITY_MAX 24 /* of OpenTelemetry; 0 is none */

enum schema_kind {
	SCHEMA_LOG = 1,
	SCHEMA_SPAN = 2,
};

/* A text in schema_facts.texts. */
struct schema_text {
	size_t at, length;
};

/* Facts that become members of the record, rather than attributes. */
struct schema_facts {
	struct bytes texts;
	uint32_t seen; /* bits of members that were read */
	int has_span_type; /* _typeName is "Span" */
	int has_no_trace; /* set before reading: the ids of a span and its flags stay attributes */
	uint8_t trace[TRACE_ID_SIZE], span[SPAN_ID_SIZE], parent[SPAN_ID_SIZE];
	uint64_t flags;
	int64_t time, start; /* since 1970 */
	struct schema_text part_a_name, name, severity_text, status_message;
	uint64_t severity, kind, has_succeeded;
	struct value body;
	struct schema_text body_text;
};

/* Whether the event is of Common Schema. The walk begins anew. */
int common_schema_is(struct event_attributes *attributes, const struct exported_event *event);
/*
 * Read members into facts. kinds: those of which members are taken; then others are appended
 * as attributes, unless to is NULL.
 */
void common_schema_read(struct event_attributes *attributes, struct schema_facts *facts,
			uint32_t kinds, const struct exported_event *event, struct bytes *to,
			enum otlp_field list);
/* Whether a member was read. */
int common_schema_has(const struct schema_facts *facts, const char *name);
struct clean_text common_schema_text(const struct schema_facts *facts,
				     struct schema_text text);

#endif
