/* SPDX-License-Identifier: MIT */
/*
 * Samples put into the order of their times.
 *
 * A recorder passes over the buffers of all processors, one after the other, and
 * writes a mark (PERF_RECORD_FINISHED_ROUND) after each pass. A pass may miss what
 * came into a buffer it was done with, but not what was there before it began: so
 * at a mark, all that is not later than the latest time of the pass before may go.
 * Samples of equal times stay in the order in which they came.
 *
 * So the queue grows until a mark comes, or the end. Of a mapped file it holds where the
 * samples are; of a stream it holds copies, of which there is a most. If that is reached,
 * or there is no memory for more, the earliest may go before their time: those that turn
 * out to have been later than one that comes after them are counted.
 */
#ifndef UE__TOOLS_INPUT_PERF_SAMPLE_QUEUE_H
#define UE__TOOLS_INPUT_PERF_SAMPLE_QUEUE_H

#include <stddef.h>
#include <stdint.h>

struct queued_sample {
	uint64_t time;
	const uint8_t *body;
	uint32_t event;
	uint16_t length;
	uint16_t block; /* where the body is kept, 0: not by the queue */
};

struct queue_block {
	uint8_t *bytes;
	uint32_t used;
	uint32_t samples; /* that are in the queue */
};

#define QUEUE_BLOCKS 1024u

struct sample_queue {
	struct queued_sample *samples;
	struct queued_sample *scratch; /* for sorting, as much room */
	size_t room;
	size_t next;  /* to be taken */
	size_t ready; /* up to here they are in order and may go */
	size_t count;
	uint64_t limit; /* the latest time of the rounds before this one */
	uint64_t latest;
	uint64_t last_taken; /* its time */
	uint64_t late; /* samples that were taken after one of a later time */
	uint32_t block; /* that is being filled; 0: none */
	uint32_t blocks_used;
	uint32_t taken; /* the block of the last that was taken; 0: none */
	struct queue_block blocks[QUEUE_BLOCKS]; /* the first is none */
};

/*
 * Add a sample; is_lasting says that its body stays where it is, else it is copied.
 * All that is ready must have been taken.
 */
void queue_add(struct sample_queue *queue, struct queued_sample sample, int is_lasting);
/* The end of a round; the end of all. */
void queue_round(struct sample_queue *queue);
void queue_end(struct sample_queue *queue);
/* The next; it stays until the next call of any function. 1, or 0: none is ready. */
int queue_take(struct sample_queue *queue, struct queued_sample *sample);
void queue_free(struct sample_queue *queue);

#endif
