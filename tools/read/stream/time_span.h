/* SPDX-License-Identifier: MIT */
/* Finds the times of the first and the last event of recordings. */
#ifndef UE__TOOLS_STREAM_TIME_SPAN_H
#define UE__TOOLS_STREAM_TIME_SPAN_H

#include "common/where/filter.h"

/*
 * Turn the limits of a filter that depend on the recordings, such as -10s, into times. Reads
 * the recordings, if there are such limits, and leaves their faults to the next reader, who
 * finds standard input unread. 0, or -1 after a message if one cannot be read twice.
 */
int filter_resolve_times(struct filter *filter, char **paths);

#endif
