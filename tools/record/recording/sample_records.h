/* SPDX-License-Identifier: MIT */
/* Samples of the recorder's own perf events as records, before they are written. */
#ifndef UE__TOOLS_RECORD_RECORDING_SAMPLE_RECORDS_H
#define UE__TOOLS_RECORD_RECORDING_SAMPLE_RECORDS_H

#include <stddef.h>
#include <stdint.h>

#include "common/events/recorded_event.h"
#include "common/records/record.h"
#include "common/where/where.h"
#include "read/perf/perf_input.h"
#include "record/store/kept_records.h"
#include "record/target/perf_rings.h"

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
	int is_for_kernel;	 /* another program evaluates what the kernel cannot */
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
/*
 * Take any record of perf: 1, or 0 if it is an event to leave out. After an expression that
 * does not fit an event, and a message, all further events are left out.
 */
int event_filter_passes(struct event_filter *filter, const struct sample_records *samples,
			const uint8_t *bytes, size_t time_at);
/* All rings were passed once more: names of threads that ended are kept for two such rounds. */
void event_filter_end_round(struct event_filter *filter);
/* A filter for the kernel, to be freed, or NULL. */
char *event_filter_for_kernel(const struct event_filter *filter,
			      const struct tracepoint *tracepoint);
/* At the end: report names in expressions that no event had. */
void event_filter_report(const struct event_filter *filter);
void event_filter_free(struct event_filter *filter);

#endif
