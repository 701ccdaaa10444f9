/* SPDX-License-Identifier: MIT */
/* A class of events in CTF: those of one name, level and layout. */
#ifndef UE__TOOLS_EXPORT_CTF_CLASS_H
#define UE__TOOLS_EXPORT_CTF_CLASS_H

#include "fields/ctf_layout.h"
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

/* The layout moves into the class. */
struct ctf_class *ctf_class_new(const struct ctf_stream *stream,
				const struct exported_event *event, uint32_t properties,
				struct ctf_layout *layout);
void ctf_class_free(struct ctf_class *class);
/* The size of its description in the metadata, at most. */
uint64_t ctf_class_size(const struct ctf_class *class, const struct exported_event *event);

#endif
