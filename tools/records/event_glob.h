/* SPDX-License-Identifier: MIT */
/* Names of events as a person gives them. */
#ifndef UE__TOOLS_RECORDS_EVENT_GLOB_H
#define UE__TOOLS_RECORDS_EVENT_GLOB_H

#include <stddef.h>

#include "cli/options.h"

/*
 * Does a name match one of the patterns (fnmatch(3): '*', '?', '[...]')? Without
 * patterns every name does. A pattern with a ':' is matched with SYSTEM:NAME, others
 * with NAME alone.
 */
int glob_matches(const struct words *patterns, const char *system, const char *name,
		 size_t name_length);

/* Take out the patterns that match a name: those left over match nothing. */
void globs_strike(struct words *patterns, const char *system, const char *name,
		  size_t name_length);

/*
 * Could events of an EventHeader tracepoint match a pattern: as PROVIDER:EVENT those of
 * this provider, as EVENT those of any? No for other tracepoints.
 */
int glob_may_match_events(const char *pattern, const char *tracepoint);

/* Whether events were found, or none was asked for; else after a message. */
int globs_found(const struct words *patterns, size_t count);

#endif
