/* SPDX-License-Identifier: MIT */
/*
 * Writes files that take turns, in a thread: its caller never waits for a disk. Bytes
 * that it cannot write count as missed.
 */
#ifndef UE__TOOLS_COLLECT_RECORDING_FILE_WRITER_H
#define UE__TOOLS_COLLECT_RECORDING_FILE_WRITER_H

#include <stdint.h>

#include "common/cli/memory.h"
#include "record/recording/second_output.h"

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

#endif
