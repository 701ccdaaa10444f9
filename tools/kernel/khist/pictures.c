/* SPDX-License-Identifier: MIT */
/* Draws the kernel's counts: as text, JSON, and SVG. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answers/counts/histogram.h"
#include "common/cli/memory.h"
#include "common/text/amount.h"
#include "common/text/text_table.h"
#include "kernel_question.h"

/* Groups whose bars are drawn. */
#define DRAWN_MOST 5u

#define PICTURE_PERCENTILES 4

static const struct picture_percentile {
	const char *name, *title;
	double share;
} picture_percentiles[PICTURE_PERCENTILES] = {
	{ "p50", "P50", 0.5 },
	{ "p90", "P90", 0.9 },
	{ "p99", "P99", 0.99 },
	{ "p99.9", "P99.9", 0.999 },
};

/* Ranges */

static char *number_text(const struct ranges *ranges, uint64_t number)
{
	return ranges->is_signed ? xprintf("%" PRId64, (int64_t)number) :
				   xprintf("%" PRIu64, number);
}

/* The two limits of a range; high is "" if they are, or look, the same. To be freed. */
static void limits(const struct picture *picture, const struct ranges *ranges,
		   const struct range *range, char **low, char **high)
{
	char from[QUANTITY_TEXT_MAX], to[QUANTITY_TEXT_MAX];
	const double unit = picture->nanoseconds;

	if (unit > 0) {
		quantity_text(from, range_low(ranges, range) * unit, UNIT_NS);
		quantity_text(to, range_end(ranges, range) * unit, UNIT_NS);
		*low = xstrdup(from);
		*high = xstrdup(range->low == range->high || !strcmp(from, to) ? "" : to);
		return;
	}
	*low = number_text(ranges, range->low);
	*high = range->low == range->high ? xstrdup("") : number_text(ranges, range->high);
}

/* "200 .. 299", to be freed; of durations "1 ms .. 2 ms", without the second. */
static char *picture_range(const struct picture *picture, const struct ranges *ranges,
			   const struct range *range)
{
	AUTO_FREE char *low, *high;

	limits(picture, ranges, range, &low, &high);
	return xprintf("%s%s%s", low, *high ? " .. " : "", high);
}

static void put_range(const struct picture *picture, const struct ranges *ranges,
		      const char *name, const struct range *range, struct bytes *to)
{
	AUTO_FREE char *text = picture_range(picture, ranges, range);

	bytes_addf(to, "%s %s", name, text);
}

static void put_percentiles(const struct picture *picture, const struct ranges *ranges,
			    struct bytes *to)
{
	for (size_t i = 0; i < PICTURE_PERCENTILES; i++) {
		bytes_addf(to, "%s", i ? "   " : "");
		put_range(picture, ranges, picture_percentiles[i].name,
			  ranges_percentile(ranges, picture_percentiles[i].share), to);
	}
}

static const char *precision(const struct bucket_plan *plan)
{
	return plan->is_relative ? "each is in this range, 1 % wide at most" :
	       plan->kind == HIST_POWER ? "each is in this range, from one power of 2 to the next" :
	       plan->width > 1 ? "each is in this range, one bucket of the kernel" : "exact";
}

static void put_head(const struct picture *picture, const struct ranges *ranges,
		     struct bytes *to)
{
	bytes_addf(to, "  count %" PRIu64 "   ", ranges->total);
	put_range(picture, ranges, "min", &ranges->items[0], to);
	bytes_addf(to, "   ");
	put_range(picture, ranges, "max", &ranges->items[ranges->count - 1], to);
	bytes_addf(to, "\n  ");
	put_percentiles(picture, ranges, to);
	bytes_addf(to, "\n  (%s)\n", precision(picture->plan));
}

/* Bars */

struct labels {
	char *low[COUNT_ROWS_MAX], *high[COUNT_ROWS_MAX];
	int low_width, high_width, count_width;
};

static int wider(int width, const char *text)
{
	return (int)strlen(text) > width ? (int)strlen(text) : width;
}

static void make_labels(const struct picture *picture, const struct ranges *ranges,
			const struct count_rows *rows, struct labels *labels)
{
	*labels = (struct labels){ .low_width = 0 };
	for (size_t i = 0; i < rows->count; i++) {
		limits(picture, ranges, &rows->rows[i], &labels->low[i], &labels->high[i]);
		labels->low_width = wider(labels->low_width, labels->low[i]);
		labels->high_width = wider(labels->high_width, labels->high[i]);
	}
	labels->count_width = snprintf(NULL, 0, "%" PRIu64, rows->most);
}

static int bar_columns(const struct canvas *canvas, int taken)
{
	const int left = canvas->columns - 1 - taken;

	return left < 10 ? 10 : left > 60 ? 60 : left;
}

