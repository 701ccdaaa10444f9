/* SPDX-License-Identifier: MIT */
/* The parts of perf.data beside records. Inside tools/record. */
#ifndef UE__TOOLS_RECORD_PERF_FEATURES_H
#define UE__TOOLS_RECORD_PERF_FEATURES_H

#include "common/cli/memory.h"
#include "perf_file.h"

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
