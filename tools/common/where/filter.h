/* SPDX-License-Identifier: MIT */
/* A filter of events by name, time and an expression. */
#ifndef UE__TOOLS_WHERE_FILTER_H
#define UE__TOOLS_WHERE_FILTER_H

#include "common/cli/options.h"
#include "common/events/recorded_event.h"
#include "common/records/time_limit.h"
#include "where.h"

struct filter {
	struct words globs; /* none: all */
	struct time_limit from;
	struct time_limit to; /* exclusive */
	const char *until; /* the name of its option; NULL: --to */
	const char *expression; /* NULL: none */
	struct where *where;	/* the same, parsed */
	uint64_t incomparable; /* events whose times are of another kind */
	uint64_t read; /* events that were checked */
	uint64_t passed;
	int is_left_out; /* the last one: by the expression alone */
	struct words unmatched; /* globs that have matched no event yet */
	int8_t *selected; /* by number of kind: 0 not checked yet, 1 yes, -1 no */
	uint32_t kinds;	  /* room in selected */
};

const char *filter_until(const struct filter *filter);
/* Once, before the first event: 0, or -1 after a message. */
int filter_begin(struct filter *filter);
/*
 * 1 or 0; or -1 after a message, when the expression does not fit a field. An event whose
 * time is of another kind than the limits is counted, and does not pass.
 */
int filter_passes(struct filter *filter, struct event *event);
/* Whether a record is between the limits of time; one that cannot be compared is not. */
int filter_has_time(const struct filter *filter, const struct record *record);
/* Whether nothing can pass, as --from is not before --to; after a message. */
int filter_is_empty(const struct filter *filter);
/*
 * Report globs that matched nothing, with the nearest name, names in the expression that
 * no event had, and times that could not be compared. 1 if no event passed, or some
 * could not be compared; otherwise 0.
 */
int filter_report(const struct filter *filter, const struct event_kinds *kinds);
/* The same for live events, of which times are no mistakes. */
void filter_report_live(const struct filter *filter, const struct event_kinds *kinds);
void filter_free(struct filter *filter);

#endif
