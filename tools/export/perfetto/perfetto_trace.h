/* SPDX-License-Identifier: MIT */
/* A trace for Perfetto. */
#ifndef UE__TOOLS_EXPORT_PERFETTO_PERFETTO_TRACE_H
#define UE__TOOLS_EXPORT_PERFETTO_PERFETTO_TRACE_H

#include <stdint.h>

#include "common/cli/memory.h"
#include "export/tree/exported_event.h"

exporter_open perfetto_open;

/*
 * The clock of a trace. Perfetto relates clocks by snapshots, and shows the trace by one of
 * them: CLOCK_MONOTONIC if the recording has its times, as they do not jump, and as other
 * traces of the machine can be related to it; otherwise the wall clock.
 */

/* Zero it before the first use. */
struct perfetto_clock {
	uint32_t id; /* enum builtin_clock; 0: no event had a time yet */
	int has_offset;
	int64_t offset; /* of the wall clock from this one, as of the last snapshot */
	int64_t snapshot; /* when that was */
	int64_t last; /* time of the event before */
	int is_boottime; /* CLOCK_BOOTTIME, the clock of ftrace, is equal to it */
};

#endif
