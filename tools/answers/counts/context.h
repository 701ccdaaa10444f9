/* SPDX-License-Identifier: MIT */
/*
 * A sink between a stream and another sink: of events that match, and of those before and
 * after them, as of lines with grep -B and -A. It filters by itself, so its stream must not.
 */
#ifndef UE__TOOLS_ANSWERS_COUNTS_CONTEXT_H
#define UE__TOOLS_ANSWERS_COUNTS_CONTEXT_H

#include "common/events/field.h"
#include "common/pairs/families.h"
#include "common/where/filter.h"
#include "recent_events.h"
#include "read/stream/sink.h"

/* How far: events, or nanoseconds; all zero: not at all. */
struct reach {
	uint64_t events;
	int64_t time;
};

struct context {
	struct sink sink;
	/* Options */
	const char *before_text, *after_text, *both_text, *same_text;
	int is_live; /* that no event matches is no failure */
	/* Parsed */
	struct filter filter;
	struct reach before, after;
	enum property same; /* activity, tid or pid; PROPERTY_NONE: any event is context */
	/* While it runs */
	struct sink *next;
	void (*gap)(struct sink *next); /* what follows does not follow what was passed on */
	struct event_kinds *kinds;
	struct recent_events recent;
	struct families families;
	uint64_t passed;	 /* the last event that was passed on, 1 higher */
	uint64_t events, without_key;
	uint64_t forgotten; /* the number of the last one that was dropped for want of memory */
	uint8_t *has_forgotten_match; /* by chain: such a match */
	uint64_t incomplete; /* matches whose events may have been dropped, and events after one */
};

#define CONTEXT_OPTIONS(c)                                                             \
	{ .name = "before", .letter = 'B', .text = &(c).before_text, .value = "SPAN",    \
	  .help = "Also the events before each that -e and -w select: 10ms\n"             \
		  "before it, also us, s, m; or a number of events." },                  \
	{ .name = "after", .letter = 'A', .text = &(c).after_text, .value = "SPAN",      \
	  .help = "The same of the events after it." },                                  \
	{ .name = "context", .letter = 'C', .text = &(c).both_text, .value = "SPAN",     \
	  .help = "Both. A line \"--\" of the text stands between parts that do\n"       \
		  "not follow each other." },                                            \
	{ .name = "same", .text = &(c).same_text, .value = "WHAT",                        \
	  .help = "With -B, -A or -C: only events of the same activity, with\n"           \
		  "its child activities, which name it or each other as\n"               \
		  "related; or of the same tid or pid." }

/*
 * Parse the options. 1 if there are any; 0 without one; -1 after a message. If there are, take
 * what -e and -w select from the filter of the stream.
 */
int context_begin(struct context *context, struct filter *filter, struct event_kinds *kinds,
		  struct sink *next, void (*gap)(struct sink *next));

#endif
