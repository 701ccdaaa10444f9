/* SPDX-License-Identifier: MIT */
/*
 * Writing perf.data so that it can be read whatever happens.
 *
 * While we record, the file has the layout of "perf record -o -": a header of 16 bytes,
 * then records, of which those that describe an event come before its samples. Cut off
 * anywhere, such a file is a recording up to there. But perf(1), 6.1 at least, reads no
 * more than one description of tracepoints from it, and older ones want a pipe.
 *
 * So at the end it becomes a file of the usual layout, in its place: what describes all
 * events is put behind the records, the header is written over the first description,
 * and later descriptions become records that every perf passes over.
 */
#ifndef UE__TOOLS_RECORD_PERF_FILE_H
#define UE__TOOLS_RECORD_PERF_FILE_H

#include "tracefs/event_list.h"
#include "output/out_file.h"
#include "perf_rings.h"

/* An event, or the dummy, which has no tracepoint. */
struct perf_described {
	struct perf_opened opened;
	struct listed_event event; /* copies */
};

/* Where in the file events are described. */
struct perf_block {
	uint64_t begin;
	uint64_t end;
};

struct perf_layout {
	struct outfile *file;
	const char *tracefs;
	struct perf_described *events; /* the first is the dummy */
	size_t count;
	size_t described; /* of them are in the file */
	struct perf_block *blocks;
	size_t block_count;
	uint64_t data; /* where records begin, behind the first block */
	uint64_t wall; /* two clocks at one moment */
	uint64_t monotonic;
};

/* Take over an event and its ids; it is described with the next ones. */
void perf_layout_add(struct perf_layout *layout, struct perf_opened *opened,
		     const struct listed_event *event);

/* The other functions return 0, or -1 after a message. */

/* The header; then the dummy must be there. */
int perf_layout_begin(struct perf_layout *layout);
/* Describe what was added since. */
int perf_layout_describe(struct perf_layout *layout);
/* The usual layout, if the file is one. */
int perf_layout_finish(struct perf_layout *layout);
void perf_layout_free(struct perf_layout *layout);

#endif
