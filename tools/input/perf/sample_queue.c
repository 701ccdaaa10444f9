/* SPDX-License-Identifier: MIT */
/* A queue of samples that merges runs which are in order already. */
#include "sample_queue.h"

#include <stdlib.h>
#include <string.h>

#include "cli/memory.h"

/* Larger than the largest sample; QUEUE_BLOCKS of them bound what is kept. */
#define BLOCK_SIZE ((size_t)128 << 10)

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

static void release(struct sample_queue *queue, uint32_t at)
{
	struct queue_block *block = &queue->blocks[at];

	if (--block->samples)
		return;
	block->used = 0;
	queue->blocks_used--;
	if (queue->block == at)
		queue->block = 0;
}

int queue_take(struct sample_queue *queue, struct queued_sample *sample)
{
	if (queue->taken) {
		release(queue, queue->taken);
		queue->taken = 0;
	}
	if (queue->next == queue->ready)
		return 0;
	*sample = queue->samples[queue->next++];
	queue->taken = sample->block;
	if (sample->time < queue->last_taken && sample->time) /* 0: it has none */
		queue->late++;
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

/* A block without samples; let_go() makes sure that one exists. */
static uint32_t free_block(struct sample_queue *queue)
{
	uint32_t at = 1;

	while (queue->blocks[at].used)
		at++;
	if (!queue->blocks[at].bytes)
		queue->blocks[at].bytes = xmalloc(BLOCK_SIZE);
	queue->blocks_used++;
	return at;
}

static void keep(struct sample_queue *queue, struct queued_sample *sample)
{
	struct queue_block *block = &queue->blocks[queue->block];

	if (!queue->block || BLOCK_SIZE - block->used < sample->length) {
		queue->block = free_block(queue);
		block = &queue->blocks[queue->block];
	}
	memcpy(block->bytes + block->used, sample->body, sample->length);
	sample->body = block->bytes + block->used;
	sample->block = (uint16_t)queue->block;
	block->used += sample->length;
	block->samples++;
}

/* Without room for another sample the older half is ready; without a block, all are. */
static void let_go(struct sample_queue *queue)
{
	size_t ready = queue->count;

	if (queue->blocks_used < QUEUE_BLOCKS - 1) {
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
	sample.block = 0;
	if (!queue->room && grow(queue))
		memory_is_short();
	if (!is_lasting)
		keep(queue, &sample);
	if (sample.time > queue->latest)
		queue->latest = sample.time;
	queue->samples[queue->count++] = sample;
	let_go(queue);
}

void queue_free(struct sample_queue *queue)
{
	free(queue->samples);
	free(queue->scratch);
	for (uint32_t at = 0; at < QUEUE_BLOCKS; at++)
		free(queue->blocks[at].bytes);
	*queue = (struct sample_queue){ 0 };
}
