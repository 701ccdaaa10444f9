/* SPDX-License-Identifier: MIT */
/* Aligns the columns of a table. */
#include "text_table.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/memory.h"
#include "common/cli/program.h"

#define GAP 2
#define CUT_FAIR 20u /* characters of a text that matter more than columns with a rank */
#define CUT_LEAST 8u /* characters that are left of a text */
#define ELLIPSIS "\xe2\x80\xa6"

static int is_first_byte(char byte)
{
	return ((unsigned char)byte & 0xc0) != 0x80;
}

static size_t characters(const char *text)
{
	size_t count = 0;

	for (; *text; text++)
		count += (size_t)is_first_byte(*text);
	return count;
}

/* How many bytes so many characters have. */
static size_t bytes_of(const char *text, size_t count)
{
	size_t length = 0;

	while (text[length] && (count || !is_first_byte(text[length])))
		count -= (size_t)is_first_byte(text[length++]);
	return length;
}

static void widen(struct text_table *table, size_t width)
{
	struct table_column *column = &table->column[table->cells % table->columns];

	if (table->has_whole_cells && width > TABLE_WIDTH_MAX)
		width = TABLE_WIDTH_MAX;
	if (column->width < width)
		column->width = column->whole = width;
}

void table_cell(struct text_table *table, const char *text)
{
	const size_t count = characters(text);
	const int is_long = count > TABLE_CELL_MAX && !table->has_whole_cells;

	bytes_add(&table->text, text,
		  is_long ? bytes_of(text, TABLE_CELL_MAX - 3) : strlen(text));
	bytes_add_text(&table->text, is_long ? "..." : "");
	if (!table->is_laid_out)
		widen(table, is_long ? TABLE_CELL_MAX : count);
	table->cells++;
}

void table_column(struct text_table *table, const char *title, int is_right)
{
	table->column = xgrow(table->column, table->columns, sizeof(*table->column));
	table->column[table->columns++] = (struct table_column){ .is_right = is_right };
	table_cell(table, title);
}

void table_column_rank(struct text_table *table, const char *title, int is_right, int rank)
{
	table_column(table, title, is_right);
	table->column[table->columns - 1].rank = rank;
}

void table_cellf(struct text_table *table, const char *format, ...)
{
	va_list arguments;
	AUTO_FREE char *text;

	va_start(arguments, format);
	text = xvprintf(format, arguments);
	va_end(arguments);
	table_cell(table, text);
}

void table_value(struct text_table *table, const struct value *value)
{
	AUTO(bytes_free) struct bytes text = { 0 };

	value_put(value, &text);
	bytes_add(&text, "", 1);
	table_cell(table, (const char *)text.at);
}

void blanks_put(struct bytes *to, size_t count)
{
	memset(bytes_room(to, count), ' ', count);
	to->length += count;
}

static int is_left_out(const struct text_table *table, const struct table_column *column)
{
	return column->rank && column->rank <= table->ranks_left_out;
}

/* Whether it is the last one that is shown. */
static int is_last(const struct text_table *table, size_t at)
{
	while (++at < table->columns)
		if (!is_left_out(table, &table->column[at]))
			return 0;
	return 1;
}

static void put_cell(const struct text_table *table, size_t at, const char *text,
		     struct bytes *to)
{
	const struct table_column *column = &table->column[at];
	const size_t count = characters(text);
	const size_t blanks = count < column->width ? column->width - count : 0;
	const int is_cut = column->is_cut && count > column->width;

	if (column->is_right > 0)
		blanks_put(to, blanks);
	bytes_add(to, text, is_cut ? bytes_of(text, column->width - 1) : strlen(text));
	bytes_put(to, is_cut ? ELLIPSIS : "");
	if (is_last(table, at))
		bytes_add(to, "\n", 1);
	else
		blanks_put(to, GAP + (column->is_right > 0 ? 0 : blanks));
}

static size_t width_of(const struct text_table *table)
{
	size_t width = 0;

	for (size_t i = 0; i < table->columns; i++)
		if (!is_left_out(table, &table->column[i]))
			width += table->column[i].width + (i ? GAP : 0);
	return width;
}

/*
 * The widest column of text that can be narrower, but the first one, by which rows are known,
 * last; NULL: there is none.
 */
static struct table_column *widest(const struct text_table *table, size_t least)
{
	struct table_column *widest = NULL;

	for (size_t i = 1; i <= table->columns; i++) {
		struct table_column *column = &table->column[i % table->columns];

		if (i == table->columns && widest)
			break;
		if (column->is_right <= 0 && column->width > least &&
		    (!widest || column->width > widest->width))
			widest = column;
	}
	return widest;
}

static void cut(struct text_table *table, size_t room, size_t least)
{
	struct table_column *column;

	while (width_of(table) > room && (column = widest(table, least))) {
		column->width--;
		column->is_cut = 1;
	}
}

static int last_rank(const struct text_table *table)
{
	int rank = 0;

	for (size_t i = 0; i < table->columns; i++)
		if (table->column[i].rank > rank)
			rank = table->column[i].rank;
	return rank;
}

static void restore(struct text_table *table)
{
	for (size_t i = 0; i < table->columns; i++) {
		table->column[i].width = table->column[i].whole;
		table->column[i].is_cut = 0;
	}
}

/* Leave out columns if text would be cut too short; the others share the free space. */
static void fit(struct text_table *table)
{
	const size_t room = (size_t)output_columns();

	if (!room)
		return;
	cut(table, room, CUT_FAIR);
	while (width_of(table) > room && table->ranks_left_out < last_rank(table))
		table->ranks_left_out++;
	restore(table);
	cut(table, room, CUT_FAIR);
	cut(table, room, CUT_LEAST);
}

/* A sentence, which breaks between titles. */
static void put_left_out(const struct text_table *table, const char *titles, struct bytes *to)
{
	const size_t room = (size_t)output_columns();
	const char *title = titles;
	size_t line = 0;

	for (size_t i = 0; i < table->columns; i++, title += strlen(title) + 1) {
		const size_t width = strlen(" ,") + characters(title);

		if (!is_left_out(table, &table->column[i]))
			continue;
		bytes_put(to, line ? "," : "No room for");
		line += width + (line ? 0 : strlen("No room for"));
		bytes_put(to, line > room ? "\n" : " ");
		line = line > room ? width - 1 : line;
		bytes_put(to, title);
	}
	bytes_put(to, line ? ".\n" : "");
}

void table_put_rows(struct text_table *table, struct bytes *to)
{
	const char *text = (const char *)table->text.at;

	if (!table->is_laid_out)
		fit(table);
	for (size_t i = 0; i < table->cells; i++) {
		if (!is_left_out(table, &table->column[i % table->columns]))
			put_cell(table, i % table->columns, text, to);
		text += strlen(text) + 1;
	}
	if (!table->is_laid_out)
		put_left_out(table, (const char *)table->text.at, to);
	table->is_laid_out = 1;
	table->cells = table->text.length = 0;
}

void table_clear(struct text_table *table)
{
	bytes_free(&table->text);
	free(table->column);
	*table = (struct text_table){ .columns = 0 };
}

void table_put(struct text_table *table, struct bytes *to)
{
	table_put_rows(table, to);
	table_clear(table);
}
