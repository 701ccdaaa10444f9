/* SPDX-License-Identifier: MIT */
/* Prints what is shown as a line of JSON. */
#include <math.h>
#include <stdio.h>

#include "common/cli/clock.h"
#include "common/text/json_text.h"
#include "top.h"

/* Figures that are not known are NaN, which becomes null. */
static void put_line(struct bytes *json, const struct line *line, enum view_kind kind)
{
	const struct column *column = views[kind].columns;

	json_open(json, NULL, '{');
	json_string(json, "name", line->text);
	for (int i = 0; column[i].title; i++)
		if (column[i].kind == FIGURE_RATE || isnan(line->figures[i]))
			json_float(json, column[i].member, line->figures[i]);
		else
			json_count(json, column[i].member, (uint64_t)line->figures[i]);
	json_close(json, '}');
}

static void put_view(struct bytes *json, struct top *top, enum view_kind kind)
{
	struct lines *lines = &top->lines[kind];

	lines_sort(lines, top->control.sorted[kind], 0);
	json_open(json, views[kind].name, '[');
	for (size_t i = 0; i < lines->count; i++)
		put_line(json, &lines->items[i], kind);
	json_close(json, ']');
}

static void put_activities(struct bytes *json, const struct activities *all)
{
	json_open(json, "activitySums", '{');
	json_count(json, "open", all->open);
	json_count(json, "ended", all->ended);
	json_count(json, "withoutStart", all->without_start);
	json_count(json, "restarted", all->restarted);
	json_count(json, "leftOut", all->dropped);
	json_close(json, '}');
}

static void put_count(struct bytes *json, const char *key, uint64_t number, int is_known)
{
	if (is_known)
		json_count(json, key, number);
	else
		json_float(json, key, NAN);
}

static void put_sums(struct bytes *json, const struct top *top)
{
	static const char *const sources[] = { "kernel", "run", "ring" };
	const int is_counted = top->collected.is_counted;

	json_time(json, "time", clock_now(CLOCK_REALTIME), 1);
	json_string(json, "source", sources[top->source]);
	json_boolean(json, "counted", is_counted);
	json_float(json, "seconds", top->seconds);
	json_float(json, "rate", top->rate);
	json_count(json, "total", top->total);
	put_count(json, "bytes", top->bytes, !is_counted);
	put_count(json, "lost", top->lost, top_needs_samples(top));
}

/* Counting knows nothing but the events. */
void frame_print_json(struct top *top)
{
	struct bytes *json = &top->text;

	json->length = 0;
	json_open(json, NULL, '{');
	put_sums(json, top);
	for (int i = 0; i < VIEWS; i++)
		if (i == VIEW_EVENTS || top_needs_samples(top))
			put_view(json, top, (enum view_kind)i);
	if (top_needs_samples(top))
		put_activities(json, &top->collected.activities);
	json_close(json, '}');
	bytes_add(json, "\n", 1);
	bytes_print(json);
	fflush(stdout);
}
