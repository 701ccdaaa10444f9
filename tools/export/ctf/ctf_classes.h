/* SPDX-License-Identifier: MIT */
/* A class of events in CTF: those of one name, level and layout. */
#ifndef UE__TOOLS_EXPORT_CTF_CTF_CLASSES_H
#define UE__TOOLS_EXPORT_CTF_CTF_CLASSES_H

#include "ctf_fields.h"
#include "ctf_graph.h"
#include "ctf_stream.h"

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
