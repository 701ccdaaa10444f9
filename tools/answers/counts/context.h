/* SPDX-License-Identifier: MIT */
/*
 * A sink between a stream and another sink: of events that match, and of those before and
 * after them, as of lines with grep -B and -A. It filters by itself, so its stream must not.
 */
#ifndef UE__TOOLS_ANSWERS_COUNTS_CONTEXT_H
#define UE__TOOLS_ANSWERS_COUNTS_CONTEXT_H

#include "common/events/field.h"
#include "common/pairs/pairs.h"
#include "common/where/where.h"
#include "read/stream/sink.h"
#include "common/output/printer.h"
#include "common/records/tracepoint.h"

/*
 * The last events: copies, in a ring that grows, until the user forgets the oldest. Those with
 * the same key are in a chain, the newest first, in which others whose hash is the same are
 * passed over.
 */

#define RECENT_CHAINS 65536u

/* Used by context.c: the last match of an event's key, it or one before it. */
struct match_before {
	int is_found;
	uint64_t since; /* events of its key since that */
	int64_t time;
};

struct recent_event {
	struct kept_record copy;
	size_t size;
	struct value key; /* with its text in the copy */
	uint64_t hash;
	uint64_t previous; /* of the chain, 1 higher; 0: none */
	/* Used by context.c: */
	uint64_t of; /* the first copy of this event, 1 higher; 0: it is itself */
	int is_passed_on;
	int is_covered; /* what may be wanted before it, of its chain, was passed on */
	struct match_before match;
	/* Used by answers/report/gather_before.c: */
	uint32_t depth;	     /* of its activity below the one that is the key; 0: it is another key */
	uint32_t generation; /* that of the key's activity then, or otherwise of its own */
};

/* Zeros are an empty one. */
struct recent_events {
	uint64_t oldest, next; /* numbers of those that are kept */
	uint64_t bytes;
	/* Own */
	struct recent_event *items; /* by number */
	uint64_t room;		    /* a power of two */
	uint64_t *chains;	    /* the newest with a hash, 1 higher; 0: none */
};

/* The newest one from a place of a chain on that has the key; NULL: it is not kept. */
struct recent_event *recent_find(const struct recent_events *recent, uint64_t *place,
				 const struct value *key);
/* The newest one with the key, or NULL. */
struct recent_event *recent_last(const struct recent_events *recent, const struct value *key);
struct recent_event *recent_keep(struct recent_events *recent, const struct record *record,
				 const struct value *key);
/* There is one. */
void recent_forget(struct recent_events *recent);
void recent_free(struct recent_events *recent);

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
 * Parse the options. 1 if there are any; 0 without one; -1 after a message. If there are,
 * take the events that -e and -w select from the filter of the stream.
 */
int context_begin(struct context *context, struct filter *filter, struct event_kinds *kinds,
		  struct sink *next, void (*gap)(struct sink *next));

/* The sink that prints each event, as text or JSON, to standard output. */

struct lines {
	struct sink sink;
	struct printer printer;
};

/* 0, or -1 after a message. */
int lines_init(struct lines *lines, const struct print_options *options);
/* printer_gap() of a struct lines. */
void lines_gap(struct sink *sink);

#endif
