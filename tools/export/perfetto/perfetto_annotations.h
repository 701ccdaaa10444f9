/* SPDX-License-Identifier: MIT */
/*
 * The fields of an event as annotations: arrays and structs nested, each name once, and in a
 * dict "eventheader" what an EventHeader event has beside its fields.
 */
#ifndef UE__TOOLS_EXPORT_PERFETTO_ANNOTATIONS_H
#define UE__TOOLS_EXPORT_PERFETTO_ANNOTATIONS_H

#include "export/tree/exported_event.h"
#include "export/tree/field_walk.h"
#include "export/tree/unique_names.h"

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
	int is_brief; /* leave out what is equal for all events of a kind */
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

#endif
