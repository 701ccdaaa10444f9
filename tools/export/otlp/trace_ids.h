/* SPDX-License-Identifier: MIT */
/*
 * Ids of spans and traces, which follow from the ids of activities: the same activity has the
 * same ids in all recordings, and on all machines.
 *
 * The trace is named by the activity that all others in it are related to. Events name the
 * next activity up, so a table keeps which trace that one is in. It has a fixed size: of an
 * activity that was forgotten, events without a related id begin a trace.
 */
#ifndef UE__TOOLS_EXPORT_OTLP_TRACE_IDS_H
#define UE__TOOLS_EXPORT_OTLP_TRACE_IDS_H

#include <stdint.h>

#include "export/otlp/encoding/otlp_encoder.h"
#include "export/tree/activity_id.h"

/* Activities that are remembered: sets of a few, of which the oldest is forgotten. */
#define TRACE_SETS 8192u
#define TRACE_WAYS 8u

struct trace_of {
	uint8_t activity[ACTIVITY_SIZE];
	uint8_t trace[ACTIVITY_SIZE];
};

/* Zero it before the first use. */
struct trace_ids {
	struct trace_of *sets; /* the newest of each first */
};

/* FNV-1a of its 16 bytes, and never 0. Big-endian, as ids are written. */
void span_id_of(const uint8_t *activity, uint8_t *span_id);
/* The trace of an activity. related: as of its event, or NULL. */
void trace_id_of(struct trace_ids *ids, const uint8_t *activity, const uint8_t *related,
		 uint8_t *trace);
void trace_ids_free(struct trace_ids *ids);

#endif
