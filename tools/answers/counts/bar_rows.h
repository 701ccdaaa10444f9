/* SPDX-License-Identifier: MIT */
/* Merges the buckets of a histogram into a readable number of rows with round limits. */
#ifndef UE__TOOLS_ANSWERS_BAR_ROWS_H
#define UE__TOOLS_ANSWERS_BAR_ROWS_H

#include "histogram.h"

#define BAR_ROWS_MAX 24

struct bar_rows {
	size_t count;
	/* Row i has the numbers from edge i on that are less than edge i + 1. */
	double edges[BAR_ROWS_MAX + 1];
	uint64_t counts[BAR_ROWS_MAX];
};

/*
 * Rows of equal width, or rows that grow as 1, 2, 5, 10, 20, ... do: those which tell more of
 * the numbers apart. An edge is sharp to HISTOGRAM_ERROR. No rows if the histogram is empty.
 */
void bar_rows_make(const struct histogram *histogram, struct bar_rows *rows);

#endif
