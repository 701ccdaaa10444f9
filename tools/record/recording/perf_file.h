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
#include "common/output/out_file.h"
#include "kernel/tracefs/event_list.h"
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
	uint64_t tail; /* what perf_layout_finish() adds, once measured */
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
#define PERF_FEATURES 7

/* By number, which is the order of their places in a file. */
extern const unsigned int perf_features[PERF_FEATURES];

/*
 * Add one of them, or the tracepoints among the events from the first on, as perf and
 * trace-cmd describe them. 0, or -1 after a message.
 */
int perf_add_feature(struct bytes *bytes, const struct perf_layout *layout,
		     unsigned int feature);
int perf_add_formats(struct bytes *bytes, const struct perf_layout *layout, size_t first);

#endif
