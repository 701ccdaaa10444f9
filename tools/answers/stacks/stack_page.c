/* SPDX-License-Identifier: MIT */
/*
 * Draws stacks as an icicle: the outermost functions are on top, and each is as wide as the
 * events that came from it.
 */
#include "stack_tally.h"

#include <stdlib.h>
#include <string.h>

#include "common/cli/memory.h"
#include "common/text/amount.h"
#include "common/text/text_table.h"

#define ROW_HEIGHT 19 /* pixels */
#define ROWS_MOST 64u
#define BOXES_MOST 4000u
/* Narrower boxes show nothing. */
#define SHARE_LEAST 0.001

struct picture {
	const struct stack_tally *tally;
	struct bytes *out;
	uint32_t boxes;
	uint32_t rows;
};

/* Lines with a common beginning are neighbours. */
static int by_line(const void *a, const void *b)
{
	return strcmp(((const struct stack_group *)a)->line, ((const struct stack_group *)b)->line);
}

/* One colour for each name. */
static unsigned int colour_of(const char *name, size_t length)
{
	unsigned int sum = 0;

	while (length--)
		sum = sum * 31 + (unsigned char)*name++;
	return sum % 7;
}

static void put_box(struct picture *picture, const char *name, size_t length, uint32_t row,
		    uint64_t begin, uint64_t count)
{
	const double all = (double)picture->tally->events;
	struct bytes *out = picture->out;

	bytes_addf(out, "<div class=\"c%u\" style=\"left:%.3f%%;width:%.3f%%;top:%upx\" title=\"",
		   colour_of(name, length), 100 * (double)begin / all,
		   100 * (double)count / all, row * ROW_HEIGHT);
	markup_text(out, name, length);
	bytes_addf(out, ", %s, %.1f%%\">", counted(count, "event"), 100 * (double)count / all);
	markup_short(out, name, length, 80);
	bytes_put(out, "</div>\n");
	picture->boxes++;
	if (picture->rows <= row)
		picture->rows = row + 1;
}

/* Whether a line has the same part at a place as the first one. */
static int is_same(const struct stack_group *group, const struct stack_group *first, size_t at,
		   size_t length)
{
	return !strncmp(group->line + at, first->line + at, length) &&
	       (group->line[at + length] == ';' || !group->line[at + length]);
}

/* Groups from first to end have the same line up to a place, and go on there. */
static void draw(struct picture *picture, uint32_t first, uint32_t end, size_t at, uint32_t row,
		 uint64_t begin)
{
	const struct stack_group *groups = picture->tally->groups;

	while (first < end) {
		const size_t length = strcspn(groups[first].line + at, ";");
		uint32_t next = first, inner = first;
		uint64_t count = 0;

		for (; next < end && is_same(&groups[next], &groups[first], at, length); next++) {
			count += groups[next].count;
			inner += !groups[next].line[at + length];
		}
		if ((double)count >= SHARE_LEAST * (double)picture->tally->events &&
		    picture->boxes < BOXES_MOST && row < ROWS_MOST) {
			put_box(picture, groups[first].line + at, length, row, begin, count);
			draw(picture, inner, next, at + length + 1, row + 1, begin);
		}
		begin += count;
		first = next;
	}
}

static void put_advice(const struct stack_tally *tally, struct bytes *to)
{
	AUTO_FREE char *advice = short_stacks_text(&tally->short_stacks);

	if (advice) {
		bytes_put(to, "<p class=\"warn\">");
		markup_text(to, advice, strlen(advice));
		bytes_put(to, "</p>\n");
	}
}

void stack_tally_put_page(struct stack_tally *tally, struct bytes *to)
{
	struct bytes boxes = { 0 };
	struct picture picture = { .tally = tally, .out = &boxes };

	if (!tally->events)
		return;
	key_table_free(&tally->by_line); /* the groups move */
	if (tally->count)
		qsort(tally->groups, tally->count, sizeof(*tally->groups), by_line);
	draw(&picture, 0, tally->count, 0, 0, 0);
	bytes_put(to, "<section>\n<h2 id=\"stacks\">Stacks</h2>\n<p class=\"mute\">");
	bytes_addf(to, "%s with ", counted(tally->events, "event"));
	bytes_addf(to, "%s", counted(tally->count, "different stack"));
	if (tally->without)
		bytes_addf(to, "; %s without", counted(tally->without, "event"));
	bytes_addf(to, ". The program is on top, and below each function those that it called; "
		   "a box is as wide as the events that came from there.</p>\n"
		   "<div class=\"flame\" style=\"height:%upx\">\n", picture.rows * ROW_HEIGHT);
	bytes_add(to, boxes.at, boxes.length);
	bytes_put(to, "</div>\n");
	if (tally->others)
		bytes_addf(to, "<p class=\"warn\">%s left out, as there are too many "
			   "stacks.</p>\n", counted(tally->others, "event"));
	put_advice(tally, to);
	bytes_put(to, "</section>\n");
	bytes_free(&boxes);
}
