/* SPDX-License-Identifier: MIT */
/* Draws the kernel's counts as a file of SVG, which loads nothing. */
#include "kernel_question.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "kernel_counts.h"
#include "common/cli/memory.h"
#include "common/text/text_table.h"

#define WIDTH 800
#define MARGIN 16
#define LINE 20
#define LABEL_WIDTH 260 /* labels end here */
#define BAR_WIDTH 420
#define LABEL_MOST 36u /* characters */
/* Groups with bars of their own. */
#define DRAWN_MOST 5u

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

static void put_percentiles(const struct picture *picture, const struct ranges *ranges,
			    struct drawing *drawing)
{
	AUTO(bytes_free) struct bytes line = { .length = 0 };

	for (size_t i = 0; i < PICTURE_PERCENTILES; i++) {
		AUTO_FREE char *text = picture_range(
			picture, ranges,
			ranges_percentile(ranges, picture_percentiles[i].share));

		bytes_put(&line, i ? "   " : "");
		bytes_put(&line, picture_percentiles[i].name);
		bytes_put(&line, " ");
		bytes_put(&line, text);
	}
	put_text(drawing, "note", (const char *)line.at, line.length);
}

static void put_by(const struct picture *picture, const struct group_count *group,
		   struct bytes *line)
{
	const struct group_counts *counts = picture->counts;

	for (size_t i = 0; i < counts->field_count - counts->first_by; i++) {
		bytes_put(line, i ? ", " : "");
		if (counts->first_by || i) {
			bytes_put(line, picture->by[i - !counts->first_by]);
			bytes_put(line, " ");
		}
		value_put(&group->by[i], line);
	}
}

static void put_group(const struct picture *picture, const struct group_count *group,
		      struct drawing *drawing)
{
	AUTO(bytes_free) struct bytes line = { .length = 0 };

	put_by(picture, group, &line);
	if (picture->counts->first_by) {
		put_text(drawing, "title", (const char *)line.at, line.length);
		put_percentiles(picture, &group->ranges, drawing);
		put_rows(picture, &group->ranges, drawing);
	} else {
		put_row(drawing, (const char *)line.at, line.length, group->count,
			picture->counts->groups[0].count);
	}
}

static void put_body(const struct picture *picture, struct drawing *drawing)
{
	const struct group_counts *counts = picture->counts;
	const int is_divided = counts->field_count > 1 || !counts->first_by;
	size_t groups = !is_divided ? 0 : counts->first_by ? DRAWN_MOST : (size_t)picture->top;

	put_text(drawing, "title", picture->title, strlen(picture->title));
	if (!counts->count)
		put_text(drawing, "note", "none", strlen("none"));
	else if (counts->first_by) {
		put_percentiles(picture, &counts->sum, drawing);
		put_rows(picture, &counts->sum, drawing);
	}
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
