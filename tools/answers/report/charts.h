/* SPDX-License-Identifier: MIT */
/* Small charts as inline SVG. */
#ifndef UE__TOOLS_REPORT_CHARTS_H
#define UE__TOOLS_REPORT_CHARTS_H

#include "answers/counts/histogram.h"
#include "common/cli/memory.h"
#include "facts/facts.h"
#include "common/text/amount.h"

/* The place of a series' bins. */
struct plot {
	double x, y, width, height;
	int64_t first; /* the time at x */
	double span;   /* nanoseconds from there to the right edge; more than 0 */
};

/* The place of a time, which may be outside of the plot. */
double plot_x(const struct plot *plot, int64_t time);
/*
 * Bars of a series, by severity one upon the other, merged so that one is at least this wide.
 * Without has_titles, a path for each severity, which is much shorter.
 */
void chart_series(struct bytes *out, const struct series *series,
		  const struct time_scale *scale, const struct plot *plot, double least_width,
		  int has_titles);
/* A line of bars in a table cell. */
void chart_spark(struct bytes *out, const struct series *series,
		 const struct time_scale *scale, const char *label);
/* A histogram with its axis; large: of the width of the page's text. */
void chart_histogram(struct bytes *out, const struct histogram *histogram, enum unit unit,
		     const char *label, size_t label_length);
/* The most frequent values with bars; at most this many. */
void chart_values(struct bytes *out, const struct top_values *values, uint32_t most);

#endif
