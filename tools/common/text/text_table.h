/* SPDX-License-Identifier: MIT */
/*
 * Answers as text, in a table with aligned columns that is at most as wide as the
 * terminal; as JSON, as markup, and in forms for other programs.
 */
#ifndef UE__TOOLS_COMMON_TEXT_TEXT_TABLE_H
#define UE__TOOLS_COMMON_TEXT_TEXT_TABLE_H

#include <stddef.h>

#include "common/cli/memory.h"
#include "common/cli/options.h"
#include "common/events/field.h"

/* Longer cells end with "...", unless they are whole. */
#define TABLE_CELL_MAX 48
/* Longer cells that are whole move the next ones. */
#define TABLE_WIDTH_MAX 60

struct table_column {
	int is_right; /* 1: numbers */
	size_t width; /* of the widest cell, in characters, unless it is cut */
	size_t whole; /* of the widest cell */
	int is_cut;   /* longer cells end with an ellipsis, for a terminal */
	/* 1, 2, ...: left out, 1 first, if a terminal is too narrow; 0: never */
	int rank;
};

/* Zero it before the first use. */
struct text_table {
	int has_whole_cells; /* set by the caller */
	size_t columns;
	size_t cells; /* that are not printed, with the titles */
	struct table_column *column;
	int is_laid_out;
	int ranks_left_out; /* up to this one */
	struct bytes text; /* of these cells, each with its NUL */
};

/* All columns first: their titles. Numbers are aligned to the right. */
void table_column(struct text_table *table, const char *title, int is_right);
/* A column that a narrow terminal lacks; those of one rank go together. */
void table_column_rank(struct text_table *table, const char *title, int is_right, int rank);
/* Then the cells, row by row. Control characters must be gone. */
void table_cell(struct text_table *table, const char *text);
void table_cellf(struct text_table *table, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* value_put() makes it harmless. */
void table_value(struct text_table *table, const struct value *value);
/* Whether there is more than titles. */
static inline int table_has_rows(const struct text_table *table)
{
	return table->cells > table->columns;
}
/* Append the lines of the table; the table is empty afterwards. */
void table_put(struct text_table *table, struct bytes *to);
/* Append the lines so far; more may follow, for which the columns do not grow. */
void table_put_rows(struct text_table *table, struct bytes *to);
void table_clear(struct text_table *table);

/* Blanks, of which columns have some. */
void blanks_put(struct bytes *to, size_t count);

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
 * markup_string(), which let no byte of them become markup, in content or in an attribute
 * in quotes. bytes_put() is for texts of this program, bytes_addf() for these and numbers.
 */

/*
 * Text of any bytes. The markup is valid UTF-8; characters that control, reorder or hide
 * text are shown as U+FFFD.
 */
void markup_text(struct bytes *out, const char *text, size_t length);
void markup_string(struct bytes *out, const char *text);
/* Print at most this many characters, the last an ellipsis if the text is longer. */
void markup_short(struct bytes *out, const char *text, size_t length, unsigned int most);

/*
 * The forms of an answer for programs: JSON, and the rows of it with separators. So all of them
 * have the same members and figures.
 */

enum answer_form { FORM_TEXT, FORM_JSON, FORM_CSV, FORM_TSV };

struct form_options {
	int is_json, is_csv, is_tsv;
};

/* json_help: the kind of JSON; rows: the content of the others' rows. */
#define FORM_OPTIONS(o, json_help, rows)                                                  \
	{ .name = "json", .letter = 'j', .flag = &(o).is_json, .help = json_help },       \
	{ .name = "csv", .flag = &(o).is_csv,                                             \
	  .help = "The members of JSON as rows with commas (RFC 4180), their\n"           \
		  "names first: " rows },                                                 \
	{ .name = "tsv", .flag = &(o).is_tsv,                                             \
	  .help = "The same with tabs; in values \\t, \\n, \\r, \\\\ stand for a\n"      \
		  "tab, line ends and a backslash, \\N for none." }

/* 0, or EXIT_WRONG_USAGE after a message if there is more than one. */
int answer_form_choose(const struct form_options *options, const struct usage *usage,
		       enum answer_form *form);

/*
 * Cells of such rows, which queries make by themselves. cell_end() turns the bytes from
 * begin on into a cell; an empty text is distinct from a value that is none in CSV.
 */
void cell_separate(struct bytes *out, enum answer_form form, int is_first);
void cell_end(struct bytes *out, size_t begin, enum answer_form form, int is_text);
void cell_null(struct bytes *out, enum answer_form form);

/*
 * Print an answer, which is JSON as json_open() and so on write it, in another form than text.
 * The rows are of the first of these members that it has, NULL-terminated: an array of objects;
 * or of "", which is the answer itself in one row.
 * A member of an object in a row becomes "outer.inner"; arrays in a row are left out.
 */
void answer_print(struct bytes *json, enum answer_form form, const char *const *members);

#endif
