/* SPDX-License-Identifier: MIT */
/* Finds rows by key. */
#include "top.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/memory.h"
#include "common/cli/message.h"
#include "common/text/text_table.h"

static struct row *add(struct table *table, uint64_t key)
{
	struct row *row = xcalloc(1, sizeof(*row));

	row->key = key;
	row->name = xstrdup(key == OTHERS_KEY ? OTHERS : "");
	table->rows = xgrow(table->rows, table->count, sizeof(*table->rows));
	table->rows[table->count] = row;
	key_table_add(&table->by_key, key, table->count++);
	return row;
}

struct row *table_find(struct table *table, uint64_t key)
{
	const uint32_t found = key_table_find(&table->by_key, key);

	if (found != KEY_UNKNOWN)
		return table->rows[found];
	if (table->count >= TABLE_ROWS_MAX - 1 && key != OTHERS_KEY)
		return table_find(table, OTHERS_KEY);
	return add(table, key);
}

void row_set_name(struct row *row, const char *name)
{
	char *safe;

	if (row->key == OTHERS_KEY || !strcmp(row->name, name))
		return;
	safe = xstrdup(name);
	controls_blank(safe, strlen(safe));
	free(row->name);
	row->name = safe;
}

void table_refresh(struct table *table, double seconds)
{
	for (uint32_t i = 0; i < table->count; i++) {
		struct row *row = table->rows[i];

		row->rate = seconds > 0 ? (double)(row->events - row->before) / seconds : 0;
		row->before = row->events;
	}
}

void table_free(struct table *table)
{
	for (uint32_t i = 0; i < table->count; i++) {
		free(table->rows[i]->name);
		free(table->rows[i]);
	}
	free(table->rows);
	key_table_free(&table->by_key);
	*table = (struct table){ 0 };
}

/* Aligns the cells of a table. */

/* Cells */

/* The bytes of the UTF-8 character that text begins with; 0 if it is none, or a control. */
static size_t character_length(const unsigned char *text)
{
	const size_t length = text[0] < 0x80 ? 1 : text[0] >= 0xf0 ? 4 : text[0] >= 0xe0 ? 3 : 2;

	if (text[0] < ' ' || text[0] == 0x7f || (text[0] >= 0x80 && text[0] < 0xc2) ||
	    text[0] > 0xf4)
		return 0;
	for (size_t i = 1; i < length; i++)
		if ((text[i] & 0xc0) != 0x80)
			return 0;
	return text[0] == 0xc2 && text[1] < 0xa0 ? 0 : length;
}

static size_t count_characters(const char *text)
{
	size_t count = 0;

	for (; *text; count++) {
		const size_t length = character_length((const unsigned char *)text);

		text += length ? length : 1;
	}
	return count;
}

void cell_put(struct bytes *to, const char *text, size_t width, int is_right)
{
	const size_t count = count_characters(text);
	const size_t shown = width && count > width ? width : count;

	if (is_right && width)
		blanks_put(to, width - shown);
	for (size_t i = 0; i < shown; i++) {
		const size_t length = character_length((const unsigned char *)text);

		bytes_add(to, length ? text : "?", length ? length : 1);
		text += length ? length : 1;
	}
	if (!is_right && width)
		blanks_put(to, width - shown);
}

/* Figures */

static void bytes_text(char *text, size_t size, double bytes)
{
	static const char *const units[] = { "", "K", "M", "G", "T", "P", NULL };
	const char *const *unit = units;

	for (; bytes >= 10240 && unit[1]; unit++)
		bytes /= 1024;
	snprintf(text, size, "%.0f%s", bytes, *unit);
}

void figure_text(char text[QUANTITY_TEXT_MAX], double figure, enum figure_kind kind)
{
	if (isnan(figure))
		strcpy(text, "-");
	else if (kind == FIGURE_NANOSECONDS)
		quantity_text(text, figure, UNIT_NS);
	else if (kind == FIGURE_BYTES)
		bytes_text(text, QUANTITY_TEXT_MAX, figure);
	else
		snprintf(text, QUANTITY_TEXT_MAX,
			 kind == FIGURE_RATE && figure > 0 && figure < 100 ? "%.1f" : "%.0f",
			 figure);
}

/* Lines */

/* Text that is cut off in no line: its columns are those that are left. */
static void put_last(struct bytes *to, size_t begin, const char *text, size_t width)
{
	const size_t used = to->length - begin; /* figures and headings are ASCII */

	if (!width)
		cell_put(to, text, 0, 0);
	else if (used < width)
		cell_put(to, text, width - used, 0);
	else
		to->length = begin + width;
}

