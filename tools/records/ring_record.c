/* SPDX-License-Identifier: MIT */
/* Makes records of a ring's events. */
#include "ring_record.h"

#include <stdlib.h>

#include "byte_cursor.h"
#include "cli/memory.h"

/*
 * A tracepoint is made once for each event. The library gives only those whose definition
 * is valid.
 */
static struct tracepoint *find(struct ring_events *events, const struct ue_captured *event)
{
	struct tracepoint **tracepoint;

	for (; events->count <= event->index; events->count++) {
		events->tracepoints = xgrow(events->tracepoints, events->count,
					    sizeof(*events->tracepoints));
		events->tracepoints[events->count] = NULL;
	}
	tracepoint = &events->tracepoints[event->index];
	if (!*tracepoint)
		*tracepoint = tracepoint_define(event->definition, HOST_IS_BIG_ENDIAN);
	if (!*tracepoint)
		*tracepoint = tracepoint_new("user_events", "unknown", NULL, 0,
					     HOST_IS_BIG_ENDIAN);
	(*tracepoint)->has_no_common = 1;
	return *tracepoint;
}

struct record ring_record(struct ring_events *events, const struct ue_captured *event)
{
	return (struct record){
		.tracepoint = find(events, event),
		.bytes = event->bytes,
		.length = event->length,
		.sample = {
			.size = sizeof(struct ue_sample),
			.present = UE_META_TIME | UE_META_CPU | UE_META_PID | UE_META_TID |
				   UE_META_COMM | UE_META_LOST,
			.is_wall_clock = 1,
			.time = event->real_time,
			.cpu = event->cpu,
			.pid = (uint32_t)event->pid,
			.tid = (uint32_t)event->tid,
			.comm = event->thread,
			.lost = event->lost,
		},
		.has_clock_time = 1,
		.clock_time = event->time,
	};
}

void ring_events_free(struct ring_events *events)
{
	for (uint32_t i = 0; i < events->count; i++)
		tracepoint_free(events->tracepoints[i]);
	free(events->tracepoints);
}
