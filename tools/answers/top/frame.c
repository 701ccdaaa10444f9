/* SPDX-License-Identifier: MIT */
/* Draws the screen, and prints tables. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "common/cli/clock.h"
#include "common/text/text_table.h"
#include "top.h"

/* Describes a frame in words: its source, and sums of all events. */

static void describe_source(const struct top *top, char *text, size_t size)
{
	const double seconds = (double)(clock_now(CLOCK_MONOTONIC) - top->begun) / 1e9;

	if (top->source == TOP_RUN)
		snprintf(text, size, "%s", top->source_name);
	else if (top->source == TOP_RING)
		snprintf(text, size, "ring %s", top->source_name);
	else if (top->is_sampled)
		snprintf(text, size, "kernel, every event recorded");
	else if (!top_needs_samples(top))
		snprintf(text, size, "kernel, tracepoints counted");
	else
		snprintf(text, size, "kernel, every event recorded for %.0f s", seconds);
}

static size_t append_count(char *text, size_t size, size_t length, uint64_t count,
			   const char *what)
{
	if (count && length < size)
		length += (size_t)snprintf(text + length, size - length, ", %" PRIu64 " %s",
					   count, what);
	return length;
}

static void describe_activities(const struct top *top, char *text, size_t size)
{
	const struct activities *all = &top->collected.activities;
	const struct pairs *pairs = &all->pairs;
	size_t length = (size_t)snprintf(text, size, "%" PRIu32 " open, %" PRIu64 " ended",
					 pairs->count, all->ended);

	length = append_count(text, size, length, pairs->without_start,
			      "ended that began before");
	length = append_count(text, size, length, pairs->repeated, "began again");
	length = append_count(text, size, length, pairs->negative, "ended before they began");
	append_count(text, size, length, pairs->dropped, "left out: too many are open");
}

static void describe_counts(const struct top *top, char *text, size_t size)
{
	char rate[QUANTITY_TEXT_MAX], bytes[QUANTITY_TEXT_MAX];
	int length;

	if (top->choices.view == VIEW_ACTIVITIES || top->choices.view == VIEW_OPEN) {
		describe_activities(top, text, size);
		return;
	}
	figure_text(rate, top->rate, FIGURE_RATE);
	length = snprintf(text, size, "%" PRIu64 " events, %s/s", top->total, rate);
	figure_text(bytes, (double)top->bytes, FIGURE_BYTES);
	if (!top->collected.is_counted)
		snprintf(text + length, size - (size_t)length, ", %s bytes, %" PRIu64 " lost",
			 bytes, top->lost);
	else if (top_needs_samples(top))
		snprintf(text + length, size - (size_t)length,
			 ", %" PRIu64 " lost while recording", top->lost);
}

#define CLEAR_LINE "\x1b[K"
#define REVERSE "\x1b[7m"
#define PLAIN "\x1b[m"

static const char *clock_text(char *text, size_t size)
{
	const time_t now = time(NULL);
	struct tm tm;

	if (!localtime_r(&now, &tm) || !strftime(text, size, "%H:%M:%S", &tm))
		*text = '\0';
	return text;
}

static void sort(struct top *top)
{
	const enum view_kind view = top->choices.view;

	lines_sort(&top->lines[view], top->choices.sorted[view],
		   top->choices.reverse[view]);
}

/* The screen. Each line ends on the screen, and has no escapes but those added here. */

struct frame {
	struct top *top;
	struct bytes *text;
	struct screen_size size;
	size_t row; /* how many are drawn */
};

/* The last row has no end, as the terminal would scroll. */
static void end_row(struct frame *frame)
{
	bytes_put(frame->text, CLEAR_LINE);
	if (++frame->row < frame->size.rows)
		bytes_put(frame->text, "\r\n");
}

static int has_room(const struct frame *frame)
{
	return frame->row < frame->size.rows;
}

static void draw_row(struct frame *frame, const char *text)
{
	if (!has_room(frame))
		return;
	cell_put(frame->text, text, frame->size.columns, 0);
	end_row(frame);
}

static void draw_head(struct frame *frame)
{
	const struct top *top = frame->top;
	char source[512], text[1024], now[16];

	describe_source(top, source, sizeof(source));
	snprintf(text, sizeof(text), "%s  userevents top: %s%s%s",
		 clock_text(now, sizeof(now)), source, top->is_ended ? ", ended" : "",
		 top->choices.is_paused ? ", PAUSED" : "");
	draw_row(frame, text);
	describe_counts(top, text, sizeof(text));
	draw_row(frame, text);
}

static void draw_views(struct frame *frame)
{
	const struct choices *choices = &frame->top->choices;
	char text[512] = "";
	size_t length = 0;

	for (int i = 0; i < VIEWS; i++)
		length += (size_t)snprintf(text + length, sizeof(text) - length,
					   i == (int)choices->view ? "[%d:%s] " :
								     " %d:%s  ",
					   i + 1, views[i].name);
	if (*choices->filter)
		snprintf(text + length, sizeof(text) - length, "  filter: %s",
			 choices->filter);
	draw_row(frame, text);
}

