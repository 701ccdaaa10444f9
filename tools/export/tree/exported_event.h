/* SPDX-License-Identifier: MIT */
/* The facts of an event that are exported beside its fields. */
#ifndef UE__TOOLS_EXPORT_TREE_EXPORTED_EVENT_H
#define UE__TOOLS_EXPORT_TREE_EXPORTED_EVENT_H

#include "clean_text.h"
#include "common/events/recorded_event.h"
#include "origins.h"

struct exported_event {
	struct event *event; /* for field_walk_begin() */
	const struct origin *origin;
	/* The provider, or the system of a classic event. */
	struct clean_text scope;
	/* "Order"; of a classic event the tracepoint's name. */
	struct clean_text name;
	int64_t time; /* nanoseconds since 1970; 0: not known */
	int64_t clock_time; /* nanoseconds of the recording's clock; or what is there of it */
	int has_tid;
	uint32_t tid;
	/* The level, opcode, keyword and ids of an EventHeader event; else NULL. */
	const struct ue_event_info *info;
	uint32_t lost; /* events that are missing before this one */
};

/* Zero it before the first use. */
struct exported_events {
	struct origins origins;
	struct clean_texts scopes, names;
	const struct event_kind *kind; /* of the event before, and its names, as it is often */
	struct clean_text scope, name; /* that of the next, too */
	uint64_t lost; /* the sum of those of the events so far */
};

/* Describe an event; valid until the next call. */
void exported_event_read(struct exported_events *events, struct event *event,
			 struct exported_event *exported);
void exported_events_free(struct exported_events *events);

#endif
