/* SPDX-License-Identifier: MIT */
/*
 * Events on their way to a receiver: an exporter that encodes them, and a sender with a bounded
 * queue. It never waits for the receiver.
 */
#ifndef UE__TOOLS_COLLECT_DELIVERY_H
#define UE__TOOLS_COLLECT_DELIVERY_H

#include <stdint.h>

#include "export/send/sender.h"
#include "export/spool/spool.h"

struct delivery;

/* The latest counts of all senders so far: a reader at any moment finds one slot whole. */
struct sent_counts {
	struct sender_counts slots[2];
	uint64_t latest; /* the slot */
};

struct delivery_options {
	const struct export_options *to;
	uint64_t queue; /* bytes of memory; 0: SENDER_QUEUE_BYTES */
	struct spool *spool; /* requests wait there; NULL: in memory */
	uint64_t spool_bytes;
	struct sent_counts *sent; /* goes on with these counts, and keeps them there */
	/*
	 * Events that find no room in the queue are added to it, and those of requests that
	 * were damaged in their files, so that the receiver is told once it takes events again.
	 */
	uint64_t *lost;
};

/* The spool must outlive it. NULL after a message, with *status an exit status. */
struct delivery *delivery_open(const struct delivery_options *options, int *status);
/* The queue in files: NULL after a message. */
struct spool *delivery_spool(const char *directory, uint64_t bytes);
/* Belongs to the caller, and must be freed before the delivery. */
struct exporter *delivery_exporter(struct delivery *delivery);

/* The address that it sends logs to, without a password: for sentences. */
const char *delivery_receiver(const struct delivery *delivery);
/* Those of logs and spans, to be freed; NULL after a message. */
char *delivery_receivers(const struct export_options *to);
/* Its end may last until then, by CLOCK_MONOTONIC, and 4 seconds at most. */
void delivery_end_by(struct delivery *delivery, int64_t end);

struct delivery_counts {
	struct sender_counts sender; /* of all so far */
	uint64_t limit;		     /* of the queue, in bytes */
	struct spool_counts spool;   /* if there is one */
	int has_spool;
};

/* Requests that were encoded so far. */
uint64_t delivery_puts(const struct delivery *delivery);
void delivery_count(struct delivery *delivery, struct delivery_counts *counts);
void delivery_free(struct delivery *delivery);

#endif
