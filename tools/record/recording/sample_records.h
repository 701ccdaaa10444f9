/* SPDX-License-Identifier: MIT */
/* Samples of the recorder's own perf events as records, before they are written. */
#ifndef UE__TOOLS_RECORD_SAMPLE_RECORDS_H
#define UE__TOOLS_RECORD_SAMPLE_RECORDS_H

#include <stddef.h>
#include <stdint.h>

#include "read/perf/perf_attrs.h"
#include "record/target/perf_rings.h"
#include "common/records/record.h"

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
/*
 * A PERF_RECORD_SAMPLE, whose bytes the record refers to, without names: 1, or 0 if it is none
 * of ours.
 */
int sample_record(const struct sample_records *samples, const uint8_t *bytes,
		  struct record *record, struct perf_sample *sample);
/* The time of any PERF_RECORD_SAMPLE; 0: it has none. */
uint64_t sample_time(const struct sample_records *samples, const uint8_t *bytes);
void sample_records_free(struct sample_records *samples);

#endif
