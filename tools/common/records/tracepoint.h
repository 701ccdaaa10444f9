/* SPDX-License-Identifier: MIT */
/* Descriptions of tracepoints, and records of their events. */
#ifndef UE__TOOLS_COMMON_RECORDS_TRACEPOINT_H
#define UE__TOOLS_COMMON_RECORDS_TRACEPOINT_H

#include <stddef.h>
#include <stdint.h>

#include <userevents/decode/record.h>
#include <userevents/decode/render.h>

#include "common/cli/options.h"

struct event_kind;
struct event_kinds;

struct tracepoint {
	char *system;
	char *name;
	int is_bare; /* its records begin with the EventHeader, not with common_type */
	int is_multi; /* of the system user_events_multi */
	int has_no_common; /* its records begin with the payload */
	int is_sched; /* of the scheduler, such as sched_switch: no event of a program */
	unsigned int keepers; /* that may use it after its owner freed it */
	int is_freed;
	uint64_t serial; /* of no other tracepoint, also after it is freed */
	/*
	 * Used by common/events/recorded_event.c: of these kinds, its own, and that of
	 * its last event.
	 */
	const struct event_kinds *kinds;
	const struct event_kind *kind;
	const struct event_kind *last_kind;
	struct ue_record_layout format; /* unless bare */
	struct ue_record_field *fields;
	char *text; /* the format refers to it; it ends with a NUL */
};

/*
 * A tracepoint from the text of its format file, which is copied. Without a name, it has
 * that of the text. Without a text, or with a malformed one, it has one field, "raw", with
 * all bytes of the record.
 */
struct tracepoint *tracepoint_new(const char *system, const char *name,
				  const char *format, size_t length, int is_big_endian);
/* One whose records are bare. */
struct tracepoint *tracepoint_bare(const char *name);
/* A user event from its definition; NULL if that is invalid. */
struct tracepoint *tracepoint_define(const char *definition, int is_big_endian);
void tracepoint_free(struct tracepoint *tracepoint);
/* The same for AUTO(). */
static inline void tracepoint_drop(struct tracepoint **tracepoint)
{
	tracepoint_free(*tracepoint);
}

/* A line "KEY: TEXT" of a format; its text, or NULL. */
const char *format_line(const char *text, size_t length, const char *key,
			size_t *line_length);

/* Globs for the names of events. */

/*
 * Whether a name matches one of the patterns (fnmatch(3): '*', '?', '[...]'). Without
 * patterns every name does. A pattern with a ':' is matched with SYSTEM:NAME, others
 * with NAME alone.
 */
int glob_matches(const struct words *patterns, const char *system, const char *name,
		 size_t name_length);

/* Remove the patterns that match a name; those left in the end matched nothing. */
void globs_strike(struct words *patterns, const char *system, const char *name,
		  size_t name_length);

/*
 * Whether events of an EventHeader tracepoint may match a pattern: PROVIDER:EVENT those
 * of this provider, EVENT those of any. Events of other tracepoints do not.
 */
int glob_may_match_events(const char *pattern, const char *tracepoint);

/* Whether count events were found, or there are no patterns; if not, after a message. */
int globs_found(const struct words *patterns, size_t count);

/* Events as they were recorded. */

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

/*
 * Render a record as text or JSON. reader: of its event, or NULL. Returns as
 * ue_record_to_text() does.
 */
ptrdiff_t record_render(const struct record *record, struct ue_reader *reader,
			const struct ue_render_opts *opts, int is_text, char *out,
			size_t size);

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
