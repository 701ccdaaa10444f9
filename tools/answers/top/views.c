/* SPDX-License-Identifier: MIT */
/* Copies the collected data into lines of figures, sorts and filters them by choice. */
#include <fnmatch.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "answers/screen/screen.h"
#include "common/cli/clock.h"
#include "common/cli/memory.h"
#include "top.h"

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

/* Acts on keys. */

const char *const choices_help[] = {
	"1 2 3 4 5, Tab    view: events, processes, threads, activities, open activities",
	"s, <, >           sort by the next column, by the one before it, after it",
	"r                 reverse the order",
	"/                 filter: a glob for names or numbers, or a part of a name; empty: all",
	"p, blank          pause, and go on",
	"arrows, PgUp, PgDn, Home, End   scroll",
	"Ctrl-L            draw anew",
	"Ctrl-Z            suspend",
	"h, ?              this help",
	"q, Ctrl-C         quit",
	NULL,
};

void choices_begin(struct choices *choices)
{
	for (int i = 0; i < VIEWS; i++)
		choices->sorted[i] = views[i].order;
}

static int count_columns(enum view_kind view)
{
	int count = 0;

	while (views[view].columns[count].title)
		count++;
	return count;
}

/* The order on the screen: figures from left to right, then the text, which is -1. */
static void move_order(struct choices *choices, int by)
{
	const int columns = count_columns(choices->view) + 1;
	int *sorted = &choices->sorted[choices->view];

	*sorted = ((*sorted < 0 ? columns - 1 : *sorted) + by + columns) % columns;
	if (*sorted == columns - 1)
		*sorted = -1;
}

static void move_view(struct choices *choices, int by)
{
	choices->view = (enum view_kind)(((int)choices->view + by + VIEWS) % VIEWS);
}

static void scroll_up(struct choices *choices, size_t by)
{
	size_t *first = &choices->first[choices->view];

	*first -= by < *first ? by : *first;
}

/* The end is found when the lines are drawn. */
static void scroll_down(struct choices *choices, size_t by)
{
	size_t *first = &choices->first[choices->view];

	*first = *first > SIZE_MAX / 2 ? SIZE_MAX / 2 : *first + by;
}

/* The filter */

static void begin_typing(struct choices *choices)
{
	choices->is_typing = 1;
	memcpy(choices->typed, choices->filter, sizeof(choices->typed));
}

/* A character of UTF-8 goes as a whole. */
static void delete_last(struct choices *choices)
{
	size_t length = strlen(choices->typed);

	while (length && (choices->typed[--length] & 0xc0) == 0x80)
		;
	choices->typed[length] = '\0';
}

static void type(struct choices *choices, int key)
{
	const size_t length = strlen(choices->typed);

	if (key < ' ' || key > 0xff || length + 1 == sizeof(choices->typed))
		return;
	choices->typed[length] = (char)key;
	choices->typed[length + 1] = '\0';
}

static void type_key(struct choices *choices, int key)
{
	switch (key) {
	case KEY_RETURN:
	case '\n':
		memcpy(choices->filter, choices->typed, sizeof(choices->filter));
		memset(choices->first, 0, sizeof(choices->first));
		choices->is_typing = 0;
		break;
	case KEY_ESCAPE:
		choices->is_typing = 0;
		break;
	case KEY_DELETE:
	case KEY_CONTROL('h'):
		delete_last(choices);
		break;
	case KEY_CONTROL('u'):
		choices->typed[0] = '\0';
		break;
	default:
		type(choices, key);
	}
}

/* Other keys */

static void scroll_key(struct choices *choices, int key, size_t page)
{
	switch (key) {
	case KEY_UP:
		scroll_up(choices, 1);
		break;
	case KEY_DOWN:
		scroll_down(choices, 1);
		break;
	case KEY_PAGE_UP:
		scroll_up(choices, page);
		break;
	case KEY_PAGE_DOWN:
		scroll_down(choices, page);
		break;
	case KEY_HOME:
		choices->first[choices->view] = 0;
		break;
	case KEY_END:
		scroll_down(choices, SIZE_MAX / 2);
		break;
	}
}

static void order_key(struct choices *choices, int key)
{
	switch (key) {
	case 's':
	case '>':
		move_order(choices, 1);
		break;
	case '<':
		move_order(choices, -1);
		break;
	case 'r':
		choices->reverse[choices->view] ^= 1;
		break;
	}
}

static void view_key(struct choices *choices, int key)
{
	if (key >= '1' && key < '1' + VIEWS)
		choices->view = (enum view_kind)(key - '1');
	else if (key == KEY_TAB || key == KEY_RIGHT)
		move_view(choices, 1);
	else if (key == KEY_BACK_TAB || key == KEY_LEFT)
		move_view(choices, -1);
}

static void mode_key(struct choices *choices, int key)
{
	switch (key) {
	case 'q':
		choices->is_over = 1;
		break;
	case 'h':
	case '?':
		choices->is_helping = 1;
		break;
	case 'p':
	case ' ':
		choices->is_paused ^= 1;
		break;
	case '/':
		begin_typing(choices);
		break;
	}
}

void choices_key(struct choices *choices, int key, size_t page)
{
	if (key == KEY_CONTROL('c')) {
		choices->is_over = 1;
	} else if (key == KEY_CONTROL('z')) {
		choices->wants_stop = 1;
	} else if (choices->is_typing) {
		type_key(choices, key);
	} else if (choices->is_helping) {
		choices->is_helping = 0;
	} else {
		view_key(choices, key);
		order_key(choices, key);
		scroll_key(choices, key, page);
		mode_key(choices, key);
	}
}
