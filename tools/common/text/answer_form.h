/* SPDX-License-Identifier: MIT */
/*
 * The forms of an answer for programs: JSON, and the rows of it with separators. So all of them
 * have the same members and figures.
 */
#ifndef UE__TOOLS_COMMON_TEXT_ANSWER_FORM_H
#define UE__TOOLS_COMMON_TEXT_ANSWER_FORM_H

#include "common/cli/memory.h"
#include "common/cli/options.h"

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
