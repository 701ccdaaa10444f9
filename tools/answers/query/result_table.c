/* SPDX-License-Identifier: MIT */
/*
 * Prints rows in aligned columns. The first rows decide how wide each column is, so that
 * an answer of any length needs little memory; a longer cell moves what follows it.
 */
#include <stdlib.h>
#include <string.h>

#include "common/cli/memory.h"
#include "common/cli/safe_text.h"
#include "result.h"
#include "sql_name.h"

#define ROWS_KEPT 1000
#define BYTES_KEPT ((size_t)1 << 20)
#define WIDTH_MAX 60u

/* Characters of UTF-8, without the bytes that continue one. */
static uint32_t width_of(const char *text, size_t length)
{
	uint32_t width = 0;

	for (size_t i = 0; i < length; i++)
		width += ((uint8_t)text[i] & 0xc0) != 0x80;
	return width;
}

static int columns_of(sqlite3_stmt *statement)
{
	return sqlite3_column_count(statement);
}

/* Keep the text from begin to the end as a cell. */
static void add_cell(struct result *result, size_t begin, int is_number)
{
	char *text = (char *)result->text.at + begin;
	struct cell cell = { .begin = begin, .length = result->text.length - begin };

	controls_blank(text, cell.length);
	cell.width = width_of(text, cell.length);
	cell.is_number = is_number;
	result->cells = xgrow(result->cells, result->cell_count, sizeof(cell));
	result->cells[result->cell_count++] = cell;
}

static void keep_row(struct result *result, sqlite3_stmt *statement)
{
	for (int i = 0; i < columns_of(statement); i++) {
		const int type = sqlite3_column_type(statement, i);
		const size_t begin = result->text.length;

		result_put_text(&result->text, statement, i);
		bytes_add(&result->text, "", 1);
		result->text.length--; /* memory exists also for an empty cell */
		add_cell(result, begin,
			 type == SQLITE_INTEGER || type == SQLITE_FLOAT ? 1 :
			 type == SQLITE_NULL				? -1 :
									  0);
	}
}

/* Names, then rows */

static void pad(struct bytes *out, uint32_t width)
{
	static const char blanks[] = "                                                  "
				     "                                                  ";

	if (width)
		bytes_add(out, blanks,
			  width < sizeof(blanks) - 1 ? width : sizeof(blanks) - 1);
}

static void put_cell(struct result *result, int column, const struct cell *cell,
		     int is_last)
{
	const uint32_t width = result->widths[column];
	const uint32_t missing = cell->width < width ? width - cell->width : 0;

	if (column)
		sql_add(&result->out, "  ");
	if (result->is_right[column])
		pad(&result->out, missing);
	bytes_add(&result->out, result->text.at + cell->begin, cell->length);
	if (!result->is_right[column] && !is_last)
		pad(&result->out, missing);
}

static void put_rows(struct result *result, int columns)
{
	for (size_t i = 0; i < result->cell_count; i++) {
		const int column = (int)(i % (size_t)columns);

		put_cell(result, column, &result->cells[i], column == columns - 1);
		if (column == columns - 1)
			sql_add(&result->out, "\n");
		result_flush(result, BYTES_KEPT);
	}
	result->cell_count = 0;
	result->text.length = 0;
}

/* A column is of numbers if it has one, and nothing else. */
static void lay_out(struct result *result, int columns)
{
	for (int column = 0; column < columns; column++) {
		int numbers = 0, others = 0;
		uint32_t width = 0;

		for (size_t i = (size_t)column; i < result->cell_count;
		     i += (size_t)columns) {
			const struct cell *cell = &result->cells[i];

			if (cell->width > width)
				width = cell->width;
			if (i < (size_t)columns)
				continue; /* the name */
			numbers += cell->is_number == 1;
			others += !cell->is_number;
		}
		result->widths[column] = width < WIDTH_MAX ? width : WIDTH_MAX;
		result->is_right[column] = numbers && !others;
	}
	result->is_laid_out = 1;
}

void result_table_begin(struct result *result, sqlite3_stmt *statement)
{
	const size_t columns = (size_t)columns_of(statement);

	result->widths = xrealloc(result->widths,
				  (columns + 1) * sizeof(*result->widths));
	result->is_right = xrealloc(result->is_right,
				    (columns + 1) * sizeof(*result->is_right));
	result->is_laid_out = 0;
	for (size_t i = 0; i < columns; i++) {
		const char *name = sqlite3_column_name(statement, (int)i);
		const size_t begin = result->text.length;

		bytes_add(&result->text, name, name ? strlen(name) + 1 : 0);
		result->text.length -= !!name;
		add_cell(result, begin, 0);
	}
}

void result_table_row(struct result *result, sqlite3_stmt *statement)
{
	keep_row(result, statement);
	if (!result->is_laid_out && result->rows < ROWS_KEPT &&
	    result->text.length < BYTES_KEPT)
		return;
	if (!result->is_laid_out)
		lay_out(result, columns_of(statement));
	put_rows(result, columns_of(statement));
}

void result_table_end(struct result *result, sqlite3_stmt *statement)
{
	if (!result->is_laid_out)
		lay_out(result, columns_of(statement));
	put_rows(result, columns_of(statement));
}
