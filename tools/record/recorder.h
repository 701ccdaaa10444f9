/* SPDX-License-Identifier: MIT */
/*
 * Records into perf.data. The tool has rings of its own, so the tracing of other programs
 * is not affected.
 */
#ifndef UE__TOOLS_RECORD_RECORDER_H
#define UE__TOOLS_RECORD_RECORDER_H

#include <stddef.h>
#include <stdint.h>

#include "tracefs/event_list.h"
#include "output/out_file.h"
#include "perf_file.h"
#include "perf_rings.h"
#include "recorded_processes.h"

struct recorder {
	const char *tracefs;
	struct target *target;
	struct outfile *file;
	size_t buffer; /* of each processor, in bytes */
	int buffer_is_given; /* by the user: do not take less */
	struct perf_rings rings;
	struct perf_layout layout;
	int rounds; /* marks to write yet, so that readers release events */
	int has_lost; /* the kernel reported a loss in this pass */
	struct bytes bytes; /* of one ring */
	uint64_t events;
	uint64_t lost;
	size_t tracepoints;
	size_t left_out;    /* tracepoints that could not be recorded */
	int is_at_end;	    /* the recording ended without a failure */
};

/* All functions: 0, or -1 after a message. */

/* Open the rings. The file must be open, and empty. */
int recorder_begin(struct recorder *recorder);
/* Record one more event. Returns an errno if the event no longer exists. */
int recorder_add(struct recorder *recorder, const struct listed_event *event);
/* Write the events that have arrived; the first call also writes the file's header. */
int recorder_pass(struct recorder *recorder);
/* The last pass, then the end of the file. Only after a pass. */
int recorder_finish(struct recorder *recorder);
void recorder_close(struct recorder *recorder);

#endif