static void put_bars(const struct picture *picture, const struct ranges *ranges,
		     const struct canvas *canvas, struct bytes *to)
{
	struct count_rows rows;
	struct labels labels;

	count_rows_make(ranges, &rows);
	make_labels(picture, ranges, &rows, &labels);
	for (size_t i = 0; i < rows.count; i++) {
		const int has_high = *labels.high[i] != '\0';

		bytes_addf(to, "  %*s%s%*s  %*" PRIu64, labels.low_width, labels.low[i],
		    has_high ? " .. " : labels.high_width ? "    " : "", labels.high_width,
		    labels.high[i], labels.count_width, rows.rows[i].count);
		bar_put((double)rows.rows[i].count / (double)rows.most,
			bar_columns(canvas, 10 + labels.low_width + labels.high_width +
						    labels.count_width), canvas, to);
		bytes_addf(to, "\n");
		free(labels.low[i]);
		free(labels.high[i]);
	}
}

/* Groups */

static size_t shown(const struct picture *picture)
{
	const size_t count = picture->counts->group_count;

	return count < picture->top ? count : (size_t)picture->top;
}

static size_t by_count(const struct group_counts *counts)
{
	return counts->field_count - counts->first_by;
}

static const char *by_name(const struct picture *picture, size_t i)
{
	if (!picture->counts->first_by)
		return i ? picture->by[i - 1] : picture->field;
	return picture->by[i];
}

static void add_columns(const struct picture *picture, struct text_table *table)
{
	for (size_t i = 0; i < by_count(picture->counts); i++)
		table_column(table, by_name(picture, i), 0);
	table_column(table, "COUNT", 1);
	if (!picture->counts->first_by) {
		table_column(table, "SHARE", 1);
		return;
	}
	table_column(table, "MIN", 1);
	for (size_t i = 0; i < PICTURE_PERCENTILES; i++)
		table_column(table, picture_percentiles[i].title, 1);
	table_column(table, "MAX", 1);
}

static void add_range(const struct picture *picture, const struct ranges *ranges,
		      const struct range *range, struct text_table *table)
{
	AUTO_FREE char *text = picture_range(picture, ranges, range);

	table_cell(table, text);
}

static void add_ranges(const struct picture *picture, const struct ranges *ranges,
		       struct text_table *table)
{
	add_range(picture, ranges, &ranges->items[0], table);
	for (size_t i = 0; i < PICTURE_PERCENTILES; i++)
		add_range(picture, ranges,
			  ranges_percentile(ranges, picture_percentiles[i].share), table);
	add_range(picture, ranges, &ranges->items[ranges->count - 1], table);
}

static void add_group(const struct picture *picture, const struct group_count *group,
		      struct text_table *table)
{
	for (size_t i = 0; i < by_count(picture->counts); i++)
		table_value(table, &group->by[i]);
	table_cellf(table, "%" PRIu64, group->count);
	if (picture->counts->first_by)
		add_ranges(picture, &group->ranges, table);
	else
		table_cellf(table, "%.1f %%",
			    100.0 * (double)group->count / (double)picture->counts->count);
}

static void put_table(const struct picture *picture, struct bytes *to)
{
	const struct group_counts *counts = picture->counts;
	struct text_table table = { .columns = 0 };
	uint64_t rest = counts->count;

	add_columns(picture, &table);
	for (size_t i = 0; i < shown(picture); i++) {
		add_group(picture, &counts->groups[i], &table);
		rest -= counts->groups[i].count;
	}
	table_put(&table, to);
	if (counts->group_count > shown(picture))
		bytes_addf(to, "and %zu more with %" PRIu64 " %ss\n",
			   counts->group_count - shown(picture), rest, picture->noun);
}

/* The values of a group, with names except that of a counted text. */
static void put_by(const struct picture *picture, const struct group_count *group,
		   struct bytes *to)
{
	for (size_t i = 0; i < by_count(picture->counts); i++) {
		bytes_put(to, i ? ", " : "");
		if (picture->counts->first_by || i)
			bytes_addf(to, "%s ", by_name(picture, i));
		value_put(&group->by[i], to);
	}
}

