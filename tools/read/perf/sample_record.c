/* SPDX-License-Identifier: MIT */
/* Makes records of samples: their tracepoint, bytes, time, thread and names. */
#include <linux/perf_event.h>
#include <stdlib.h>

#include "common/cli/memory.h"
#include "perf_input.h"

/* A tracepoint is made when its first record is read. */

static struct tracepoint *new_tracepoint(const struct perf_input *perf,
					 const struct event_format *format,
					 const char *name)
{
	struct tracepoint *tracepoint;
	char *system, *colon;

	if (format)
		return tracepoint_new(format->system, NULL, format->text, format->length,
				      perf->tracing.is_big_endian);
	system = xstrdup(name ? name : "");
	colon = strchr(system, ':');
	if (colon)
		*colon = '\0';
	tracepoint = tracepoint_new(colon ? system : "", colon ? colon + 1 : system, NULL, 0,
				    perf->events.is_big_endian);
	free(system);
	return tracepoint;
}

/* Samples of an event without ids are recognized by their common_type. */
static struct event_format *find_format(const struct perf_input *perf,
					const struct perf_event *event,
					const struct perf_sample *sample)
{
	uint64_t id = event->config;

	if (event->type != PERF_TYPE_TRACEPOINT)
		return NULL;
	if (sample->raw_length >= 2 && perf->events.count > 1 &&
	    event->id_at == NOWHERE)
		id = load_u16(sample->raw, perf->events.is_big_endian);
	return tracing_data_find(&perf->tracing, id);
}

/* NULL: the end of the file is missing, which would describe or name it. */
static struct tracepoint *look_up_tracepoint(struct perf_input *perf,
					     struct perf_event *event,
					     const struct perf_sample *sample)
{
	struct event_format *format = find_format(perf, event, sample);
	void **place = format ? &format->tracepoint : &event->own;

	if (!format && !event->name && perf->is_unfinished)
		return NULL;
	if (!*place)
		*place = new_tracepoint(perf, format, event->name);
	if (event->id_at != NOWHERE || perf->events.count == 1)
		event->known = *place;
	return *place;
}

static void set_time(const struct perf_input *perf, const struct perf_sample *sample,
		     struct record *record)
{
	record->sample.time = (int64_t)(sample->time + (uint64_t)perf->wall_offset);
	record->sample.is_wall_clock = (uint32_t)perf->is_wall_clock;
	record->has_clock_time = perf->wall_offset != 0; /* else it was the wall clock's */
	record->clock_time = (int64_t)sample->time;
}

static void set_names(const struct perf_input *perf, const struct perf_sample *sample,
		      struct ue_sample *out)
{
	if (sample->present & UE_META_TID)
		out->comm = task_names_thread(&perf->names, sample->tid);
	if (sample->present & UE_META_CGROUP)
		out->cgroup = task_names_cgroup(&perf->names, sample->cgroup);
	out->present &= ~UE_META_CGROUP;
	out->present |= (out->comm ? UE_META_COMM : 0) | (out->cgroup ? UE_META_CGROUP : 0);
}

/* 1, 0 if the sample has no bytes to show. */
static int to_record(struct input *input, const struct queued_sample *queued,
		     struct record *record)
{
	struct perf_input *perf = input->state;
	struct perf_event *event = &perf->events.events[queued->event];
	struct perf_sample sample;

	if (perf_sample_parse(&perf->events, event, queued->body, queued->length,
			      &sample)) {
		input->unknown++;
		return 0;
	}
	if (!sample.raw) {
		*(event->type == PERF_TYPE_TRACEPOINT ? &input->bare : &input->others) += 1;
		return 0;
	}
	record->tracepoint = event->known ? event->known :
					    look_up_tracepoint(perf, event, &sample);
	if (!record->tracepoint) {
		input->unknown++;
		return 0;
	}
	record->bytes = sample.raw;
	record->length = sample.raw_length;
	record->sample = (struct ue_sample){
		.size = sizeof(record->sample),
		.present = sample.present,
		.cpu = sample.cpu,
		.pid = sample.pid,
		.tid = sample.tid,
	};
	set_time(perf, &sample, record);
	set_names(perf, &sample, &record->sample);
	return 1;
}

int perf_take_queued(struct input *input, const struct queued_sample *sample,
		     struct record *record)
{
	struct perf_input *perf = input->state;

	if (!sample->is_name)
		return to_record(input, sample, record);
	task_names_take(&perf->names, sample->body, sample->length,
			perf->events.is_big_endian);
	return 0;
}

void perf_free_tracepoints(struct perf_input *perf)
{
	for (size_t i = 0; i < perf->events.count; i++)
		tracepoint_free(perf->events.events[i].own);
	for (size_t i = 0; i < perf->tracing.count; i++)
		tracepoint_free(perf->tracing.formats[i].tracepoint);
}
