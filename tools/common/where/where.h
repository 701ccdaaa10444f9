/* SPDX-License-Identifier: MIT */
/* Expressions that select events: --where EXPR. doc/where.md is the grammar. */
#ifndef UE__TOOLS_WHERE_WHERE_H
#define UE__TOOLS_WHERE_WHERE_H

#include "common/events/recorded_event.h"
#include "common/cli/options.h"
#include "common/records/time_limit.h"

struct where;

/* Parse an expression; NULL after a message with a caret under the fault. */
struct where *where_parse(const char *text);
/*
 * Whether an event passes: 1 or 0; or -1 after a message, when the type of a field does
 * not fit the other side.
 */
int where_passes(struct where *where, struct event *event);

/*
 * The same about a pair of events, a start and its stop: start.NAME and stop.NAME are of one
 * of them; another field is of the one that has it, another property of the start; duration
 * is how long the pair took.
 */
struct where_pair {
	struct event *start, *stop; /* stop NULL: there is none yet */
	int64_t duration;	    /* so far */
	int has_duration;
};

struct where *where_parse_pairs(const char *text);
int where_passes_pair(struct where *where, const struct where_pair *pair);

/*
 * Called at the end: report names that no event had, with the nearest that one had. 1 if
 * there were any; otherwise 0.
 */
int where_report(const struct where *where);
void where_free(struct where *where);

/*
 * The part that the kernel can decide for records of this tracepoint: a filter that
 * passes every event that the expression passes, to be freed; NULL if there is none. Names
 * that the tracepoint has are not reported as missing, as no event may come through.
 */
char *where_for_kernel(struct where *where, const struct tracepoint *tracepoint);

/* The same for another kernel, or another process. */
enum where_kernel {
	WHERE_KERNEL_TEXT = 1 << 0, /* of user events; since Linux 6.4 */
	/* Its pids are those that the reader of events sees: not in a pid namespace. */
	WHERE_KERNEL_TID = 1 << 1,
};
unsigned where_kernel_abilities(void);
char *where_for_kernel_able(struct where *where, const struct tracepoint *tracepoint,
			    unsigned abilities);

/* A filter of events by name, time and an expression. */

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
