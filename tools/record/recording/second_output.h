/* SPDX-License-Identifier: MIT */
/*
 * A second output of a recorder: the same records, in files of their own that take turns.
 * Unlike the first one it never ends the recording. Without space for it, events are counted
 * as missed, and another file is begun later.
 */
#ifndef UE__TOOLS_RECORD_RECORDING_SECOND_OUTPUT_H
#define UE__TOOLS_RECORD_RECORDING_SECOND_OUTPUT_H

#include <stdatomic.h>
#include <stdint.h>

#include "recorder.h"

/*
 * Counts in memory that another process may share; some compilers align less for 32 bits.
 */
struct file_counts {
	_Alignas(8) _Atomic uint64_t events; /* in files, also removed ones */
	_Alignas(8) _Atomic uint64_t missed; /* that are in no file */
	_Alignas(8) _Atomic uint64_t bytes;  /* of all files so far */
	_Alignas(8) _Atomic uint64_t files;  /* that exist */
	_Alignas(8) _Atomic uint64_t removed;
};

struct second_output {
	/* Set by the caller, and file.fd to -1. The files are PATH, PATH.000001 and so on. */
	const char *path;
	uint64_t rotate; /* bytes of each */
	uint64_t files;	 /* how many to keep, also of earlier recordings; 0: all */
	struct free_space keep_free;
	struct file_counts *counts;
	/* Its output alone is used. */
	struct recorder recorder;
	struct outfile file;
	int64_t again; /* when to begin another file, by CLOCK_MONOTONIC */
};

/* Begin the first file. 0, or -1 after a message: then nothing can be written there. */
int second_output_begin(struct second_output *second, const char *tracefs);

/* The recorder calls these. None of them fails. */

/* event: NULL for the dummy. */
void second_output_add(struct second_output *second, const struct perf_opened *opened,
		       const struct listed_event *event);
void second_output_extend(struct second_output *second, size_t event, uint64_t id);
/* Names of threads and control groups that exist. */
void second_output_name(struct second_output *second, const struct bytes *records,
			size_t time_at);
/* Describe new events. */
void second_output_describe(struct second_output *second);
void second_output_put(struct second_output *second, const uint8_t *bytes, size_t length);
/* Complete the last file. */
void second_output_finish(struct second_output *second);
void second_output_close(struct second_output *second);

#endif
