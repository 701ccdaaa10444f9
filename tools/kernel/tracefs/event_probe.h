/* SPDX-License-Identifier: MIT */
/* Events that the kernel makes of other events: event probes, "e:" in dynamic_events. */
#ifndef UE__TOOLS_TRACEFS_EVENT_PROBE_H
#define UE__TOOLS_TRACEFS_EVENT_PROBE_H

#include "event_list.h"

/*
 * Whether an event is one. perf opens them like others, but the kernel writes their events
 * into tracefs alone. directory: of tracefs.
 */
int event_is_event_probe(const char *directory, const struct listed_event *event);

#endif
