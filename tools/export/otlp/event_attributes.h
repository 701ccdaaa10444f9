/* SPDX-License-Identifier: MIT */
/* The fields of an event, and the members of its header, as attributes. */
#ifndef UE__TOOLS_EXPORT_OTLP_ATTRIBUTES_H
#define UE__TOOLS_EXPORT_OTLP_ATTRIBUTES_H

#include "export/tree/exported_event.h"
#include "export/tree/field_walk.h"
#include "export/tree/unique_names.h"
#include "otlp_encoder.h"

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
	struct field_walk walk;
	struct bytes path;	/* of the struct around, if it is flat: "a.b." */
	struct bytes rendering; /* of what is nested too deeply */
	struct {
		struct otlp_nest nest;
		int is_flat;	/* its members are attributes of what is around */
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
/* To the end of the array or struct that has begun. */
void event_attributes_skip(struct event_attributes *attributes);
/* The fault of walk, at its end. */
void event_attributes_fault(struct event_attributes *attributes, struct bytes *to,
			    enum otlp_field list, const struct exported_event *event);
void event_attributes_free(struct event_attributes *attributes);

#endif
