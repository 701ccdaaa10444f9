/* SPDX-License-Identifier: MIT */
/* A synthetic event of two events while its triggers are made: its fields and keys. */
#ifndef UE__TOOLS_SYNTH_PAIR_PARTS_H
#define UE__TOOLS_SYNTH_PAIR_PARTS_H

#include "event_field.h"
#include "synth_pair.h"

enum part_source { FROM, TO, NANOSECONDS, MICROSECONDS };

/* One field of the synthetic event. */
struct part {
	char *name;
	enum part_source source;
	const char *field; /* of FROM and TO */
	struct event_field type;
};

struct pair_parts {
	const struct synth_wish *wish;
	const struct listed_event *from, *to;
	struct part *items;
	size_t count;
	char *keys[2]; /* of from and to: "id,shard" */
};

/*
 * Find all fields and keys of the wish, and add the fields to the definition. parts begins
 * with wish, from and to. 0, or -1 after a message.
 */
int pair_parts_make(struct pair_parts *parts, struct synth_definition *definition);
void pair_parts_free(struct pair_parts *parts);
/* Whether histograms can copy this field of the event. 0, or -1 after a message. */
int pair_parts_find(const struct pair_parts *parts, const struct listed_event *event,
		    const char *name, struct event_field *field);

#endif