static void draw_headings(struct frame *frame)
{
	const struct choices *choices = &frame->top->choices;
	const enum view_kind view = choices->view;

	if (!has_room(frame))
		return;
	bytes_put(frame->text, REVERSE);
	headings_put(frame->text, view, choices->sorted[view], choices->reverse[view],
		     frame->size.columns);
	bytes_put(frame->text, PLAIN);
	end_row(frame);
}

/* How many lines pass the filter; the first shown is one that leaves no row empty. */
static size_t find_first(struct frame *frame)
{
	struct choices *choices = &frame->top->choices;
	const struct lines *lines = &frame->top->lines[choices->view];
	size_t *first = &choices->first[choices->view], count = 0;
	const size_t page = page_of(&frame->size);

	for (size_t i = 0; i < lines->count; i++)
		count += (size_t)line_matches(&lines->items[i], choices->view,
					      choices->filter);
	if (count < page)
		*first = 0;
	else if (*first > count - page)
		*first = count - page;
	return *first;
}

static void draw_lines(struct frame *frame)
{
	const struct choices *choices = &frame->top->choices;
	const struct lines *lines = &frame->top->lines[choices->view];
	size_t skipped = find_first(frame);

	for (size_t i = 0; i < lines->count && frame->row + 1 < frame->size.rows; i++) {
		if (!line_matches(&lines->items[i], choices->view, choices->filter))
			continue;
		if (skipped) {
			skipped--;
			continue;
		}
		line_put(frame->text, &lines->items[i], choices->view,
			 frame->size.columns);
		end_row(frame);
	}
}

static void draw_help(struct frame *frame)
{
	draw_row(frame, "");
	for (const char *const *line = choices_help; *line; line++)
		if (frame->row + 1 < frame->size.rows)
			draw_row(frame, *line);
}

static void draw_foot(struct frame *frame)
{
	const struct choices *choices = &frame->top->choices;
	const char *message = screen_message();
	char text[1024];

	while (frame->row + 1 < frame->size.rows)
		end_row(frame);
	if (choices->is_typing)
		snprintf(text, sizeof(text), "filter: %s_", choices->typed);
	else if (choices->is_helping)
		snprintf(text, sizeof(text), "any key goes back");
	else if (message)
		snprintf(text, sizeof(text), "%s", message);
	else
		snprintf(text, sizeof(text),
			 "q quit  h help  1-5 view  s sort  r reverse  / filter  p pause");
	draw_row(frame, text);
}

void frame_draw(struct top *top)
{
	struct frame frame = { .top = top, .text = &top->text, .size = screen_size() };

	top->text.length = 0;
	bytes_put(frame.text, "\x1b[H");
	if (top->choices.is_helping) {
		draw_help(&frame);
	} else {
		sort(top);
		draw_head(&frame);
		draw_views(&frame);
		draw_headings(&frame);
		draw_lines(&frame);
	}
	draw_foot(&frame);
	screen_show(&top->text);
}

/* Text for scripts, whose lines are as long as their names. */

void frame_print(struct top *top)
{
	const enum view_kind view = top->choices.view;
	struct bytes *text = &top->text;
	char source[512], counts[256], head[1024], now[16];

	sort(top);
	describe_source(top, source, sizeof(source));
	describe_counts(top, counts, sizeof(counts));
	snprintf(head, sizeof(head), "%s  %s: %s: %s", clock_text(now, sizeof(now)),
		 views[view].name, source, counts);
	text->length = 0;
	if (top->refreshes > 1)
		bytes_put(text, "\n");
	cell_put(text, head, 0, 0);
	bytes_put(text, "\n");
	headings_put(text, view, NO_MARK, 0, 0);
	bytes_put(text, "\n");
	for (size_t i = 0; i < top->lines[view].count; i++) {
		line_put(text, &top->lines[view].items[i], view, 0);
		bytes_put(text, "\n");
	}
	bytes_print(text);
	fflush(stdout);
}

/* Prints the frame as a line of JSON. */

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

	lines_sort(lines, top->choices.sorted[kind], 0);
	json_open(json, views[kind].name, '[');
	for (size_t i = 0; i < lines->count; i++)
		put_line(json, &lines->items[i], kind);
	json_close(json, ']');
}

static void put_activities(struct bytes *json, const struct activities *all)
{
	json_open(json, "activitySums", '{');
	json_count(json, "open", all->pairs.count);
	json_count(json, "ended", all->ended);
	json_count(json, "withoutStart", all->pairs.without_start);
	json_count(json, "restarted", all->pairs.repeated);
	json_count(json, "negative", all->pairs.negative);
	json_count(json, "otherClock", all->pairs.other_clock);
	json_count(json, "leftOut", all->pairs.dropped);
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
