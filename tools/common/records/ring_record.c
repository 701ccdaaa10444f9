/* SPDX-License-Identifier: MIT */
/* Makes records of a ring's events. */
#include "ring_record.h"

#include <stdlib.h>

#include "byte_cursor.h"
#include "common/cli/memory.h"

/*
 * A tracepoint is made once for each event. The library gives only those whose definition
 * is valid.
 */
static struct tracepoint *find(struct ring_events *events, uint32_t index,
			       const char *definition)
{
	struct tracepoint **tracepoint;

	for (; events->count <= index; events->count++) {
		events->tracepoints = xgrow(events->tracepoints, events->count,
					    sizeof(*events->tracepoints));
		events->tracepoints[events->count] = NULL;
	}
	tracepoint = &events->tracepoints[index];
	if (!*tracepoint)
		*tracepoint = tracepoint_define(definition, HOST_IS_BIG_ENDIAN);
	if (!*tracepoint)
		*tracepoint = tracepoint_new("user_events", "unknown", NULL, 0,
					     HOST_IS_BIG_ENDIAN);
	(*tracepoint)->has_no_common = 1;
	return *tracepoint;
}

struct record ring_record(struct ring_events *events, const struct ue_captured *event)
{
	return (struct record){
		.tracepoint = find(events, event->index, event->definition),
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

/* A moment is moved by what the ring's clock counted since. */
static int64_t time_of(const struct ue_captured_page *page,
		       const struct ue_page_event *event, int64_t opened)
{
	const double since = (double)(int64_t)(event->clock - page->opened) * page->rate;
	const double most = 4e18;
	const double more = since > most ? most : since < -most ? -most :
								  since;

	return (int64_t)((uint64_t)opened + (uint64_t)(int64_t)more);
}

struct record ring_page_record(struct ring_events *events,
			       const struct ue_captured_page *page, uint32_t number)
{
	const struct ue_page_event *event = &page->events[number];
	const struct ue_page_thread *thread = &page->threads[event->thread];
	const struct ue_captured captured = {
		.definition = event->definition,
		.bytes = event->bytes,
		.length = event->length,
		.pid = page->pid,
		.index = event->index,
		.tid = thread->tid,
		.cpu = page->cpu,
		.lost = number ? 0 : page->lost,
		.time = time_of(page, event, page->time),
		.real_time = time_of(page, event, page->real_time),
		.process = page->process,
		.thread = thread->name,
	};

	return ring_record(events, &captured);
}

void ring_events_free(struct ring_events *events)
{
	for (uint32_t i = 0; i < events->count; i++)
		tracepoint_free(events->tracepoints[i]);
	free(events->tracepoints);
}
