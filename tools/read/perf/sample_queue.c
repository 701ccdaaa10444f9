/* SPDX-License-Identifier: MIT */
/*
 * A queue of samples that merges runs which are in order already; makes the records that
 * are printed.
 */
#include "perf_input.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/memory.h"

/* The most bytes of samples of a stream that are kept. */
#define COPIED_MAX ((size_t)128 << 20)

/* A copy with its places in the queue, and the overhead of malloc(3). */
static size_t size_of_copy(const struct queued_sample *sample)
{
	return sample->length + 2 * sizeof(*sample) + 2 * sizeof(size_t);
}

/* Sorting merges neighbouring runs that are in order, two at a time. */

static size_t run_end(const struct queued_sample *samples, size_t begin, size_t end)
{
	size_t at = begin + 1;

	while (at < end && samples[at - 1].time <= samples[at].time)
		at++;
	return at;
}

static void merge(const struct queued_sample *from, size_t begin, size_t middle,
		  size_t end, struct queued_sample *to)
{
	size_t left = begin, right = middle, at = begin;

	while (left < middle && right < end)
		to[at++] = from[right].time < from[left].time ? from[right++] :
								from[left++];
	memcpy(to + at, from + left, (middle - left) * sizeof(*to));
	at += middle - left;
	memcpy(to + at, from + right, (end - right) * sizeof(*to));
}

/* One pass over all samples. Returns the number of runs before it. */
static size_t merge_runs(const struct queued_sample *from, size_t count,
			 struct queued_sample *to)
{
	size_t begin = 0, runs = 0;

	while (begin < count) {
		size_t middle = run_end(from, begin, count);
		size_t end = middle < count ? run_end(from, middle, count) : middle;

		if (!begin && middle == count)
			return 1;
		merge(from, begin, middle, end, to);
		begin = end;
		runs += 2;
	}
	return runs;
}

static void sort(struct sample_queue *queue)
{
	while (merge_runs(queue->samples, queue->count, queue->scratch) > 1) {
		struct queued_sample *sorted = queue->scratch;

		queue->scratch = queue->samples;
		queue->samples = sorted;
	}
}

/* Move the samples that were not taken to the beginning. */
static void drop_taken(struct sample_queue *queue)
{
	if (!queue->next)
		return;
	queue->count -= queue->next;
	queue->ready -= queue->next;
	memmove(queue->samples, queue->samples + queue->next,
		queue->count * sizeof(*queue->samples));
	queue->next = 0;
}

/* The first sample later than the limit. */
static size_t find_later(const struct sample_queue *queue)
{
	size_t begin = 0, end = queue->count;

	while (begin < end) {
		size_t middle = begin + (end - begin) / 2;

		if (queue->samples[middle].time <= queue->limit)
			begin = middle + 1;
		else
			end = middle;
	}
	return begin;
}

void queue_round(struct sample_queue *queue)
{
	drop_taken(queue);
	sort(queue);
	queue->ready = find_later(queue);
	queue->limit = queue->latest;
}

void queue_end(struct sample_queue *queue)
{
	queue->limit = UINT64_MAX;
	queue_round(queue);
}

int queue_take(struct sample_queue *queue, struct queued_sample *sample)
{
	free(queue->taken);
	queue->taken = NULL;
	if (queue->next == queue->ready)
		return 0;
	*sample = queue->samples[queue->next++];
	if (sample->is_copy) {
		queue->taken = (void *)(uintptr_t)sample->body;
		queue->copied -= size_of_copy(sample);
	}
	if (sample->time < queue->last_taken && sample->time) /* 0: it has none */
		queue->late += !sample->is_name;
	else if (sample->time)
		queue->last_taken = sample->time;
	return 1;
}

/* Adding */

/* Room for more, and for sorting that many: 0, or -1 without memory. */
static int grow(struct sample_queue *queue)
{
	size_t room = queue->room ? queue->room * 2 : 4096;
	void *samples = realloc(queue->samples, room * sizeof(*queue->samples));
	void *scratch = realloc(queue->scratch, room * sizeof(*queue->scratch));

	if (samples)
		queue->samples = samples;
	if (scratch)
		queue->scratch = scratch;
	if (!samples || !scratch)
		return -1;
	queue->room = room;
	return 0;
}

/* Without room for another sample the older half is ready, at the limit all are. */
static void let_go(struct sample_queue *queue)
{
	size_t ready = queue->count;

	if (queue->copied < COPIED_MAX) {
		if (queue->count < queue->room || !grow(queue))
			return;
		ready -= queue->count / 2;
	}
	sort(queue);
	queue->ready = ready;
}

void queue_add(struct sample_queue *queue, struct queued_sample sample, int is_lasting)
{
	drop_taken(queue);
	if (!queue->room && grow(queue))
		memory_is_short();
	sample.is_copy = !is_lasting;
	if (sample.is_copy) {
		sample.body = memcpy(xmalloc(sample.length), sample.body, sample.length);
		queue->copied += size_of_copy(&sample);
	}
	if (sample.time > queue->latest)
		queue->latest = sample.time;
	queue->samples[queue->count++] = sample;
	let_go(queue);
}

void queue_free(struct sample_queue *queue)
{
	for (size_t i = queue->next; i < queue->count; i++)
		if (queue->samples[i].is_copy)
			free((void *)(uintptr_t)queue->samples[i].body);
	free(queue->taken);
	free(queue->samples);
	free(queue->scratch);
	*queue = (struct sample_queue){ 0 };
}

/* Makes records of samples: their tracepoint, bytes, time, thread and names. */

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

static void set_frames(struct perf_input *perf, const struct perf_event *event,
		       const struct perf_sample *sample, struct record *record)
{
	uint64_t all;

	record->frames = NULL;
	record->frame_count = 0;
	record->is_stack_full = 0;
	if (!sample->chain)
		return;
	if (!perf->frames)
		perf->frames = xmalloc(FRAMES_MOST * sizeof(*perf->frames));
	record->frame_count = perf_code_frames(&perf->code, sample,
					       perf->events.is_big_endian, perf->frames, &all);
	record->frames = perf->frames;
	record->is_stack_full = event->max_stack && all >= event->max_stack;
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
		      struct record *record)
{
	struct ue_sample *out = &record->sample;

	record->program = NULL;
	if (sample->present & UE_META_TID) {
		out->comm = task_names_thread(&perf->names, sample->tid);
		record->program = task_names_thread(&perf->names, sample->pid);
	}
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
	set_frames(perf, event, &sample, record);
	set_names(perf, &sample, record);
	return 1;
}

int perf_take_queued(struct input *input, const struct queued_sample *sample,
		     struct record *record)
{
	struct perf_input *perf = input->state;

	if (!sample->is_name)
		return to_record(input, sample, record);
	if (task_names_has(load_u32(sample->body, perf->events.is_big_endian)))
		task_names_take(&perf->names, sample->body, sample->length,
				perf->events.is_big_endian);
	perf_code_take(&perf->code, sample->body, sample->length, sample->time,
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
