/* SPDX-License-Identifier: MIT */
/* Globs for the names of events. */
#ifndef UE__TOOLS_RECORDS_EVENT_GLOB_H
#define UE__TOOLS_RECORDS_EVENT_GLOB_H

#include <stddef.h>

#include "common/cli/options.h"

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