void picture_put(const struct picture *picture, struct bytes *to)
{
	const struct group_counts *counts = picture->counts;
	struct canvas canvas;

	canvas_begin(&canvas);
	bytes_addf(to, "%s: %" PRIu64 " %s%s in %.1f s, counted by the kernel\n",
		   picture->title, counts->count, picture->noun,
		   counts->count == 1 ? "" : "s", picture->seconds);
	if (picture->dropped)
		bytes_addf(to,
			   "  %" PRIu64
			   " DROPPED, so the rest is about the others alone\n",
			   picture->dropped);
	if (counts->count && counts->first_by) {
		put_head(picture, &counts->sum, to);
		bytes_addf(to, "\n");
		put_bars(picture, &counts->sum, &canvas, to);
	}
	if (!counts->count || (counts->first_by && counts->field_count == 1))
		return;
	bytes_addf(to, "\n");
	put_table(picture, to);
	for (size_t i = 0; counts->first_by && i < shown(picture) && i < DRAWN_MOST; i++) {
		bytes_put(to, "\n");
		put_by(picture, &counts->groups[i], to);
		bytes_put(to, ":\n");
		put_bars(picture, &counts->groups[i].ranges, &canvas, to);
	}
}

void picture_put_line(const struct picture *picture, struct bytes *to)
{
	const struct group_counts *counts = picture->counts;

	bytes_addf(to, "%.1f s   count %" PRIu64, picture->seconds, counts->count);
	if (picture->dropped)
		bytes_addf(to, "   DROPPED %" PRIu64, picture->dropped);
	if (counts->count && counts->first_by) {
		bytes_addf(to, "   ");
		put_percentiles(picture, &counts->sum, to);
	}
	bytes_addf(to, "\n");
}

/* Writes the kernel's counts as JSON. */

static void add_limit(const struct ranges *ranges, const char *key, uint64_t number,
		      struct bytes *json)
{
	const struct value value = {
		.type = ranges->is_signed ? VALUE_SIGNED : VALUE_UNSIGNED,
		.whole = (int64_t)number,
	};

	json_value(json, key, &value);
}

/* The number behind a range, as of hist; it may be one more than 64 bits can hold. */
static void add_end(const struct ranges *ranges, const char *key, uint64_t high,
		    struct bytes *json)
{
	static const char *const ends[] = { "18446744073709551616", "9223372036854775808" };

	if (high == (ranges->is_signed ? (uint64_t)INT64_MAX : UINT64_MAX))
		json_raw(json, key, ends[ranges->is_signed], strlen(ends[ranges->is_signed]));
	else
		add_limit(ranges, key, high + 1, json);
}

static void add_percentile(const struct ranges *ranges,
			   const struct picture_percentile *percentile, struct bytes *json)
{
	const struct range *range = ranges_percentile(ranges, percentile->share);
	char key[20];

	snprintf(key, sizeof(key), "%sError", percentile->name);
	if (range->low == range->high) {
		add_limit(ranges, percentile->name, range->low, json);
		json_count(json, key, 0);
		return;
	}
	/* a double of this size is rounded, perhaps to a number outside of the range */
	if (fabs(range_low(ranges, range)) >= 0x1p53)
		add_limit(ranges, percentile->name,
			  range->low + (range->high - range->low) / 2, json);
	else
		json_float(json, percentile->name,
			   range_low(ranges, range) + range_error(range));
	json_float(json, key, range_error(range));
}

static void add_json_ranges(const struct ranges *ranges, struct bytes *json)
{
	if (ranges->count) {
		add_limit(ranges, "min", ranges->items[0].low, json);
		add_limit(ranges, "max", ranges->items[ranges->count - 1].high, json);
		for (size_t i = 0; i < PICTURE_PERCENTILES; i++)
			add_percentile(ranges, &picture_percentiles[i], json);
	}
	json_open(json, "buckets", '[');
	for (size_t i = 0; i < ranges->count; i++) {
		json_open(json, NULL, '{');
		add_limit(ranges, "low", ranges->items[i].low, json);
		add_end(ranges, "high", ranges->items[i].high, json);
		json_count(json, "count", ranges->items[i].count);
		json_close(json, '}');
	}
	json_close(json, ']');
}

static void add_json_group(const struct picture *picture, const struct group_count *group,
		      struct bytes *json)
{
	const struct group_counts *counts = picture->counts;
	const size_t by = counts->first_by ? 0 : 1;

	json_open(json, NULL, '{');
	if (by)
		json_value(json, "value", &group->by[0]);
	if (counts->field_count > 1) {
		json_open(json, "by", '{');
		for (size_t i = 0; i + 1 < counts->field_count; i++)
			json_value(json, picture->by[i], &group->by[by + i]);
		json_close(json, '}');
	}
	json_count(json, "count", group->count);
	if (!by)
		add_json_ranges(&group->ranges, json);
	json_close(json, '}');
}

void picture_json(const struct picture *picture, struct bytes *json)
{
	const struct group_counts *counts = picture->counts;

	json_float(json, "seconds", picture->seconds);
	json_count(json, "count", counts->count);
	if (counts->first_by)
		add_json_ranges(&counts->sum, json);
	if (counts->first_by && counts->field_count == 1)
		return;
	json_open(json, counts->first_by ? "groups" : "values", '[');
	for (size_t i = 0; i < counts->group_count; i++)
		add_json_group(picture, &counts->groups[i], json);
	json_close(json, ']');
}

