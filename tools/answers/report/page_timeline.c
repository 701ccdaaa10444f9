/* SPDX-License-Identifier: MIT */
/* Draws the time line: all events, then a lane for each thread. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "html_page.h"
#include "common/cli/memory.h"
#include "common/text/text_table.h"

#define WIDTH 1200.0
#define LEFT 200.0
#define RIGHT 8.0
#define ALL_HEIGHT 52.0
#define ROW 15.0
#define STRIP 16.0
#define LANES_DRAWN 40
#define ROWS_DRAWN 10

struct drawing {
	struct bytes lanes; /* their markup: heights are known at the end */
	const struct facts *facts;
	struct plot plot;
	double y;
	int has_bars; /* there are too many events or activities to draw each */
	uint64_t activities_omitted; /* for want of rows */
	struct activity *activities; /* by lane and start */
	uint32_t activity_count;
	struct mark *marks; /* by lane */
	uint32_t mark_count;
};

/* Lanes */

static int by_size(const void *one, const void *other)
{
	const struct lane *a = *(const struct lane *const *)one;
	const struct lane *b = *(const struct lane *const *)other;

	if (a->is_rest != b->is_rest)
		return a->is_rest - b->is_rest;
	if (a->count != b->count)
		return a->count < b->count ? 1 : -1;
	return a->number < b->number ? -1 : 1;
}

