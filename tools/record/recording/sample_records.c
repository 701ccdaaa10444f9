/* SPDX-License-Identifier: MIT */
/* Turns samples of the recorder's own perf events into records. */
#include "sample_records.h"

#include <stdlib.h>

#include "common/cli/memory.h"
#include "read/perf/perf_input.h"

void sample_records_add(struct sample_records *samples, const struct perf_opened *opened,
			struct tracepoint *tracepoint)
{
	long event;

	samples->events.is_big_endian = HOST_IS_BIG_ENDIAN;
	event = perf_events_add(&samples->events, (const uint8_t *)&opened->attr,
				sizeof(opened->attr));
	samples->tracepoints = xgrow(samples->tracepoints, samples->count,
				     sizeof(struct tracepoint *));
	samples->tracepoints[samples->count++] = tracepoint;
	for (size_t i = 0; event >= 0 && i < opened->id_count; i++)
		id_map_set(&samples->events.ids, opened->ids[i], (size_t)event);
}

void sample_records_extend(struct sample_records *samples, size_t event, uint64_t id)
{
	id_map_set(&samples->events.ids, id, event);
}

/* The event of a sample, or NULL; what follows the sample's header. */
static struct perf_event *find_event(const struct sample_records *samples,
				     const uint8_t *bytes, const uint8_t **body,
				     size_t *length)
{
	uint32_t event;

	*body = bytes + PERF_RECORD_HEADER_SIZE;
	*length = load_u16(bytes + 6, HOST_IS_BIG_ENDIAN) - PERF_RECORD_HEADER_SIZE;
	event = perf_sample_event(&samples->events, *body, *length);
	return event == NO_EVENT ? NULL : &samples->events.events[event];
}

uint64_t sample_time(const struct sample_records *samples, const uint8_t *bytes)
{
	const uint8_t *body;
	size_t length;
	const struct perf_event *event = find_event(samples, bytes, &body, &length);

	return event ? perf_sample_time(&samples->events, event, body, length) : 0;
}

int sample_record(const struct sample_records *samples, const uint8_t *bytes,
		  struct record *record, struct perf_sample *sample)
{
	const uint8_t *body;
	size_t length;
	const struct perf_event *event = find_event(samples, bytes, &body, &length);
	struct tracepoint *tracepoint;

	tracepoint = event ? samples->tracepoints[event - samples->events.events] : NULL;
	if (!tracepoint || perf_sample_parse(&samples->events, event, body, length, sample) ||
	    !sample->raw)
		return 0;
	*record = (struct record){
		.tracepoint = tracepoint,
		.bytes = sample->raw,
		.length = sample->raw_length,
		.sample = {
			.size = sizeof(record->sample),
			.present = sample->present & ~UE_META_CGROUP,
			.is_wall_clock = 1,
			.time = (int64_t)(sample->time + samples->wall_offset),
			.cpu = sample->cpu,
			.pid = sample->pid,
			.tid = sample->tid,
		},
	};
	return 1;
}

void sample_records_free(struct sample_records *samples)
{
	for (size_t i = 0; i < samples->count; i++)
		tracepoint_free(samples->tracepoints[i]);
	free(samples->tracepoints);
	perf_events_free(&samples->events);
	*samples = (struct sample_records){ 0 };
}
