/* SPDX-License-Identifier: MIT */
/* The description of a tracepoint. */
#ifndef UE__TOOLS_COMMON_RECORDS_TRACEPOINT_H
#define UE__TOOLS_COMMON_RECORDS_TRACEPOINT_H

#include <stddef.h>
#include <stdint.h>
#include <userevents/decode/record.h>

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

/* Let it last until tracepoint_release(), although its owner frees it earlier. */
struct tracepoint *tracepoint_keep(struct tracepoint *tracepoint);
void tracepoint_release(struct tracepoint *tracepoint);

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

#endif
