/* SPDX-License-Identifier: MIT */
/* Prints rows as JSON, CSV and TSV, and values as text. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <userevents/decode/render.h>

#include "common/cli/memory.h"
#include "common/cli/message.h"
#include "common/cli/options.h"
#include "common/text/text_table.h"
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
		{ "tsv", RESULT_TSV },
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
		"jsonl, csv and tsv", near ? "\"?" : "");
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

/* The value as the library shows it, in text or in JSON. */
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
		bytes_put(to, "null");
		break;
	case SQLITE_INTEGER:
		snprintf(digits, sizeof(digits), "%lld",
			 (long long)sqlite3_column_int64(statement, column));
		bytes_put(to, digits);
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
		bytes_put(out, result->rows ? ",\n " : "[");
	for (int i = 0; i < sqlite3_column_count(statement); i++) {
		const char *name = sqlite3_column_name(statement, i);

		bytes_put(out, i ? "," : "{");
		put_bytes(out, name, name ? strlen(name) : 0, UE_ENCODING_ZSTRING_CHAR8,
			  1);
		bytes_put(out, ":");
		put_column(out, statement, i, 1);
	}
	bytes_put(out, result->format == RESULT_JSON ? "}" : "}\n");
}

/* CSV and TSV */

static enum answer_form form_of(const struct result *result)
{
	return result->format == RESULT_CSV ? FORM_CSV : FORM_TSV;
}

static void put_names(struct result *result, sqlite3_stmt *statement)
{
	struct bytes *out = &result->out;

	for (int i = 0; i < sqlite3_column_count(statement); i++) {
		const char *name = sqlite3_column_name(statement, i);
		size_t begin;

		cell_separate(out, form_of(result), !i);
		begin = out->length;
		put_bytes(out, name, name ? strlen(name) : 0, UE_ENCODING_ZSTRING_CHAR8,
			  0);
		cell_end(out, begin, form_of(result), 0);
	}
	bytes_put(out, "\n");
}

static void separated_row(struct result *result, sqlite3_stmt *statement)
{
	struct bytes *out = &result->out;

	for (int i = 0; i < sqlite3_column_count(statement); i++) {
		const int type = sqlite3_column_type(statement, i);
		size_t begin;

		cell_separate(out, form_of(result), !i);
		begin = out->length;
		if (type == SQLITE_NULL) {
			cell_null(out, form_of(result));
			continue;
		}
		put_column(out, statement, i, 0);
		cell_end(out, begin, form_of(result), type == SQLITE_TEXT);
	}
	bytes_put(out, "\n");
}

static int is_separated(const struct result *result)
{
	return result->format == RESULT_CSV || result->format == RESULT_TSV;
}

/*
 * Prints rows in aligned columns. The first rows decide how wide each column is, so that
 * an answer of any length needs little memory; a longer cell moves the next ones.
 */

#define ROWS_KEPT 1000
#define BYTES_KEPT ((size_t)1 << 20)

static void result_table_begin(struct result *result, sqlite3_stmt *statement)
{
	table_clear(&result->table);
	result->table.has_whole_cells = 1;
	for (int i = 0; i < sqlite3_column_count(statement); i++) {
		const char *name = sqlite3_column_name(statement, i);
		AUTO_FREE char *title = xstrdup(name ? name : "");

		controls_blank(title, strlen(title));
		table_column(&result->table, title, 0);
	}
}

/* A column is of numbers if it has one, and nothing else. */
static void take_type(struct table_column *column, int type)
{
	if (type == SQLITE_INTEGER || type == SQLITE_FLOAT)
		column->is_right += !column->is_right;
	else if (type != SQLITE_NULL)
		column->is_right = -1;
}

static void result_table_row(struct result *result, sqlite3_stmt *statement)
{
	struct text_table *table = &result->table;

	for (int i = 0; i < sqlite3_column_count(statement); i++) {
		result->text.length = 0;
		if (sqlite3_column_type(statement, i) != SQLITE_NULL) /* not the text "null" */
			put_column(&result->text, statement, i, 0);
		controls_blank((char *)result->text.at, result->text.length);
		bytes_add(&result->text, "", 1);
		table_cell(table, (const char *)result->text.at);
		if (!table->is_laid_out)
			take_type(&table->column[i], sqlite3_column_type(statement, i));
	}
	if (!table->is_laid_out && result->rows < ROWS_KEPT &&
	    table->text.length < BYTES_KEPT)
		return;
	table_put_rows(table, &result->out);
}

static void result_table_end(struct result *result, sqlite3_stmt *statement)
{
	(void)statement;
	table_put_rows(&result->table, &result->out);
}

/* All formats */

void result_begin(struct result *result, sqlite3_stmt *statement)
{
	if (result->statements++ &&
	    (result->format == RESULT_TEXT || is_separated(result)))
		bytes_put(&result->out, "\n");

	if (is_separated(result))
		put_names(result, statement);
	if (result->format == RESULT_TEXT)
		result_table_begin(result, statement);
}

void result_row(struct result *result, sqlite3_stmt *statement)
{
	if (result->format == RESULT_TEXT)
		result_table_row(result, statement);
	else if (is_separated(result))
		separated_row(result, statement);
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
		bytes_put(&result->out, result->rows ? "]\n" : "[]\n");
	result_flush(result, 0);
}

void result_free(struct result *result)
{
	bytes_free(&result->out);
	bytes_free(&result->text);
	table_clear(&result->table);
}
