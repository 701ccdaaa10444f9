/* SPDX-License-Identifier: MIT */
/* The user events that exist, and their descriptions. */
#ifndef UE__TOOLS_KERNEL_TRACEFS_EXISTING_EVENTS_H
#define UE__TOOLS_KERNEL_TRACEFS_EXISTING_EVENTS_H

#include <stddef.h>
#include <stdint.h>

#include "common/cli/options.h"
#include "common/records/tracepoint.h"
#include "event_list.h"

/* Called for each event. Returns 0, or another value, which events_each() returns. */
typedef int events_visit(const struct tracepoint *tracepoint, void *context);

/*
 * Visit the user events whose names match, in the order of systems and names. Returns 0,
 * what visit() returned, or -1 after a message.
 */
int events_each(const char *directory, const struct words *globs, events_visit *visit,
		void *context);

/* One event, to be freed; NULL with errno. */
struct tracepoint *event_open(const char *directory, const char *system,
			      const char *name);

/* The length of the name that the event was registered with, without ".7f". */
size_t event_name_length(const struct tracepoint *tracepoint);

/* The text with which it was registered, to be freed. */
char *event_definition(const struct tracepoint *tracepoint);

/* Report that there is no event at all. */
void events_report_none(void);

/* The listeners in user_events_status, UE_USER_*; -1 if that cannot be read. */
int event_listeners(const char *directory, const struct tracepoint *tracepoint);

/* Events that the kernel makes of other events: event probes, "e:" in dynamic_events. */

/*
 * Whether an event is one. perf opens them like others, but the kernel writes their events
 * into tracefs alone. directory: of tracefs.
 */
int event_is_event_probe(const char *directory, const struct listed_event *event);

#endif
