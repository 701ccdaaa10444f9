/* SPDX-License-Identifier: MIT */
/* The kernel's counts, for people and programs. */
#ifndef UE__TOOLS_KHIST_PICTURE_H
#define UE__TOOLS_KHIST_PICTURE_H

#include "common/cli/memory.h"
#include "count_rows.h"

struct picture {
	const struct group_counts *counts;
	const struct bucket_plan *plan;
	const char *title; /* "status of user_events:req_done" */
	const char *noun;  /* what is counted: "event" */
	const char *field; /* as it was given */
	const char *const *by; /* as they were given */
	double nanoseconds; /* per unit of the field; 0: it is no duration */
	uint64_t top;	    /* groups or texts to show; in text alone */
	double seconds;	    /* that were counted */
	uint64_t dropped;   /* events that are missing */
};

/* picture_text.c: lines for a terminal. */
void picture_put(const struct picture *picture, struct bytes *to);
/* "count 12   p50 200 .. 299   ...", in one line. */
void picture_put_line(const struct picture *picture, struct bytes *to);
/* picture_json.c: members of an open object. */
void picture_json(const struct picture *picture, struct bytes *json);
/* picture_svg.c: a file. */
void picture_svg(const struct picture *picture, struct bytes *svg);

/* The percentiles of all three. */
#define PICTURE_PERCENTILES 4
struct picture_percentile {
	const char *name, *title;
	double share;
};
extern const struct picture_percentile picture_percentiles[PICTURE_PERCENTILES];
/* "200 .. 299", to be freed; of durations "1 ms .. 2 ms", without the second. */
char *picture_range(const struct picture *picture, const struct ranges *ranges,
		    const struct range *range);

#endif
