/* SPDX-License-Identifier: MIT */
/*
 * Records into perf.data. The tool has rings of its own, so the tracing of other programs
 * is not affected.
 */
#ifndef UE__TOOLS_RECORD_RECORDING_RECORDER_H
#define UE__TOOLS_RECORD_RECORDING_RECORDER_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "common/output/out_file.h"
#include "kernel/tracefs/tracing_files.h"
#include "perf_file.h"
#include "record/store/file_series.h"
#include "record/store/kept_records.h"
#include "record/target/perf_rings.h"

struct second_output;

/*
 * Counts in memory that another process may share; some compilers align less for 32 bits.
 */
struct recorder_counts {
	_Alignas(8) _Atomic uint64_t taken; /* as of struct recorder */
	_Alignas(8) _Atomic uint64_t lost;
	_Alignas(8) _Atomic uint64_t late; /* tracepoints that appeared meanwhile */
	_Alignas(8) _Atomic uint64_t gaps_ns; /* of processors that came meanwhile */
};

struct recorder {
	const char *tracefs;
	struct target *target;
	struct outfile *file;
	struct second_output *second; /* also writes all records; or NULL */
	struct recorder_counts *counts; /* or NULL */
	int is_watched; /* file is a pipe, which this tool reads */
	size_t buffer; /* of each processor, in bytes */
	const struct words *stacks; /* globs of events whose stacks are recorded; none if empty */
	struct words stacks_unmatched; /* NULL: one has matched a tracepoint */
	uint16_t frames; /* of a stack */
	int buffer_is_given; /* by the user: do not take less */
	struct perf_rings rings;
	struct processors processors; /* of these rings */
	struct perf_layout layout;
	int rounds; /* marks to write yet, so that readers release events */
	int has_lost; /* the kernel reported a loss in this pass */
	int has_read_names; /* of all threads, in this pass, as some were overwritten */
	int may_have_lost; /* events arrived since the kernel was asked for losses */
	uint64_t asked;	   /* when that was, of CLOCK_MONOTONIC */
	int64_t next_clock; /* when to look whether the wall clock was set, of the same */
	struct bytes bytes; /* of one ring */
	struct file_series series; /* its path is NULL if there is one file alone */
	uint64_t file_size; /* of each file of the series; 0: any */
	uint64_t begun;	    /* the bytes with which the file begins, descriptions and names */
	struct kept_records kept; /* its memory is NULL if events go to files at once */
	struct known_names names; /* before the records in the file, or in memory */
	size_t group_bytes; /* of the kernel's records of groups since all were read */
	size_t group_bytes_most; /* then all are read again */
	struct sample_records samples;
	struct event_filter filter; /* the caller parses it */
	uint64_t sched; /* with filter.spares_sched: those taken of the scheduler */
	size_t time_at;	    /* the time of a record that is no sample, from its end */
	int is_fresh;	    /* no record is in the file yet */
	int is_full;	    /* nothing more can be written; after a message */
	uint64_t seen;	    /* events that arrived, before the filter */
	uint64_t replaced;  /* events for which there was no room in memory */
	int has_gaps;	    /* some of them in the kernel's rings, before they arrived */
	uint64_t replaced_until; /* the latest time of them */
	size_t failed_dumps;
	uint64_t taken;  /* events that arrived, and passed the filter */
	uint64_t events; /* in files */
	uint64_t lost;
	size_t tracepoints;
	size_t left_out;    /* tracepoints that could not be recorded */
	int is_at_end;	    /* the recording ended without a failure */
};

/* All functions: 0, or -1 after a message. */

/* Open the rings. */
int recorder_begin(struct recorder *recorder);
/* Record one more event. Returns an errno if the event no longer exists. */
int recorder_add(struct recorder *recorder, const struct listed_event *event);
/*
 * Record the scheduler's events, of all threads of the machine. A perf event of a thread
 * sees the switch that ends its time on a processor, but not the one that begins it, as
 * that happens in the thread before; and another thread took the processor.
 */
int recorder_add_sched(struct recorder *recorder);
int recorder_has_tracepoint(const struct recorder *recorder, uint32_t id);
/* Whether there is an event of a program. */
int recorder_has_events(const struct recorder *recorder);
/* Wait until there is something to do, but no longer than this. */
void recorder_wait(struct recorder *recorder, int milliseconds);
/* Follow processors that went and came since the last call. */
int recorder_follow_processors(struct recorder *recorder);
/*
 * Tell readers of recorder->counts that tracepoints were added after the beginning.
 */
void recorder_count_late(const struct recorder *recorder, size_t count);
/*
 * Write the events that have arrived, or take them into memory; the first call also writes
 * the file's header.
 */
int recorder_pass(struct recorder *recorder);
/*
 * Keep the last records, up to this many bytes, in memory, instead of writing them. Before
 * the first pass.
 */
void recorder_keep(struct recorder *recorder, uint64_t size);
/* Begin the next file of several, unless this one has no record yet. */
int recorder_turn(struct recorder *recorder);
/*
 * Write what is in memory into a file of its own. Without any event there is none, unless
 * it would be the only one. If that fails, the events stay in memory.
 */
int recorder_dump(struct recorder *recorder, int is_last);
/* The last pass, then the end of the file. Only after a pass. */
int recorder_finish(struct recorder *recorder);
void recorder_close(struct recorder *recorder);

/* The id of the event without samples, which the tool's own records have. */
uint64_t recorder_dummy_id(const struct recorder *recorder);
/* Add the groups that exist, which the kernel's later records are added to. */
void recorder_read_groups(struct recorder *recorder, struct bytes *records);
/* Write a ring's records. */
int recorder_take_ring(struct recorder *recorder, struct perf_ring *ring);
/* Write a record of the losses that the kernel counted since the last one. */
int recorder_report_lost(struct recorder *recorder);

/*
 * The way of records from the recorder into a file, into one file after the other, or into
 * memory that is written to files now and then. Inside tools/record.
 */

/* All functions: 0, or -1 after a message. */

/* Begin the file if that has not been done, and describe new events in it. */
int recorder_output_describe(struct recorder *recorder);
/* Put whole records there. Once recorder->is_full, nothing is put. */
int recorder_output_put(struct recorder *recorder, const uint8_t *bytes, size_t length);
/* Complete the file. */
int recorder_output_finish(struct recorder *recorder);

/*
 * A second output of a recorder: the same records, in files of their own that take turns.
 * Unlike the first one it never ends the recording. Without space for it, events are counted
 * as missed, and another file is begun later.
 */
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
