/* SPDX-License-Identifier: MIT */
/* An event as it was recorded. */
#ifndef UE__TOOLS_RECORDS_RECORD_H
#define UE__TOOLS_RECORDS_RECORD_H

#include <stddef.h>
#include <stdint.h>

#include <userevents/decode/render.h>

#include "tracepoint.h"

/* A file or memory with code (common/stacks/stacks.h). It stays until the tool ends. */
struct module;

/* An address of a stack: code that was running, or that a call returns to. */
struct stack_frame {
	uint64_t address;
	const struct module *module; /* NULL: not known */
	uint64_t offset; /* in the module's file */
	int is_return; /* the call lies in front of it */
};

/* The kernel records no more frames of a stack (sysctl kernel.perf_event_max_stack). */
#define FRAMES_MOST 1024u

struct record {
	struct tracepoint *tracepoint;
	const uint8_t *bytes; /* from common_type on, unless the tracepoint has none */
	size_t length;
	struct ue_sample sample;
	int has_clock_time; /* of a wall clock: the time by the recording's clock is known */
	int64_t clock_time; /* that time, in nanoseconds */
	const char *program; /* the name of its process; NULL: not known */
	const struct stack_frame *frames; /* its stack, if one was recorded: the innermost first */
	uint32_t frame_count;
	uint32_t frames_asked; /* the program's, without the library's; 0: any */
	int is_stack_full; /* the recording takes no more frames: there may be callers */
	int is_stack_cut; /* the process could not read its stack: there is one frame */
};

/* The number of bytes of common fields that the record begins with. */
static inline size_t record_common_size(const struct record *record)
{
	size_t size = record->tracepoint->format.common_size;

	if (record->tracepoint->has_no_common || record->tracepoint->is_bare)
		return 0;
	return size < record->length ? size : record->length;
}

/* A copy of a record, which lasts longer than its source. */
struct kept_record {
	struct record record;
	uint8_t *memory; /* that it uses; NULL: there is none */
};

/*
 * Copy a record, its names, and so many bytes more, which are at *copied then. Returns the size
 * of the memory.
 */
size_t record_keep(struct kept_record *kept, const struct record *record, const void *more,
		   size_t length, const char **copied);
void record_drop(struct kept_record *kept);

#endif
