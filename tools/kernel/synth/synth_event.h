/* SPDX-License-Identifier: MIT */
/* Fields of events, as the kernel's histograms see them. */
#ifndef UE__TOOLS_KERNEL_SYNTH_SYNTH_EVENT_H
#define UE__TOOLS_KERNEL_SYNTH_SYNTH_EVENT_H

#include "common/cli/options.h"
#include "kernel/tracefs/kernel_field.h"
#include "found_triggers.h"

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
int event_field_of(const struct tracepoint *event, const char *name,
		   struct event_field *field);
/* The names of the event's own fields, for messages; never freed. */
void event_field_names(const struct listed_event *event, struct words *names);
/*
 * Whether histograms of this kernel take the field's text for a text. Linux 6.1 does so for
 * all events but user events.
 */
int event_field_text_works(const struct listed_event *event);

/* The synthetic events that exist, and who uses each. */

struct synth_event {
	char *name;
	char *fields; /* as the kernel lists them: "u64 id; char[] path" */
};

struct synth_events {
	struct synth_event *items;
	size_t count;
};

/* Read synthetic_events. 0, or -1 after a message. To be freed. */
int synth_events_read(const char *tracefs, struct synth_events *events);
void synth_events_free(struct synth_events *events);
const struct synth_event *synth_events_find(const struct synth_events *events,
					    const char *name);

/* Remove one from the kernel, which may need a moment until its triggers are gone: 0 or -errno. */
int synth_event_remove(const char *tracefs, const char *name);

/* Whether synth create set this trigger for the event. */
int synth_event_owns(const struct found_trigger *trigger, const char *name);
/*
 * Call for each directory of the event in an instance, the top one first (instance NULL), in
 * which it is enabled.
 */
void synth_event_enabled_each(const char *tracefs, const char *name,
			      void (*call)(void *context, const char *instance,
					   const char *directory),
			      void *context);

#endif
