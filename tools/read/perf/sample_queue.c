/* SPDX-License-Identifier: MIT */
/* A queue of samples that merges runs which are in order already. */
#include "sample_queue.h"

#include <stdlib.h>
#include <string.h>

#include "common/cli/memory.h"

/* The most bytes of samples of a stream that are kept. */
#define COPIED_MAX ((size_t)128 << 20)

/* A copy with its places in the queue, and what malloc(3) adds. */
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
