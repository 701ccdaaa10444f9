/* SPDX-License-Identifier: MIT */
/* Prints rows as JSON and CSV, and values as text. */
#include "statements.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <userevents/decode/render.h>

#include "common/cli/memory.h"
#include "common/cli/message.h"
#include "common/cli/options.h"
#include "event_tables.h"

#define FLUSH_AT ((size_t)64 << 10)

int result_format_parse(const char *text, enum result_format *format)
{
	static const struct {
		const char *name;
		enum result_format format;
	} formats[] = {
		{ "text", RESULT_TEXT },
		{ "json", RESULT_JSON },
		{ "jsonl", RESULT_JSONL },
		{ "csv", RESULT_CSV },
	};
	const size_t count = sizeof(formats) / sizeof(formats[0]);
	const char *near = nearest(text, formats, count, sizeof(formats[0]));

	for (size_t i = 0; i < count; i++) {
		*format = formats[i].format;
		if (!strcmp(text, formats[i].name))
			return 0;
	}
	message("cannot print as \"%s\": no such format; %s%s%s", text,
		near ? "did you mean \"" : "", near ? near : "there are text, json, "
		"jsonl and csv", near ? "\"?" : "");
	return -1;
}

static void result_flush(struct result *result, size_t more_than)
{
	if (result->out.length <= more_than)
		return;
	bytes_print(&result->out);
	result->out.length = 0;
}

/* Values */

/* As the library shows it: in text, or in JSON. */
static void put_value(struct bytes *to, const struct ue_value *value, int is_json)
{
	const size_t room = 2 * (size_t)value->length + 64;
	ptrdiff_t length;

	length = is_json ? ue_value_to_json(value, bytes_room(to, room), room) :
			   ue_value_to_text(value, 0, bytes_room(to, room), room);
	if (length >= (ptrdiff_t)room) {
		const size_t more = (size_t)length + 1;

		length = is_json ? ue_value_to_json(value, bytes_room(to, more), more) :
				   ue_value_to_text(value, 0, bytes_room(to, more), more);
	}
	to->length += length > 0 ? (size_t)length : 0;
}

static void put_bytes(struct bytes *to, const void *bytes, size_t length, int encoding,
		      int is_json)
{
	const struct ue_value value = {
		.bytes = bytes ? bytes : (const uint8_t *)"",
		.length = (uint32_t)length,
		.encoding = (uint8_t)encoding,
	};

	put_value(to, &value, is_json);
}

static void put_real(struct bytes *to, double number, int is_json)
{
	const struct ue_value value = {
		.bytes = (const uint8_t *)&number,
		.length = sizeof(number),
		.encoding = UE_ENCODING_VALUE64,
		.format = UE_FORMAT_FLOAT,
		.big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__,
	};

	put_value(to, &value, is_json);
}

/* A number from 2^63 on has no blank in front. */
static void put_text(struct bytes *to, const char *text, size_t length, int is_json)
{
	uint64_t number;
	const int is_padded = text && *text == ' ' && !wide_number_parse(text, length, &number);

	put_bytes(to, text + is_padded, length - (size_t)is_padded, UE_ENCODING_ZSTRING_CHAR8,
		  is_json);
}

static void put_column(struct bytes *to, sqlite3_stmt *statement, int column, int is_json)
{
	char digits[24];

	switch (sqlite3_column_type(statement, column)) {
	case SQLITE_NULL:
		sql_add(to, "null");
		break;
	case SQLITE_INTEGER:
		snprintf(digits, sizeof(digits), "%lld",
			 (long long)sqlite3_column_int64(statement, column));
		sql_add(to, digits);
		break;
	case SQLITE_FLOAT:
		put_real(to, sqlite3_column_double(statement, column), is_json);
		break;
	case SQLITE_BLOB:
		put_bytes(to, sqlite3_column_blob(statement, column),
			  (size_t)sqlite3_column_bytes(statement, column),
			  UE_ENCODING_BINARY_LENGTH16_CHAR8, is_json);
		break;
	default:
		put_text(to, (const char *)sqlite3_column_text(statement, column),
			 (size_t)sqlite3_column_bytes(statement, column), is_json);
	}
}

/* Append a value as UTF-8; NULL as "null". */
static void result_put_text(struct bytes *to, sqlite3_stmt *statement, int column)
{
	put_column(to, statement, column, 0);
}

void result_put_lines(struct bytes *to, sqlite3_stmt *statement, int column)
{
	const size_t begin = to->length;
	char *line, *end;

	put_column(to, statement, column, 0);
	bytes_add(to, "", 1);
	to->length--;
	line = (char *)to->at + begin;
	end = (char *)to->at + to->length;
	while (line < end) {
		const size_t length = strcspn(line, "\n");

		controls_blank(line, length);
		line += length + 1;
	}
}

