/* SPDX-License-Identifier: MIT */
/*
 * Views: tables of figures, copied at each refresh from the data, so that a table
 * stands still until the next one.
 */
#ifndef UE__TOOLS_ANSWERS_TOP_VIEWS_H
#define UE__TOOLS_ANSWERS_TOP_VIEWS_H

#include "common/cli/memory.h"
#include "common/text/amount.h"
#include "counting.h"

enum view_kind {
	VIEW_EVENTS,
	VIEW_PROCESSES,
	VIEW_THREADS,
	VIEW_ACTIVITIES,
	VIEW_OPEN,
	VIEWS,
};

enum figure_kind {
	FIGURE_COUNT,
	FIGURE_RATE,
	FIGURE_BYTES,
	FIGURE_NANOSECONDS,
	FIGURE_ID, /* of a process or thread: the filter compares it, too */
};

struct column {
	const char *title; /* NULL ends the columns */
	const char *member; /* its name in JSON */
	enum figure_kind kind;
	int width;
};

#define FIGURES_MAX 6

struct line {
	char *text; /* harmless on a terminal */
	double figures[FIGURES_MAX]; /* whole ones are exact up to 2^53; NaN: not known */
};

struct view {
	const char *name;
	const char *title; /* of the text */
	struct column columns[FIGURES_MAX + 1];
	int order; /* the column by which it is sorted at first */
};

extern const struct view views[VIEWS];

struct lines {
	struct line *items;
	size_t count;
};

/* The view with this name, or -1. */
int view_find(const char *name);
/* Copy the figures. collected: after collect_refresh(). */
void lines_copy(struct lines *lines, enum view_kind view, const struct collected *collected);
/*
 * Sort by a column, from the greatest on; -1: by text, from the least on; reverse: the other
 * way round. Equal lines are sorted by text.
 */
void lines_sort(struct lines *lines, int column, int reverse);
/*
 * Whether a line passes a filter: a glob for all of the text, or of what follows its first
 * ':', or for an ID. Without '*', '?' and '[' it may match any part of the text. An empty one
 * matches.
 */
int line_matches(const struct line *line, enum view_kind view, const char *filter);
void lines_free(struct lines *lines);

/* Cells and lines of a table in columns of a terminal. */

/*
 * Append text in exactly this many columns, cut off or padded with blanks; 0: as it is. A
 * character takes one column. Control characters, and bytes that are not UTF-8, become '?'.
 */
void cell_put(struct bytes *to, const char *text, size_t width, int is_right);
/* A figure in a few characters, "-" if it is not known. */
void figure_text(char text[QUANTITY_TEXT_MAX], double figure, enum figure_kind kind);

#define NO_MARK (-2)

/*
 * The headings of a view, with a mark at the column by which it is sorted, '>' from the
 * greatest on; -1: the text; NO_MARK: none.
 */
void headings_put(struct bytes *to, enum view_kind view, int sorted, int reverse,
		  size_t width);
void line_put(struct bytes *to, const struct line *line, enum view_kind view, size_t width);

#endif
