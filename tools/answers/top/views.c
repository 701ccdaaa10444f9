/* SPDX-License-Identifier: MIT */
/* Copies the collected data into lines of figures, and sorts and filters them. */
#include "views.h"

#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/cli/clock.h"
#include "common/cli/memory.h"

const struct view views[VIEWS] = {
	[VIEW_EVENTS] = {
		"events", "EVENT",
		{ { "RATE/s", "rate", FIGURE_RATE, 10 },
		  { "TOTAL", "total", FIGURE_COUNT, 12 },
		  { "BYTES", "bytes", FIGURE_BYTES, 7 },
		  { "PROCESSES", "processes", FIGURE_COUNT, 9 } },
		0,
	},
	[VIEW_PROCESSES] = {
		"processes", "PROCESS",
		{ { "PID", "pid", FIGURE_ID, 8 },
		  { "RATE/s", "rate", FIGURE_RATE, 10 },
		  { "TOTAL", "total", FIGURE_COUNT, 12 },
		  { "BYTES", "bytes", FIGURE_BYTES, 7 },
		  { "LOST", "lost", FIGURE_COUNT, 9 } },
		1,
	},
	[VIEW_THREADS] = {
		"threads", "THREAD",
		{ { "PID", "pid", FIGURE_ID, 8 },
		  { "TID", "tid", FIGURE_ID, 8 },
		  { "RATE/s", "rate", FIGURE_RATE, 10 },
		  { "TOTAL", "total", FIGURE_COUNT, 12 },
		  { "BYTES", "bytes", FIGURE_BYTES, 7 } },
		2,
	},
	[VIEW_ACTIVITIES] = {
		"activities", "STARTED BY",
		{ { "OPEN", "open", FIGURE_COUNT, 6 },
		  { "ENDED/s", "rate", FIGURE_RATE, 9 },
		  { "ENDED", "ended", FIGURE_COUNT, 9 },
		  { "P50", "p50", FIGURE_NANOSECONDS, 8 },
		  { "P99", "p99", FIGURE_NANOSECONDS, 8 },
		  { "MAX", "max", FIGURE_NANOSECONDS, 8 } },
		1,
	},
	[VIEW_OPEN] = {
		"open", "STARTED BY, ACTIVITY",
		{ { "PID", "pid", FIGURE_ID, 8 },
		  { "AGE", "age", FIGURE_NANOSECONDS, 8 } },
		1,
	},
};

int view_find(const char *name)
{
	for (int i = 0; i < VIEWS; i++)
		if (!strcmp(views[i].name, name))
			return i;
	return -1;
}

/* Copying */

static struct line *add(struct lines *lines, char *text)
{
	struct line *line;

	lines->items = xgrow(lines->items, lines->count, sizeof(*line));
	line = &lines->items[lines->count++];
	line->text = text;
	return line;
}

static void set(struct line *line, double a, double b, double c, double d, double e)
{
	const double figures[] = { a, b, c, d, e };

	memcpy(line->figures, figures, sizeof(figures));
}

static void copy_events(struct lines *lines, const struct collected *collected)
{
	for (uint32_t i = 0; i < collected->events.count; i++) {
		const struct row *row = collected->events.rows[i];
		const int is_counted = collected->is_counted;

		set(add(lines, xstrdup(row->name)), row->rate, (double)row->events,
		    is_counted ? NAN : (double)row->bytes,
		    is_counted || collected->lacks_writers ? NAN : row->processes, 0);
	}
}

static void copy_processes(struct lines *lines, const struct collected *collected)
{
	for (uint32_t i = 0; i < collected->processes.count; i++) {
		const struct row *row = collected->processes.rows[i];

		set(add(lines, xstrdup(row->name)), row->key == OTHERS_KEY ? NAN : row->pid,
		    row->rate, (double)row->events, (double)row->bytes,
		    collected->knows_lost ? (double)row->lost : NAN);
	}
}