/* Draws the kernel's counts as a file of SVG, which loads nothing. */

#define WIDTH 800
#define MARGIN 16
#define LINE 20
#define LABEL_WIDTH 260 /* labels end here */
#define BAR_WIDTH 420
#define LABEL_MOST 36u /* characters */
struct drawing {
	struct bytes body;
	int y; /* of the next line */
};

static void put_text(struct drawing *drawing, const char *class, const char *text,
		     size_t length)
{
	bytes_addf(&drawing->body, "<text class=\"%s\" x=\"%d\" y=\"%d\">", class, MARGIN,
		   drawing->y + 14);
	markup_text(&drawing->body, text, length);
	bytes_put(&drawing->body, "</text>\n");
	drawing->y += LINE;
}

static void put_row(struct drawing *drawing, const char *label, size_t length,
		    uint64_t count, uint64_t most)
{
	const double width = most ? (double)count / (double)most * BAR_WIDTH : 0;
	struct bytes *body = &drawing->body;

	bytes_addf(body, "<g class=\"row\"><text class=\"label\" x=\"%d\" y=\"%d\">",
		   LABEL_WIDTH, drawing->y + 14);
	markup_short(body, label, length, LABEL_MOST);
	bytes_put(body, "</text>");
	if (count)
		bytes_addf(body, "<rect x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%d\"/>",
			   LABEL_WIDTH + 8, drawing->y + 2, width < 1 ? 1 : width,
			   LINE - 4);
	bytes_addf(body,
		   "<text class=\"count\" x=\"%.1f\" y=\"%d\">%" PRIu64 "</text></g>\n",
		   LABEL_WIDTH + 14 + width, drawing->y + 14, count);
	drawing->y += LINE;
}

static void put_rows(const struct picture *picture, const struct ranges *ranges,
		     struct drawing *drawing)
{
	struct count_rows rows;

	count_rows_make(ranges, &rows);
	for (size_t i = 0; i < rows.count; i++) {
		AUTO_FREE char *label = picture_range(picture, ranges, &rows.rows[i]);

		put_row(drawing, label, strlen(label), rows.rows[i].count, rows.most);
	}
	drawing->y += LINE / 2;
}

static void draw_ranges(const struct picture *picture, const struct ranges *ranges,
			struct drawing *drawing)
{
	AUTO(bytes_free) struct bytes line = { .length = 0 };

	put_percentiles(picture, ranges, &line);
	put_text(drawing, "note", (const char *)line.at, line.length);
	put_rows(picture, ranges, drawing);
}

static void put_group(const struct picture *picture, const struct group_count *group,
		      struct drawing *drawing)
{
	AUTO(bytes_free) struct bytes line = { .length = 0 };

	put_by(picture, group, &line);
	if (picture->counts->first_by) {
		put_text(drawing, "title", (const char *)line.at, line.length);
		draw_ranges(picture, &group->ranges, drawing);
	} else {
		put_row(drawing, (const char *)line.at, line.length, group->count,
			picture->counts->groups[0].count);
	}
}

static void put_body(const struct picture *picture, struct drawing *drawing)
{
	const struct group_counts *counts = picture->counts;
	const int is_divided = counts->field_count > 1 || !counts->first_by;
	size_t groups = !is_divided	 ? 0 :
			counts->first_by ? DRAWN_MOST :
					   (size_t)picture->top;

	put_text(drawing, "title", picture->title, strlen(picture->title));
	if (!counts->count)
		put_text(drawing, "note", "none", strlen("none"));
	else if (counts->first_by)
		draw_ranges(picture, &counts->sum, drawing);
	for (size_t i = 0; i < counts->group_count && i < groups; i++)
		put_group(picture, &counts->groups[i], drawing);
}

void picture_svg(const struct picture *picture, struct bytes *svg)
{
	struct drawing drawing = { .y = MARGIN };

	put_body(picture, &drawing);
	bytes_addf(svg,
		   "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
		   "viewBox=\"0 0 %d %d\">\n<title>",
		   WIDTH, drawing.y + MARGIN, WIDTH, drawing.y + MARGIN);
	markup_string(svg, picture->title);
	bytes_put(
		svg,
		"</title>\n<style>text{font:13px sans-serif;fill:#222}.title{font-weight:"
		"bold}.label{text-anchor:end}.note,.count{fill:#666}rect{fill:#3b78b5}"
		"</style>\n<rect width=\"100%\" height=\"100%\" style=\"fill:#fff\"/>\n");
	bytes_add(svg, drawing.body.at, drawing.body.length);
	bytes_put(svg, "</svg>\n");
	bytes_free(&drawing.body);
}
