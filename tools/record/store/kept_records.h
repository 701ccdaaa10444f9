/* SPDX-License-Identifier: MIT */
/*
 * The last records of a recording, in memory of a fixed size (record --overwrite): a new
 * one takes the place of the oldest.
 *
 * The rings of processors are read one after the other, so the oldest place has not always
 * the oldest time: when a sample goes, earlier ones of other processors may stay. The
 * latest time of all samples that went is known, so a reader leaves out those up to it, and
 * what remains has every event from its first one on.
 */
#ifndef UE__TOOLS_RECORD_STORE_KEPT_RECORDS_H
#define UE__TOOLS_RECORD_STORE_KEPT_RECORDS_H

#include <stddef.h>
#include <stdint.h>

struct kept_records {
	uint8_t *at;
	size_t size;  /* a multiple of 8, so that no header is cut in two */
	size_t begin; /* of the oldest record */
	size_t length;
	uint8_t *whole; /* a record that is cut in two, in one piece */
	/* Called for each record that goes; sets the latest time of those that went. */
	void (*drop)(void *context, const uint8_t *record);
	void *context;
};

/* size: at least that of the largest record, 64k. */
void kept_records_open(struct kept_records *kept, uint64_t size,
		       void (*drop)(void *context, const uint8_t *record), void *context);
/* Add whole records. */
void kept_records_add(struct kept_records *kept, const uint8_t *bytes, size_t length);
/*
 * The record at a distance from the oldest one, valid until the next call; NULL at the
 * end. Moves the distance to the next one.
 */
const uint8_t *kept_records_next(struct kept_records *kept, size_t *distance);
/* Drop all. */
void kept_records_empty(struct kept_records *kept);
void kept_records_free(struct kept_records *kept);

#endif
