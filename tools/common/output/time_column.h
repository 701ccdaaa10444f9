/* SPDX-License-Identifier: MIT */
/* The time at the beginning of a line of text. */
#ifndef UE__TOOLS_OUTPUT_TIME_COLUMN_H
#define UE__TOOLS_OUTPUT_TIME_COLUMN_H

#include <stdint.h>
#include <time.h>

#include "common/cli/memory.h"
#include "common/records/record.h"

enum time_kind {
	COLUMN_WALL,	  /* time of day */
	COLUMN_DELTA,	  /* since the record before */
	COLUMN_RELATIVE,  /* since the first record */
	COLUMN_MONOTONIC, /* by the recording's clock */
};

/* A minute of the wall clock; those of many records are the same. */
struct time_minute {
	int is_known;
	int64_t number; /* since 1970 */
	long offset;	/* of the time zone, in seconds */
	char date[16];	/* "2026-01-31" */
	char text[8];	/* "12:00:" */
};

struct time_column {
	enum time_kind kind;
	int is_utc;
	int is_wide; /* date, nanoseconds and time zone in each line */
	/* While it prints */
	struct time_minute minute;
	char date[16]; /* the one shown, and its time zone */
	long offset;
	int has_reference;
	uint32_t reference_is_wall;
	int64_t reference;
};

/*
 * A line with the date, if it or the time zone is not that of the line before. Before the
 * first line, today is known.
 */
void time_column_put_date(struct time_column *column, struct bytes *to,
			  const struct record *record);
/* The time, without a blank behind it. */
void time_column_put(struct time_column *column, struct bytes *to,
		     const struct record *record);

#endif