/* JSON */

static void json_row(struct result *result, sqlite3_stmt *statement)
{
	struct bytes *out = &result->out;

	if (result->format == RESULT_JSON)
		sql_add(out, result->rows ? ",\n " : "[");
	for (int i = 0; i < sqlite3_column_count(statement); i++) {
		const char *name = sqlite3_column_name(statement, i);

		sql_add(out, i ? "," : "{");
		put_bytes(out, name, name ? strlen(name) : 0, UE_ENCODING_ZSTRING_CHAR8,
			  1);
		sql_add(out, ":");
		put_column(out, statement, i, 1);
	}
	sql_add(out, result->format == RESULT_JSON ? "}" : "}\n");
}

/* CSV */

/* Quote the bytes from begin to the end if they need it. */
static void csv_quote(struct bytes *out, size_t begin, int must)
{
	const size_t length = out->length - begin;
	char *copy;

	if (!must && (!length || !memchr(out->at + begin, 0, length))) {
		bytes_add(out, "", 1); /* a NUL for strpbrk() */
		out->length--;
		must = strpbrk((const char *)out->at + begin, ",\"\n\r") != NULL;
	}
	if (!must)
		return;
	copy = malloc(length + 1);
	if (!copy)
		return;
	memcpy(copy, out->at + begin, length);
	out->length = begin;
	sql_add(out, "\"");
	for (size_t i = 0; i < length; i++)
		bytes_add(out, copy[i] == '"' ? "\"\"" : &copy[i],
			  copy[i] == '"' ? 2 : 1);
	sql_add(out, "\"");
	free(copy);
}

static void csv_end_cell(struct result *result, size_t begin, int must_quote)
{
	struct bytes *out = &result->out;

	if (result->is_terminal)
		controls_blank((char *)out->at + begin, out->length - begin);
	csv_quote(out, begin, must_quote);
}

static void csv_names(struct result *result, sqlite3_stmt *statement)
{
	struct bytes *out = &result->out;

	for (int i = 0; i < sqlite3_column_count(statement); i++) {
		const char *name = sqlite3_column_name(statement, i);
		size_t begin;

		sql_add(out, i ? "," : "");
		begin = out->length;
		put_bytes(out, name, name ? strlen(name) : 0, UE_ENCODING_ZSTRING_CHAR8,
			  0);
		csv_end_cell(result, begin, 0);
	}
	sql_add(out, "\n");
}

/* NULL is empty, and empty text is "". */
static void csv_row(struct result *result, sqlite3_stmt *statement)
{
	struct bytes *out = &result->out;

	for (int i = 0; i < sqlite3_column_count(statement); i++) {
		const int type = sqlite3_column_type(statement, i);
		size_t begin;

		sql_add(out, i ? "," : "");
		begin = out->length;
		if (type == SQLITE_NULL)
			continue;
		put_column(out, statement, i, 0);
		csv_end_cell(result, begin, type == SQLITE_TEXT && out->length == begin);
	}
	sql_add(out, "\n");
}

/* All formats */

void result_begin(struct result *result, sqlite3_stmt *statement)
{
	if (result->statements++ &&
	    (result->format == RESULT_TEXT || result->format == RESULT_CSV))
		sql_add(&result->out, "\n");

	if (result->format == RESULT_CSV)
		csv_names(result, statement);
	if (result->format == RESULT_TEXT)
		result_table_begin(result, statement);
}

void result_row(struct result *result, sqlite3_stmt *statement)
{
	if (result->format == RESULT_TEXT)
		result_table_row(result, statement);
	else if (result->format == RESULT_CSV)
		csv_row(result, statement);
	else
		json_row(result, statement);
	result->rows++;
	result_flush(result, FLUSH_AT);
}

void result_end(struct result *result, sqlite3_stmt *statement)
{
	if (result->format == RESULT_TEXT)
		result_table_end(result, statement);
	if (result->format == RESULT_JSON)
		sql_add(&result->out, result->rows ? "]\n" : "[]\n");
	result_flush(result, 0);
}

void result_free(struct result *result)
{
	bytes_free(&result->out);
	bytes_free(&result->text);
	free(result->cells);
	free(result->widths);
	free(result->is_right);
}

/*
 * Prints rows in aligned columns. The first rows decide how wide each column is, so that
 * an answer of any length needs little memory; a longer cell moves what follows it.
 */

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
