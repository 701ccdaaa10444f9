/* SPDX-License-Identifier: MIT */
/* Draws histograms with a bar a row. */
#ifndef UE__TOOLS_ANSWERS_COUNTS_BARS_H
#define UE__TOOLS_ANSWERS_COUNTS_BARS_H

#include "common/cli/memory.h"
#include "common/text/amount.h"
#include "histogram.h"

struct canvas {
	int has_blocks; /* UTF-8, so that a bar has eighths of a character */
	int has_colour;
	int columns;
};

/* Properties of standard output. */
void canvas_begin(struct canvas *canvas);
/*
 * Append two blanks and a bar of this share of the columns. A row that is not empty has a bar,
 * however small its share.
 */
void bar_put(double share, int columns, const struct canvas *canvas, struct bytes *to);
/* Append the lines; a row is "LOW .. HIGH  COUNT  BAR". Nothing for an empty histogram. */
void bars_put(const struct histogram *histogram, enum unit unit,
	      const struct canvas *canvas, struct bytes *to);

/* Merges the buckets of a histogram into a readable number of rows with round limits. */

#define BAR_ROWS_MAX 24

struct bar_rows {
	size_t count;
	/* Row i has the numbers from edge i on that are less than edge i + 1. */
	double edges[BAR_ROWS_MAX + 1];
	uint64_t counts[BAR_ROWS_MAX];
};

#endif