static int by_thread(const void *one, const void *other)
{
	const struct lane *a = *(const struct lane *const *)one;
	const struct lane *b = *(const struct lane *const *)other;

	if (a->is_rest != b->is_rest)
		return a->is_rest - b->is_rest;
	if (a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	return (a->tid > b->tid) - (a->tid < b->tid);
}

/* Those with the most events, in the order of their numbers; how many. */
static uint32_t choose(const struct facts *facts, const struct lane **lanes)
{
	const struct lane *all[LANES_GATHERED + 1];
	uint32_t count = 0, drawn;

	for (uint32_t i = 0; i <= LANES_GATHERED; i++)
		if (facts->lanes[i].count)
			all[count++] = &facts->lanes[i];
	qsort(all, count, sizeof(*all), by_size);
	drawn = count < LANES_DRAWN ? count : LANES_DRAWN;
	memcpy(lanes, all, drawn * sizeof(*all));
	qsort(lanes, drawn, sizeof(*lanes), by_thread);
	return drawn;
}

static void put_lane_name(struct drawing *drawing, const struct lane *lane, double height)
{
	struct bytes *out = &drawing->lanes, name = { 0 };

	page_lane_name(&name, lane);
	bytes_addf(out, "<text class=\"name\" x=\"0\" y=\"%.1f\">",
		   drawing->y + height / 2 + 1);
	if (lane->is_rest || !lane->comm[0])
		bytes_add(out, name.at, name.length);
	else
		markup_short(out, lane->comm, strlen(lane->comm), 20);
	bytes_free(&name);
	if (lane->comm[0] && lane->has_pid)
		bytes_addf(out, "<tspan class=\"mute\" font-weight=\"400\"> %u",
			   lane->pid);
	if (lane->comm[0] && lane->has_pid && lane->has_tid && lane->tid != lane->pid)
		bytes_addf(out, "/%u", lane->tid);
	if (lane->comm[0] && lane->has_pid)
		bytes_put(out, "</tspan>");
	bytes_addf(out, "<title>%s", counted(lane->count, "event"));
	if (lane->activities)
		bytes_addf(out, ", %" PRIu64 " activities", lane->activities);
	bytes_put(out, "</title></text>");
}

/* Activities */

static int by_lane_and_start(const void *one, const void *other)
{
	const struct activity *a = one, *b = other;

	if (a->lane != b->lane)
		return a->lane < b->lane ? -1 : 1;
	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return (a->stop < b->stop) - (a->stop > b->stop); /* the outer one first */
}

static unsigned int colour_of(const struct activity *activity)
{
	return activity->kind->event % 8;
}

static void put_activity_title(struct bytes *out, const struct facts *facts,
			       const struct activity *activity)
{
	bytes_put(out, "<title>");
	page_kind_name(out, activity->kind);
	bytes_addf(out, activity->is_ended ? ", %s\n" : ", did not end in %s\n",
		      duration_text(time_between(activity->start, activity->stop)));
	bytes_addf(out, "+%s ", page_offset(facts, activity->start));
	markup_short(out, activity->start_text, strlen(activity->start_text), 160);
	if (*activity->stop_text) {
		bytes_addf(out, "\n+%s ", page_offset(facts, activity->stop));
		markup_short(out, activity->stop_text, strlen(activity->stop_text), 160);
	}
	if (activity->worst == SEVERITY_ERROR)
		bytes_put(out, "\nan error occurred in it");
	bytes_put(out, "</title>");
}

static void put_inner_name(struct drawing *drawing, const struct activity *activity,
			   double x, double width, double y)
{
	if (width < 46)
		return;
	bytes_addf(&drawing->lanes, "<text class=\"in%s\" x=\"%.1f\" y=\"%.1f\">",
		      activity->is_ended ? "" : " open", x + 4, y + 10);
	markup_short(&drawing->lanes, activity->kind->name, strlen(activity->kind->name),
		     (unsigned int)((width - 8) / 5.6));
	bytes_put(&drawing->lanes, "</text>");
}

/* Whether a table has it, with the events before its end. */
static int is_listed(const struct facts *facts, const struct activity *activity)
{
	const struct longest *slowest;

	if (!activity->is_ended || activity->group >= facts->group_count)
		return 0;
	slowest = &facts->groups[activity->group].slowest;
	for (uint32_t i = 0; i < slowest->count; i++)
		if (slowest->items[i].number == activity->number)
			return 1;
	return 0;
}

static void put_activity(struct drawing *drawing, const struct activity *activity, int row)
{
	struct bytes *out = &drawing->lanes;
	const double x = plot_x(&drawing->plot, activity->start);
	const double y = drawing->y + row * ROW;
	/* beyond the last event if the wall clock was set back meanwhile */
	const int64_t last = drawing->facts->scale.last;
	double width = plot_x(&drawing->plot, activity->stop < last ? activity->stop : last) - x;

	width = width < 1.5 ? 1.5 : width;
	if (is_listed(drawing->facts, activity))
		bytes_addf(out, "<a href=\"#a%" PRIu64 "\">", activity->number);
	bytes_addf(out, "<rect class=\"act a%u%s%s\" x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" "
		      "height=\"13\" rx=\"%d\">", colour_of(activity),
		      activity->worst == SEVERITY_ERROR ? " fail" : "",
		      activity->is_ended ? "" : " open", x, y, width, width > 6 ? 2 : 0);
	put_activity_title(out, drawing->facts, activity);
	bytes_put(out, is_listed(drawing->facts, activity) ? "</rect></a>\n" : "</rect>\n");
	put_inner_name(drawing, activity, x, width, y);
}

/*
 * Each is put into the first row that is free when it starts. Returns the number of
 * rows.
 */
static int put_activities(struct drawing *drawing, const struct lane *lane)
{
	int64_t ends[ROWS_DRAWN];
	int rows = 0;

	for (uint32_t i = 0; i < drawing->activity_count; i++) {
		const struct activity *activity = &drawing->activities[i];
		int row = 0;

		if (activity->lane != lane->number)
			continue;
		while (row < rows && ends[row] > activity->start)
			row++;
		if (row == ROWS_DRAWN) {
			drawing->activities_omitted++;
			continue;
		}
		rows = row == rows ? rows + 1 : rows;
		ends[row] = activity->stop;
		put_activity(drawing, activity, row);
	}
	return rows;
}

/* Events */

static void put_mark(struct drawing *drawing, const struct mark *mark, double y,
		     double height)
{
	static const char *const classes[SEVERITIES] = { "plain", "warning", "error" };
	struct bytes *out = &drawing->lanes;

	if (mark->error)
		bytes_addf(out, "<a href=\"#e%" PRIu32 "\">", mark->error);
	bytes_addf(out, "<rect class=\"tick %s\" x=\"%.2f\" y=\"%.1f\" width=\"3\" "
		      "height=\"%.1f\"><title>", classes[mark->severity],
		      plot_x(&drawing->plot, mark->time) - 1.5, y, height);
	page_kind_name(out, mark->kind);
	bytes_addf(out, " +%s\n", page_offset(drawing->facts, mark->time));
	markup_short(out, mark->text, strlen(mark->text), 200);
	bytes_put(out, mark->error ? "</title></rect></a>\n" : "</title></rect>\n");
}

/* Each event, or bars of them all with a mark over each error and warning. */
static void put_events(struct drawing *drawing, const struct lane *lane)
{
	const int has_bars = drawing->has_bars;
	struct plot plot = drawing->plot;

	plot.y = drawing->y;
	plot.height = STRIP;
	if (has_bars)
		chart_series(&drawing->lanes, &lane->series, &drawing->facts->scale, &plot,
			     1.5, 0);
	for (uint32_t i = 0; i < drawing->mark_count; i++)
		if (drawing->marks[i].lane == lane->number)
			put_mark(drawing, &drawing->marks[i],
				 has_bars ? drawing->y - 4 : drawing->y + 1,
				 has_bars ? 4 : STRIP - 3);
}

static void put_losses(struct drawing *drawing, const struct lane *lane)
{
	const struct facts *facts = drawing->facts;

	for (uint32_t i = 0; i < facts->loss_count; i++) {
		const struct loss *loss = &facts->losses[i];

		if (loss->lane != lane->number || !loss->has_time)
			continue;
		bytes_addf(&drawing->lanes,
			   "<path class=\"lost\" d=\"M%.1f %.1fl4-8h-8z\">"
			   "<title>%s lost before this place</title></path>\n",
			   plot_x(&drawing->plot, loss->time), drawing->y + STRIP,
			   counted(loss->count, "event"));
	}
}

static void put_lane(struct drawing *drawing, const struct lane *lane)
{
	const double begin = drawing->y;
	double height;
	int rows;

	bytes_addf(&drawing->lanes, "<path class=\"grid\" d=\"M0 %.1fh%.0f\"/>\n",
		   drawing->y - 5, WIDTH);
	rows = put_activities(drawing, lane);
	drawing->y += rows * ROW + (rows ? 4 : 0);
	put_events(drawing, lane);
	put_losses(drawing, lane);
	height = drawing->y + STRIP - begin;
	drawing->y = begin;
	put_lane_name(drawing, lane, height);
	drawing->y = begin + height + 10;
}

/* The axis */

/* 1, 2 or 5 of a power of ten of nanoseconds; minutes and hours where these fit. */
static double step_of(double span)
{
	static const double long_ones[] = { 60e9, 120e9, 300e9, 600e9, 1800e9, 3600e9,
					    7200e9, 21600e9, 43200e9, 86400e9 };
	const double wanted = span / 9;
	double step = pow(10, floor(log10(wanted > 1 ? wanted : 1)));

	for (size_t i = 0; wanted > 50e9 && i < sizeof(long_ones) / sizeof(*long_ones); i++)
		if (long_ones[i] >= wanted)
			return long_ones[i];
	if (step < wanted)
		step *= step * 2 >= wanted ? 2 : step * 5 >= wanted ? 5 : 10;
	return step;
}

static void put_grid(struct bytes *out, const struct drawing *drawing)
{
	const struct plot *plot = &drawing->plot;
	const double step = step_of(plot->span), top = ALL_HEIGHT + 8;

	for (int i = 0; i * step <= plot->span && i < 20; i++) {
		const double x = plot->x + i * step / plot->span * plot->width;

		bytes_addf(out, "<path class=\"grid\" d=\"M%.1f 0V%.1f\"/>", x,
			   drawing->y);
		if (x < WIDTH - 40)
			bytes_addf(out, "<text class=\"mute\" x=\"%.1f\" y=\"%.1f\">+%s"
				      "</text>\n", x + 3, top + 9,
				      i ? duration_text(i * step) : "0");
	}
}

static void put_all_events(struct bytes *out, const struct drawing *drawing)
{
	struct plot plot = drawing->plot;

	plot.y = 2;
	plot.height = ALL_HEIGHT - 2;
	bytes_addf(out, "<text class=\"name\" x=\"0\" y=\"%.0f\">all events</text>",
		   ALL_HEIGHT / 2 + 4);
	chart_series(out, &drawing->facts->series, &drawing->facts->scale, &plot, 5, 1);
	bytes_addf(out, "<path class=\"base\" d=\"M%.0f %.1fh%.1f\"/>\n", plot.x,
		   ALL_HEIGHT + 0.5, plot.width);
}

/* Text */

static void put_legend(struct bytes *out, const struct drawing *drawing)
{
	const struct event_kind *shown[8] = { 0 };

	bytes_put(out, "<ul class=\"legend\">");
	for (uint32_t i = 0; i < drawing->activity_count; i++) {
		const struct event_kind *kind = drawing->activities[i].kind;

		if (shown[kind->event % 8])
			continue;
		shown[kind->event % 8] = kind;
		bytes_addf(out, "<li><svg viewBox=\"0 0 12 12\" aria-hidden=\"true\"><rect "
			      "class=\"a%u\" width=\"12\" height=\"12\" rx=\"2\"/></svg>",
			      kind->event % 8);
		page_kind_name(out, kind);
		bytes_put(out, "</li>");
	}
	bytes_put(out, "<li><svg viewBox=\"0 0 12 12\" aria-hidden=\"true\"><rect "
		   "class=\"plain\" x=\"4\" width=\"4\" height=\"12\"/></svg>event</li>");
	if (drawing->facts->of_severity[SEVERITY_WARNING])
		bytes_put(
			out,
			"<li><svg viewBox=\"0 0 12 12\" aria-hidden=\"true\"><rect "
			"class=\"warning\" x=\"4\" width=\"4\" height=\"12\"/></svg>warning"
			"</li>");
	if (drawing->facts->of_severity[SEVERITY_ERROR])
		bytes_put(
			out,
			"<li><svg viewBox=\"0 0 12 12\" aria-hidden=\"true\"><rect "
			"class=\"error\" x=\"4\" width=\"4\" height=\"12\"/></svg>error</li>");
	if (drawing->facts->loss_count)
		bytes_put(out,
			  "<li><svg viewBox=\"0 0 12 12\" aria-hidden=\"true\"><path "
			  "class=\"lost\" d=\"M6 12l5-10h-10z\"/></svg>events lost</li>");
	bytes_put(out, "</ul>\n");
}

static uint64_t activity_count(const struct facts *facts)
{
	return facts->ended + facts->never_ended;
}

static void put_omitted(struct bytes *out, const struct drawing *drawing, uint32_t lanes)
{
	const struct facts *facts = drawing->facts;
	const uint32_t all = facts->lane_count + facts->lanes[LANES_GATHERED].is_rest;

	bytes_put(out, "<p class=\"mute\">");
	if (drawing->has_bars)
		bytes_put(out,
			  "There are too many events to draw each of them: bars show how "
			  "many there are, and marks above them are single events. ");
	if (facts->marks_omitted)
		bytes_addf(out, "%s have no mark. ",
			   counted(facts->marks_omitted, "further warning or error"));
	if (activity_count(facts) > drawing->activity_count)
		bytes_addf(out, "Of %s activities, the %s longest are drawn. ",
			   count_text(activity_count(facts)),
			   count_text(drawing->activity_count));
	if (drawing->activities_omitted)
		bytes_addf(out, "%s for which there is no row are left out. ",
			   counted(drawing->activities_omitted, "overlapping one"));
	if (all > lanes)
		bytes_addf(out, "%s with fewer events are not drawn. ",
			   counted(all - lanes, "thread"));
	if (facts->places_omitted)
		bytes_addf(out, "%s of losses are not marked. ",
			   counted(facts->places_omitted, "further place"));
	bytes_put(out, "</p>\n");
}

static void put_drawing(struct bytes *out, struct drawing *drawing)
{
	bytes_addf(out,
		   "<div class=\"scroll\"><svg class=\"timeline\" viewBox=\"0 0 %.0f "
		   "%.0f\" role=\"img\" aria-labelledby=\"tt td\"><title id=\"tt\">Time "
		   "line</title><desc id=\"td\">%s in %s by %s; tables below have the "
		   "numbers</desc>\n",
		   WIDTH, drawing->y, counted(drawing->facts->events, "event"),
		   duration_text(drawing->plot.span),
		   counted(drawing->facts->lane_count, "thread"));
	put_grid(out, drawing);
	put_all_events(out, drawing);
	bytes_add(out, drawing->lanes.at, drawing->lanes.length);
	bytes_put(out, "</svg></div>\n");
	bytes_free(&drawing->lanes);
}

void page_timeline(struct bytes *out, const struct facts *facts)
{
	const double span = time_between(facts->scale.first, facts->scale.last);
	const struct lane *lanes[LANES_DRAWN];
	const uint32_t count = choose(facts, lanes);
	struct drawing drawing = {
		.facts = facts,
		.plot = { .x = LEFT, .width = WIDTH - LEFT - RIGHT,
			  .first = facts->scale.first, .span = span > 0 ? span : 1 },
		.y = ALL_HEIGHT + 30,
		.activities = facts->drawn.items,
		.activity_count = facts->drawn.count,
		.marks = facts->marks,
		.mark_count = facts->mark_count,
		.has_bars = facts->plain_marks_omitted ||
			    activity_count(facts) > facts->drawn.count,
	};

	if (drawing.activity_count)
		qsort(drawing.activities, drawing.activity_count,
		      sizeof(*drawing.activities), by_lane_and_start);
	for (uint32_t i = 0; i < count; i++)
		put_lane(&drawing, lanes[i]);
	bytes_put(out, "<section>\n<h2 id=\"timeline\">Time line</h2>\n");
	put_drawing(out, &drawing);
	put_legend(out, &drawing);
	put_omitted(out, &drawing, count);
	bytes_put(out, "</section>\n");
}
