/* SPDX-License-Identifier: MIT */
/* Turns samples of the recorder's own perf events into records. */
#include "perf_file.h"

#include <linux/perf_event.h>
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
		key_table_set(&samples->events.ids, opened->ids[i], (uint32_t)event);
}

void sample_records_extend(struct sample_records *samples, size_t event, uint64_t id)
{
	key_table_set(&samples->events.ids, id, (uint32_t)event);
}

/* The event of a sample, or NULL; the bytes after the sample's header. */
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

static struct tracepoint *tracepoint_of(const struct sample_records *samples,
					const struct perf_event *event)
{
	return event ? samples->tracepoints[event - samples->events.events] : NULL;
}

int sample_is_sched(const struct sample_records *samples, const uint8_t *bytes)
{
	const uint8_t *body;
	size_t length;
	const struct tracepoint *tracepoint =
		tracepoint_of(samples, find_event(samples, bytes, &body, &length));

	return tracepoint && tracepoint->is_sched;
}

/*
 * A PERF_RECORD_SAMPLE, whose bytes the record refers to, without names: 1, or 0 if it is none
 * of ours.
 */
static int sample_record(const struct sample_records *samples, const uint8_t *bytes,
			 struct record *record, struct perf_sample *sample)
{
	const uint8_t *body;
	size_t length;
	const struct perf_event *event = find_event(samples, bytes, &body, &length);
	struct tracepoint *tracepoint = tracepoint_of(samples, event);

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

/* Evaluates expressions for the samples of the recorder. */

int event_filter_parse(struct event_filter *filter, const char *where,
		       const char *dump_when)
{
	if (where && !(filter->where = where_parse(where)))
		return -1;
	return dump_when && !(filter->dump_when = where_parse(dump_when)) ? -1 : 0;
}

static void add_names(const struct event_filter *filter, const struct perf_sample *from,
		      struct ue_sample *sample)
{
	sample->comm = thread_names_find(&filter->names.threads, from->tid, from->time);
	if (from->present & UE_META_CGROUP)
		sample->cgroup = known_groups_find(&filter->names.groups, from->cgroup);
	sample->present |= (sample->comm ? UE_META_COMM : 0) |
			   (sample->cgroup ? UE_META_CGROUP : 0);
}

/* 1, 0, or -1 after a message. */
static int passes(struct event_filter *filter, const struct record *record)
{
	int result;

	if (filter->spares_sched && record->tracepoint->is_sched)
		return 1;
	event_read(&filter->event, record, &filter->kinds);
	result = filter->where && !filter->is_for_kernel ?
			 where_passes(filter->where, &filter->event) : 1;
	if (result <= 0 || !filter->dump_when)
		return result;
	result = where_passes(filter->dump_when, &filter->event);
	filter->asks |= result > 0;
	return result < 0 ? -1 : 1;
}

int event_filter_passes(struct event_filter *filter, const struct sample_records *samples,
			const uint8_t *bytes, size_t time_at)
{
	struct perf_sample sample;
	struct record record;
	int result = 1;

	if (load_u32(bytes, HOST_IS_BIG_ENDIAN) != PERF_RECORD_SAMPLE) {
		known_names_take(&filter->names, bytes, time_at);
		return 1;
	}
	if (!filter->has_failed && sample_record(samples, bytes, &record, &sample)) {
		add_names(filter, &sample, &record.sample);
		result = passes(filter, &record);
	}
	filter->has_failed |= result < 0;
	return result > 0 && !filter->has_failed;
}

void event_filter_end_round(struct event_filter *filter)
{
	filter->names.threads.round++;
}

char *event_filter_for_kernel(const struct event_filter *filter,
			      const struct tracepoint *tracepoint)
{
	return filter->where && !(filter->spares_sched && tracepoint->is_sched) ?
		       where_for_kernel(filter->where, tracepoint) : NULL;
}

void event_filter_report(const struct event_filter *filter)
{
	if (filter->where)
		where_report(filter->where);
	if (filter->dump_when)
		where_report(filter->dump_when);
}

void event_filter_free(struct event_filter *filter)
{
	where_free(filter->where);
	where_free(filter->dump_when);
	known_names_free(&filter->names);
	event_kinds_free(&filter->kinds);
}
