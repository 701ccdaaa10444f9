/* SPDX-License-Identifier: MIT */
/*
 * Ways to record: into perf.data, record/recorder_perf.c, or trace.dat, record/recorder_ftrace.c.
 * Nobody else's tracing is touched: perf's rings and ftrace's instance are our own.
 */
#ifndef UE__TOOLS_RECORD_RECORDER_H
#define UE__TOOLS_RECORD_RECORDER_H

#include <stddef.h>
#include <stdint.h>

#include "tracefs/event_list.h"
#include "output/out_file.h"
#include "recorded_processes.h"

struct recorder;

/* All functions: 0, or -1 after a message. */
struct recorder_kind {
	/* Make what records. The file is open, and nothing is written to it yet. */
	int (*begin)(struct recorder *recorder);
	/* Also an errno: the event is not there, or not any more. */
	int (*add)(struct recorder *recorder, const struct listed_event *event);
	/* Wait for events, or so long. */
	void (*wait)(struct recorder *recorder, int milliseconds);
	/* Write what there is; the first time, also the head of the file. */
	int (*pass)(struct recorder *recorder);
	/* The same the last time, and what comes behind; only after a pass. */
	int (*finish)(struct recorder *recorder);
	void (*close)(struct recorder *recorder);
};

struct recorder {
	const struct recorder_kind *kind;
	const char *tracefs;
	struct target *target;
	struct outfile *file;
	size_t buffer; /* of each processor, in bytes */
	int buffer_is_given; /* by the user: less will not do */
	void *state;   /* of the kind */
	uint64_t events;
	uint64_t lost;
	size_t tracepoints;
	size_t left_out;    /* tracepoints that could not be recorded */
	int is_at_end;	    /* nothing failed */
};

extern const struct recorder_kind recorder_perf;
extern const struct recorder_kind recorder_ftrace;

#endif
