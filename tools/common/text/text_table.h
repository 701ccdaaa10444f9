/* SPDX-License-Identifier: MIT */
/* A table of text with aligned columns. */
#ifndef UE__TOOLS_COMMON_TEXT_TEXT_TABLE_H
#define UE__TOOLS_COMMON_TEXT_TEXT_TABLE_H

#include <stddef.h>

#include "common/cli/memory.h"
#include "common/events/field.h"

#define TABLE_COLUMNS_MAX 12
/* Longer cells end with "...". */
#define TABLE_CELL_MAX 48

struct text_table {
	size_t columns;
	size_t cells; /* of all rows, without the titles */
	int is_right[TABLE_COLUMNS_MAX];
	size_t width[TABLE_COLUMNS_MAX]; /* of the widest cell, in characters */
	struct bytes text; /* of all cells, each with its NUL, the titles first */
};

/* All columns first: their titles. Numbers are aligned to the right. */
void table_column(struct text_table *table, const char *title, int is_right);
/* Then the cells, row by row. Control characters must be gone. */
void table_cell(struct text_table *table, const char *text);
void table_cellf(struct text_table *table, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* value_put() makes it harmless. */
void table_value(struct text_table *table, const struct value *value);
/* Append the lines of the table; the table is empty afterwards. */
void table_put(struct text_table *table, struct bytes *to);

/*
 * JSON, appended to a buffer. Each function puts a comma where one is needed. key: NULL in an
 * array.
 */

/* bracket: '{' or '['; close with the other one. */
void json_open(struct bytes *json, const char *key, char bracket);
void json_close(struct bytes *json, char bracket);
void json_count(struct bytes *json, const char *key, uint64_t number);
/* null unless it is finite. */
void json_float(struct bytes *json, const char *key, double number);
void json_boolean(struct bytes *json, const char *key, int is_true);
/* NULL: null. */
void json_string(struct bytes *json, const char *key, const char *text);
/* null for arrays, structs and absent ones; "inf", "-inf" and "nan" for such floats. */
void json_value(struct bytes *json, const char *key, const struct value *value);
/* Seconds, or a date if since 1970; as "userevents decode --json" prints time. */
void json_time(struct bytes *json, const char *key, int64_t time, int is_wall_clock);
/* JSON that exists. */
void json_raw(struct bytes *json, const char *key, const void *text, size_t length);

/*
 * Writes XML, and HTML that is XML, too. Texts of a recording go through markup_text() or
 * markup_string(), which let no byte of them become markup, in content or in an attribute in
 * quotes. markup_put() is for texts of this program, and markup_format() for these and numbers.
 */

void markup_put(struct bytes *out, const char *markup);
void markup_format(struct bytes *out, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/*
 * Text of any bytes. The markup is valid UTF-8; characters that control, reorder or hide
 * text are shown as U+FFFD.
 */
void markup_text(struct bytes *out, const char *text, size_t length);
void markup_string(struct bytes *out, const char *text);
/* At most this many characters, the last an ellipsis if the text is longer. */
void markup_short(struct bytes *out, const char *text, size_t length, unsigned int most);

#endif
