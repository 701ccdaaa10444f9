/* SPDX-License-Identifier: MIT */
/*
 * Writes perf.data so that it can be read even if the recorder is killed.
 *
 * During the recording the file has the layout of "perf record -o -": a header of 16
 * bytes, then records. Records that describe an event stand before its samples. Cut off
 * anywhere, such a file is a recording up to there. But perf(1), at least 6.1, reads only
 * one description of tracepoints from it, and older versions accept this layout from a
 * pipe only.
 *
 * So at the end the file gets the usual layout, in place: descriptions of all events are
 * added behind the records, the header is written over the first description, and later
 * descriptions become records that every perf passes over.
 */
#ifndef UE__TOOLS_RECORD_RECORDING_PERF_FILE_H
#define UE__TOOLS_RECORD_RECORDING_PERF_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "common/cli/clock.h"
#include "common/cli/memory.h"
#include "common/events/recorded_event.h"
#include "common/output/out_file.h"
#include "common/records/tracepoint.h"
#include "common/where/where.h"
#include "kernel/tracefs/tracing_files.h"
#include "read/perf/perf_input.h"
#include "record/store/kept_records.h"
#include "record/target/perf_rings.h"

/* An event, or the dummy, which has no tracepoint. */
struct perf_described {
	struct perf_opened opened;
	struct listed_event event; /* copies */
	size_t ids_described; /* how many of its ids are in the file */
};

/* A part of the file that describes events. */
struct perf_block {
	uint64_t begin;
	uint64_t end;
};

struct perf_layout {
	struct outfile *file;
	const char *tracefs;
	struct perf_described *events; /* the first is the dummy */
	size_t count;
	size_t described; /* how many of them are in the file */
	int has_new_ids; /* of events that are in the file */
	struct perf_block *blocks;
	size_t block_count;
	uint64_t data; /* where records begin, behind the first block */
	uint64_t tail; /* the bytes that perf_layout_finish() adds, once measured */
	size_t measured; /* for how many events */
	struct clock_pair clocks;
};

/* Add an event, and take its ids; perf_layout_describe() describes it. */
void perf_layout_add(struct perf_layout *layout, struct perf_opened *opened,
		     const struct listed_event *event);

/* Add an id to an event: it was opened again, for another processor. */
void perf_layout_extend(struct perf_layout *layout, size_t event, uint64_t id);
/* Whether perf_layout_describe() has nothing to do. */
int perf_layout_is_described(const struct perf_layout *layout);

/* The other functions return 0, or -1 after a message. */

/* Set layout->tail. */
int perf_layout_measure(struct perf_layout *layout);
/* Begin the file, which is empty, with its header. The dummy must have been added. */
int perf_layout_begin(struct perf_layout *layout);
/* Describe the events, and ids, that were added since the last call. */
int perf_layout_describe(struct perf_layout *layout);
/*
 * If the wall clock was set, say so, for what follows. Only of a stream that is read at once:
 * a file has one reading of the clocks.
 */
int perf_layout_follow_clock(struct perf_layout *layout);
/* Give a regular file the usual layout. */
int perf_layout_finish(struct perf_layout *layout);
void perf_layout_free(struct perf_layout *layout);

/* The parts of perf.data beside records. Inside tools/record. */

#define PERF_ATTR_SIZE sizeof(struct perf_event_attr)
/* Samples of the recorder's own perf events as records, before they are written. */

struct sample_records {
	struct perf_events events;
	struct tracepoint **tracepoints; /* by event; NULL: it has none */
	size_t count;
	uint64_t wall_offset; /* from the clock of samples to that of the wall */
};

/* Add an event, whose tracepoint is taken; NULL: it is none. */
void sample_records_add(struct sample_records *samples, const struct perf_opened *opened,
			struct tracepoint *tracepoint);
/* An event has another id. */
void sample_records_extend(struct sample_records *samples, size_t event, uint64_t id);
/* The time of any PERF_RECORD_SAMPLE; 0: it has none. */
uint64_t sample_time(const struct sample_records *samples, const uint8_t *bytes);
void sample_records_free(struct sample_records *samples);

/* Leaves events out before they are written, and notices those that ask for a dump. */

struct event_filter {
	struct where *where;	 /* NULL: all events pass */
	struct where *dump_when; /* of those that pass; NULL: none asks for a dump */
	int is_for_kernel;	 /* another program evaluates the rest */
	int spares_sched; /* records of the scheduler pass, as they are no events */
	struct known_names names; /* at the last record that was taken */
	struct event_kinds kinds;
	struct event event;
	int asks; /* for a dump; the caller resets it */
	int has_failed;
};

/* Parse expressions, which may be NULL: 0, or -1 after a message. */
int event_filter_parse(struct event_filter *filter, const char *where,
		       const char *dump_when);
/* Whether records must be passed to the next function. */
static inline int event_filter_looks(const struct event_filter *filter)
{
	return (filter->where && !filter->is_for_kernel) || filter->dump_when;
}
/* A filter for the kernel, to be freed, or NULL. */
char *event_filter_for_kernel(const struct event_filter *filter,
			      const struct tracepoint *tracepoint);
/* Called at the end: report names in expressions that no event had. */
void event_filter_report(const struct event_filter *filter);
void event_filter_free(struct event_filter *filter);

#endif