static void copy_threads(struct lines *lines, const struct collected *collected)
{
	for (uint32_t i = 0; i < collected->threads.count; i++) {
		const struct row *row = collected->threads.rows[i];
		const int is_one = row->key != OTHERS_KEY;

		set(add(lines, xstrdup(row->name)), is_one ? row->pid : NAN,
		    is_one ? row->tid : NAN, row->rate, (double)row->events,
		    (double)row->bytes);
	}
}

static void copy_activities(struct lines *lines, const struct collected *collected)
{
	for (uint32_t i = 0; i < collected->activities.count; i++) {
		const struct activity_row *row = collected->activities.rows[i];
		const struct histogram *all = &row->durations;
		struct line *line = add(lines, xstrdup(row->name));

		set(line, (double)row->open, row->rate, (double)row->ended,
		    all->count ? histogram_percentile(all, 0.5) : NAN,
		    all->count ? histogram_percentile(all, 0.99) : NAN);
		line->figures[5] = all->count ? value_as_double(&all->greatest) : NAN;
	}
}

/* The activity as a UUID, or the thread. */
static char *open_text(const struct open_start *start)
{
	const struct open_activity *activity = (const struct open_activity *)start->data;
	const uint8_t *bytes = (const uint8_t *)start->key.text;
	char id[37], *end = id;

	if (start->is_nested)
		return xprintf("%s thread %u", activity->row->name, activity->tid);
	for (int i = 0; i < ACTIVITY_SIZE; i++)
		end += sprintf(end, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "",
			       bytes[i]);
	return xprintf("%s %s", activity->row->name, id);
}

static void copy_open(struct lines *lines, const struct collected *collected)
{
	const struct activities *activities = &collected->activities;
	const int64_t now =
		clock_now(activities->is_wall_clock ? CLOCK_REALTIME : CLOCK_MONOTONIC);
	const struct open_start *one = activities->pairs.oldest;

	for (; one; one = one->newer)
		set(add(lines, open_text(one)), ((const struct open_activity *)one->data)->pid,
		    now > one->time ? (double)now - (double)one->time : 0, 0, 0, 0);
}

void lines_copy(struct lines *lines, enum view_kind view, const struct collected *collected)
{
	static void (*const copy[VIEWS])(struct lines *, const struct collected *) = {
		copy_events, copy_processes, copy_threads, copy_activities, copy_open,
	};

	lines_free(lines);
	copy[view](lines, collected);
}

void lines_free(struct lines *lines)
{
	for (size_t i = 0; i < lines->count; i++)
		free(lines->items[i].text);
	free(lines->items);
	*lines = (struct lines){ 0 };
}

/* Order */

struct order {
	int column;
	int reverse;
};

/* Unknown figures follow all others. */
static int compare_figures(double one, double other)
{
	if (isnan(one) || isnan(other))
		return isnan(one) - isnan(other);
	return (one < other) - (one > other);
}

static int compare(const void *one, const void *other, void *context)
{
	const struct line *a = one, *b = other;
	const struct order *order = context;
	int result = 0;

	if (order->column >= 0)
		result = compare_figures(a->figures[order->column], b->figures[order->column]);
	if (!result)
		result = strcmp(a->text, b->text);
	return order->reverse ? -result : result;
}

void lines_sort(struct lines *lines, int column, int reverse)
{
	struct order order = { column, reverse };

	if (lines->count)
		qsort_r(lines->items, lines->count, sizeof(*lines->items), compare, &order);
}

/* The filter */

static int view_matches(const char *text, const char *filter)
{
	const char *name = strchr(text, ':');

	if (!filter[strcspn(filter, "*?[")])
		return strcasestr(text, filter) != NULL;
	return !fnmatch(filter, text, 0) || (name && !fnmatch(filter, name + 1, 0));
}

int line_matches(const struct line *line, enum view_kind view, const char *filter)
{
	char number[32];

	if (!*filter || view_matches(line->text, filter))
		return 1;
	for (int i = 0; views[view].columns[i].title; i++) {
		snprintf(number, sizeof(number), "%.0f", line->figures[i]);
		if (views[view].columns[i].kind == FIGURE_ID && !fnmatch(filter, number, 0))
			return 1;
	}
	return 0;
}
