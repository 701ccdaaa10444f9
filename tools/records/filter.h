/* SPDX-License-Identifier: MIT */
/* A filter of records by name and time. */
#ifndef UE__TOOLS_RECORDS_FILTER_H
#define UE__TOOLS_RECORDS_FILTER_H

#include "record.h"
#include "cli/options.h"

struct filter_time {
	int is_set;
	int is_wall_clock; /* nanoseconds since 1970; else of the recording's clock */
	int64_t time;
};

struct filter {
	struct words globs; /* none: all */
	struct filter_time from;
	struct filter_time to; /* exclusive */
	uint64_t incomparable; /* records whose times are of another kind */
	uint64_t read; /* records that were checked */
	uint64_t passed;
	struct words unmatched; /* globs that have matched no record yet */
};

/*
 * Seconds, or a date in UTC, 2026-01-31, 2026-01-31T12:00 or 2026-01-31T12:00:00.5Z, with
 * a blank or a T. 0, or -1 after a message.
 */
int filter_time_parse(const char *text, struct filter_time *time);
/* Once, before the first record. */
void filter_begin(struct filter *filter);
/*
 * A record whose time is of another kind than the limits is counted, and does not pass.
 */
int filter_passes(struct filter *filter, struct record *record);
/* Whether nothing can pass, as --from is not before --to; after a message. */
int filter_is_empty(const struct filter *filter);
/*
 * Report globs that matched nothing, and records that could not be compared. 1 if no
 * record passed, or some could not be compared; otherwise 0.
 */
int filter_report(const struct filter *filter);

#endif