void headings_put(struct bytes *to, enum view_kind view, int sorted, int reverse,
		  size_t width)
{
	const char *mark = reverse ? "<" : ">";
	const size_t begin = to->length;
	char text[64];

	for (int i = 0; views[view].columns[i].title; i++) {
		const struct column *column = &views[view].columns[i];

		snprintf(text, sizeof(text), "%s%s", column->title, i == sorted ? mark : "");
		cell_put(to, text, (size_t)column->width + 1, 1);
		blanks_put(to, 1);
	}
	snprintf(text, sizeof(text), "%s%s", views[view].title, sorted == -1 ? mark : "");
	put_last(to, begin, text, width);
}

void line_put(struct bytes *to, const struct line *line, enum view_kind view, size_t width)
{
	const size_t begin = to->length;
	char text[QUANTITY_TEXT_MAX];

	for (int i = 0; views[view].columns[i].title; i++) {
		const struct column *column = &views[view].columns[i];

		figure_text(text, line->figures[i], column->kind);
		cell_put(to, text, (size_t)column->width + 1, 1);
		blanks_put(to, 1);
	}
	put_last(to, begin, line->text, width);
}

/* Counts activities by the events that start them. */

#define KINDS_LEAST 64u

/* Rows */

static struct activity_row *add_row(struct activities *activities, const char *name)
{
	struct activity_row *row = xcalloc(1, sizeof(*row));

	row->name = name;
	activities->rows = xgrow(activities->rows, activities->count, sizeof(row));
	activities->rows[activities->count++] = row;
	return row;
}

static void make_room_for_kind(struct activities *activities, uint32_t number)
{
	uint32_t count = activities->kind_count;

	if (number < count)
		return;
	while (number >= count)
		count = count ? count * 2 : KINDS_LEAST;
	activities->by_kind = xrealloc(activities->by_kind,
				       count * sizeof(*activities->by_kind));
	memset(activities->by_kind + activities->kind_count, 0,
	       (count - activities->kind_count) * sizeof(*activities->by_kind));
	activities->kind_count = count;
}

static struct activity_row *row_of(struct activities *activities,
				   const struct event_kind *kind)
{
	uint32_t *index;

	make_room_for_kind(activities, kind->event);
	index = &activities->by_kind[kind->event];
	if (!*index && activities->count < ACTIVITY_STARTS_MAX) {
		add_row(activities, activities->count == ACTIVITY_STARTS_MAX - 1 ?
						  OTHERS : kind->shown);
		*index = activities->count;
	} else if (!*index) {
		*index = ACTIVITY_STARTS_MAX;
	}
	return activities->rows[*index - 1];
}

/* Events */

static void leave(void *context, struct open_start *start, enum pair_fate fate)
{
	(void)context;
	if (fate != START_ENDED && fate != START_FREED)
		((struct open_activity *)start->data)->row->open--;
}

static void add_start(struct activities *activities, const struct event *event,
		      struct open_activity *activity)
{
	activity->row = row_of(activities, event->kind);
	activity->row->open++;
	activity->pid = event->record->sample.pid;
	activity->tid = event->record->sample.tid;
}

static void add_end(struct activities *activities, const struct open_activity *activity,
		    int64_t nanoseconds)
{
	histogram_add_whole(&activity->row->durations, nanoseconds);
	activity->row->open--;
	activity->row->ended++;
	activities->ended++;
}

void activity_table_take(struct activities *activities, struct event *event)
{
	struct pairs *pairs = &activities->pairs;
	struct pair pair;

	pairs->data_size = sizeof(struct open_activity);
	pairs->leave = leave;
	if (!pairs_take(pairs, event, &pair))
		return;
	activities->is_wall_clock = !!event->record->sample.is_wall_clock;
	if (pair.ended)
		add_end(activities, (struct open_activity *)pair.ended->data,
			pair.nanoseconds);
	if (pair.opened)
		add_start(activities, event, (struct open_activity *)pair.opened->data);
}

void activity_table_refresh(struct activities *activities, double seconds)
{
	for (uint32_t i = 0; i < activities->count; i++) {
		struct activity_row *row = activities->rows[i];

		row->rate = seconds > 0 ? (double)(row->ended - row->before) / seconds : 0;
		row->before = row->ended;
	}
}

void activity_table_free(struct activities *activities)
{
	pairs_free(&activities->pairs);
	for (uint32_t i = 0; i < activities->count; i++) {
		histogram_free(&activities->rows[i]->durations);
		free(activities->rows[i]);
	}
	free(activities->rows);
	free(activities->by_kind);
	*activities = (struct activities){ 0 };
}
