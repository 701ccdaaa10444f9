/* SPDX-License-Identifier: MIT */
/* The synthetic events that exist, and who uses each. */
#ifndef UE__TOOLS_SYNTH_SYNTH_EVENT_H
#define UE__TOOLS_SYNTH_SYNTH_EVENT_H

#include "found_triggers.h"
#include "synth_definition.h"

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
