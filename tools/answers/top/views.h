/* SPDX-License-Identifier: MIT */
/*
 * Views: tables of figures, copied at each refresh from what was collected, so that a table
 * stands still until the next one.
 */
#ifndef UE__TOOLS_TOP_VIEWS_H
#define UE__TOOLS_TOP_VIEWS_H

#include "collect.h"

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

#endif
