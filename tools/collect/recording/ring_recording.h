/* SPDX-License-Identifier: MIT */
/*
 * Records what a collector reads from rings into capture files: pages as they are, or events
 * that were read in order.
 */
#ifndef UE__TOOLS_COLLECT_RECORDING_RING_RECORDING_H
#define UE__TOOLS_COLLECT_RECORDING_RING_RECORDING_H

#include <stdint.h>

#include "common/cli/memory.h"
#include "record/store/file_series.h"

struct ue_captured;
struct ue_captured_page;

/*
 * Writes files that take turns, in a thread: its caller never waits for a disk. Bytes
 * that it cannot write count as missed.
 */

struct file_writer_options {
	const char *path; /* the files are PATH, PATH.000001 and so on */
	uint64_t files;	  /* how many to keep, also of earlier collectors */
	struct free_space keep_free;
	struct file_counts *counts;
};

/* NULL after a message: nothing can be written there. */
struct file_writer *file_writer_open(const struct file_writer_options *options);
/*
 * Append whole records, which have so many events, or begin the next file with them. They
 * are taken, and bytes is empty. 0, or -1 if too much waits for the disk, or the file has
 * failed: then they are missed, and another file must be begun.
 */
int file_writer_put(struct file_writer *writer, struct bytes *bytes, uint64_t events,
		    int begins_file);
/* The file cannot be written any more, which was reported. */
int file_writer_has_failed(struct file_writer *writer);
/* Less than half of the limit waits. */
int file_writer_has_room(struct file_writer *writer);
/*
 * Write what waits, and close the file; after so long give up, and count the rest as
 * missed. 0, or -1 if it gave up.
 */
int file_writer_close(struct file_writer *writer, int64_t most_ns);

struct ring_recording_options {
	const char *directory;
	uint64_t file_bytes; /* about so many in each file */
	struct file_writer_options files;
};

struct ring_recording;
struct written_ring;

/* NULL after a message. */
struct ring_recording *ring_recording_begin(const struct ring_recording_options *options);

/* A ring that capture_writer_add_ring() made is left; it may be NULL. */
void ring_recording_remove(struct ring_recording *recording, struct written_ring *ring);

/* Record the events of a page. */
void ring_recording_page(struct ring_recording *recording, struct written_ring *ring,
			 const struct ue_captured_page *page);
/*
 * The same of events that are read in order, one by one, and copied; they are recorded by
 * the second call, which is due before those of another ring.
 */
void ring_recording_event(struct ring_recording *recording, const struct ue_captured *event);
void ring_recording_end_events(struct ring_recording *recording, struct written_ring *ring);

/* All that will be read from rings happened after this, by the wall clock. */
void ring_recording_end_round(struct ring_recording *recording, int64_t until);
/* Events that are missing so far: in rings, and in programs. */
void ring_recording_lose(struct ring_recording *recording, uint64_t in_rings,
			 uint64_t in_programs);
/* Now and then: write waiting records. */
void ring_recording_flush(struct ring_recording *recording);
/* Complete the files; messages report missing events. */
void ring_recording_end(struct ring_recording *recording);

#endif
