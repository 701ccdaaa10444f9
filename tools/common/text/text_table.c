/* SPDX-License-Identifier: MIT */
/* Aligns the columns of a table. */
#include "text_table.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/memory.h"

#define GAP 2

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

static void add(struct text_table *table, size_t column, const char *text)
{
	size_t count = characters(text), length = strlen(text);
	const int is_long = count > TABLE_CELL_MAX;

	if (is_long) {
		length = bytes_of(text, TABLE_CELL_MAX - 3);
		count = TABLE_CELL_MAX;
	}
	bytes_add(&table->text, text, length);
	bytes_add_text(&table->text, is_long ? "..." : "");
	if (table->width[column] < count)
		table->width[column] = count;
}

void table_column(struct text_table *table, const char *title, int is_right)
{
	const size_t column = table->columns++;

	table->is_right[column] = is_right;
	table->width[column] = 0;
	add(table, column, title);
}

void table_cell(struct text_table *table, const char *text)
{
	add(table, table->cells++ % table->columns, text);
}

void table_cellf(struct text_table *table, const char *format, ...)
{
	va_list arguments;
	char *text;

	va_start(arguments, format);
	text = xvprintf(format, arguments);
	va_end(arguments);
	table_cell(table, text);
	free(text);
}

void table_value(struct text_table *table, const struct value *value)
{
	struct bytes text = { 0 };

	value_put(value, &text);
	bytes_add(&text, "", 1);
	table_cell(table, (const char *)text.at);
	bytes_free(&text);
}

static void put_blanks(struct bytes *to, size_t count)
{
	memset(bytes_room(to, count), ' ', count);
	to->length += count;
}

static void put_cell(const struct text_table *table, size_t column, const char *text,
		     struct bytes *to)
{
	const size_t blanks = table->width[column] - characters(text);
	const int is_last = column + 1 == table->columns;

	if (table->is_right[column])
		put_blanks(to, blanks);
	bytes_add(to, text, strlen(text));
	if (!is_last)
		put_blanks(to, GAP + (table->is_right[column] ? 0 : blanks));
	else
		bytes_add(to, "\n", 1);
}

void table_put(struct text_table *table, struct bytes *to)
{
	const char *text = (const char *)table->text.at;

	for (size_t i = 0; i < table->columns + table->cells; i++) {
		put_cell(table, i % table->columns, text, to);
		text += strlen(text) + 1;
	}
	bytes_free(&table->text);
	*table = (struct text_table){ .columns = 0 };
}
