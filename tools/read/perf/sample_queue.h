/* SPDX-License-Identifier: MIT */
/*
 * Puts samples, and records that name their threads, into the order of their times.
 *
 * A recorder empties the buffers of all processors, one after the other, and writes a
 * mark (PERF_RECORD_FINISHED_ROUND) after each round. A round may miss samples that
 * arrive in a buffer after it was emptied, but none that existed before the round began.
 * So at a mark every sample up to the latest time of the round before is ready. Samples
 * of equal times keep their order.
 *
 * The queue grows until a mark, or the end. For a mapped file it holds the places of
 * samples, for a stream a limited number of copies. At that limit, or without memory, the
 * earliest samples are ready before they should be, and each sample that is then taken
 * after one of a later time is counted.
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
	uint8_t is_copy; /* the queue frees the body */
	uint8_t is_name; /* the body is a record with its header (task_names.h) */
};

struct sample_queue {
	struct queued_sample *samples;
	struct queued_sample *scratch; /* for sorting, as much room */
	size_t room;
	size_t next;  /* to be taken */
	size_t ready; /* samples before this one are in order */
	size_t count;
	uint64_t limit; /* the latest time of the rounds before this one */
	uint64_t latest;
	uint64_t last_taken; /* its time */
	uint64_t late; /* samples that were taken after one of a later time */
	size_t copied; /* bytes that copies in the queue take */
	void *taken; /* the copy that queue_take() returned last */
};

/*
 * Add a sample, and copy its body unless is_lasting. All samples that are ready must have
 * been taken.
 */
void queue_add(struct sample_queue *queue, struct queued_sample sample, int is_lasting);
/* The end of a round; the end of all. */
void queue_round(struct sample_queue *queue);
void queue_end(struct sample_queue *queue);
/* Take a sample, which stays until the next call: 1, or 0 if none is ready. */
int queue_take(struct sample_queue *queue, struct queued_sample *sample);
void queue_free(struct sample_queue *queue);

#endif
