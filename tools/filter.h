/* SPDX-License-Identifier: MIT */
/* Which records are wanted: by name and by time. */
#ifndef UE__TOOLS_FILTER_H
#define UE__TOOLS_FILTER_H

#include "input.h"
#include "options.h"

struct filter_time {
	int is_set;
	int is_wall_clock; /* nanoseconds since 1970; else of the recording's clock */
	int64_t time;
};

struct filter {
	struct words globs; /* none: all */
	struct filter_time from;
	struct filter_time to; /* exclusive */
};

/* Seconds, or a date in UTC as 2026-01-31T12:00:00.5Z: 0, or -1 and a message. */
int filter_time_parse(const char *text, struct filter_time *time);
/*
 * A record of another clock than a limit's does not pass.
 */
int filter_passes(const struct filter *filter, struct record *record);

#endif
