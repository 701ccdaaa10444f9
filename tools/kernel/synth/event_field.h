/* SPDX-License-Identifier: MIT */
/* Fields of events, as the kernel's histograms see them. */
#ifndef UE__TOOLS_SYNTH_EVENT_FIELD_H
#define UE__TOOLS_SYNTH_EVENT_FIELD_H

#include "common/cli/options.h"
#include "kernel/tracefs/event_list.h"

enum event_field_kind {
	FIELD_NUMBER,
	FIELD_TEXT,
	FIELD_OTHER, /* histograms cannot copy it */
};

struct event_field {
	enum event_field_kind kind;
	unsigned int size; /* of a number, in bytes */
	int is_signed;
	int has_own_type; /* signed, and of another type than s8 to s64 */
};

/* Find a field, also a common one, and common_cpu. 0, or -1: the event has none. */
int event_field_find(const struct listed_event *event, const char *name,
		     struct event_field *field);
/* The names of the event's own fields, for messages; never freed. */
void event_field_names(const struct listed_event *event, struct words *names);
/*
 * Whether histograms of this kernel take the field's text for a text. Linux 6.1 does so for
 * all events but user events.
 */
int event_field_text_works(const struct listed_event *event);

#endif
