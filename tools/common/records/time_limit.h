/* SPDX-License-Identifier: MIT */
/* The times of --from and --to. */
#ifndef UE__TOOLS_RECORDS_TIME_LIMIT_H
#define UE__TOOLS_RECORDS_TIME_LIMIT_H

#include <stdint.h>

enum time_limit_kind {
	LIMIT_NONE,
	/* Known as they are: */
	LIMIT_DATE,    /* nanoseconds since 1970 */
	LIMIT_SECONDS, /* nanoseconds of the recording's clock */
	/* Known once the recording is: */
	LIMIT_OF_DAY,	   /* nanoseconds since midnight */
	LIMIT_BEFORE_END,  /* nanoseconds before its last event */
	LIMIT_AFTER_BEGIN, /* nanoseconds after its first event */
};

struct time_limit {
	enum time_limit_kind kind;
	int64_t time;
	int is_end; /* --to: of two moments with one local time, the later one */
	/* The zone of LIMIT_OF_DAY: seconds east of Greenwich; else local time. */
	int has_offset;
	long offset;
};

/* The first and the last event of recordings. */
struct time_span {
	int has_wall; /* since 1970 */
	int64_t first, last;
	int has_clock; /* of the recorder's clock, of events without the other */
	int64_t clock_first, clock_last;
};

/* The options; time_limit_parse() parses the texts. END is "to", or "until". */
#define LIMIT_OPTIONS(from_text, to_text, end)                                   \
	{ .name = "from", .text = &(from_text), .value = "TIME",                  \
	  .help = "Only events of this time or later: 19:22:03.5, the first\n"    \
		  "such time of the recording; a date with or without time,\n"    \
		  "2026-01-31 or 2026-01-31T12:00; both local, or with Z in\n"    \
		  "UTC; 853.5, by the recording's clock; -10s, -5m, -2h before\n" \
		  "its last event; +10s after its first one." },                  \
	{ .name = end, .text = &(to_text), .value = "TIME",                       \
	  .help = "Only events before this time." }

/* Parse --from, or with is_end --to. 0, or -1 after a message. */
int time_limit_parse(const char *text, int is_end, struct time_limit *limit);
/*
 * Parse a date, 2026-01-31 or 2026-01-31T12:00:00.5Z, of any year: 0 with seconds since 1970
 * and the rest in nanoseconds, or -1 for any other text. No message.
 */
int date_parse(const char *text, int64_t *seconds, int64_t *nanoseconds);
/* Parse "10ms", "1.5s", "2h", without a message: 0, or -1. */
int duration_parse(const char *text, int64_t *nanoseconds);
/* Does it depend on the recording? */
int time_limit_is_relative(const struct time_limit *limit);
/*
 * Turn one that depends on the recording into a date or seconds. A time of day is the first
 * one in the span that is not before the other limit, or that of its first day. since: the
 * limit --from for --to, or NULL.
 */
void time_limit_resolve(struct time_limit *limit, const struct time_span *span,
			const struct time_limit *since);

#endif
