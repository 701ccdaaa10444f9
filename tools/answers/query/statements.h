/* SPDX-License-Identifier: MIT */
/* Statements of SQL, ".tables" and ".schema [TABLE]", one after another. */
#ifndef UE__TOOLS_ANSWERS_QUERY_STATEMENTS_H
#define UE__TOOLS_ANSWERS_QUERY_STATEMENTS_H

#include <sqlite3.h>
#include <stdint.h>

#include "common/cli/memory.h"
#include "common/text/text_table.h"

/* Rows of an answer on standard output. */

enum result_format {
	RESULT_TEXT, /* aligned columns under their names */
	RESULT_JSON, /* one array of objects for each statement */
	RESULT_JSONL, /* an object a line */
	RESULT_CSV, /* RFC 4180, with the names first */
	RESULT_TSV,
};

struct cell {
	size_t begin; /* in text */
	size_t length;
	uint32_t width; /* in characters */
	int is_number;
};

struct result {
	enum result_format format;
	int is_terminal; /* which must not receive control characters */
	int statements; /* that had a result */
	/* The one at hand: */
	uint64_t rows;
	struct bytes out; /* not written yet */
	/* Text: the first rows decide how wide columns are. */
	struct text_table table;
	struct bytes text; /* of a cell */
};

/* text, json, jsonl, csv or tsv: 0, or -1 after a message. */
int result_format_parse(const char *text, enum result_format *format);
/* Calls before the first row, for each row, and after the last one. */
void result_begin(struct result *result, sqlite3_stmt *statement);
void result_row(struct result *result, sqlite3_stmt *statement);
void result_end(struct result *result, sqlite3_stmt *statement);
void result_free(struct result *result);

/* The format of lines, which is harmless on a terminal. */
void result_put_lines(struct bytes *to, sqlite3_stmt *statement, int column);

/*
 * Run all statements of a text and print their rows. Returns an exit status:
 * EXIT_WRONG_USAGE after a message with a caret for a statement that SQLite does not
 * understand, EXIT_FAILED after a message for one that fails as it runs.
 */
int statements_run(sqlite3 *handle, const char *text, struct result *result);

#define SQL_ONLY_READS "it can only read (SELECT, VALUES, WITH, EXPLAIN)"

/* A SQLite database: in memory, in a new file, or one that was kept. */

struct database {
	sqlite3 *handle;
	const char *path; /* the file to be written; NULL: in memory */
	const char *part; /* its name until it is complete; else NULL */
};

/* Whether it is a file that SQLite wrote. */
int database_is_kept(const char *path);
/*
 * An empty database that events are put into, in one transaction. With a path, the file
 * appears at database_finish(); until then the events are in another one beside it. A
 * file there is replaced if it is a database of this tool. 0, or -1 after a message.
 */
int database_create(struct database *database, const char *path);
/* Read a kept one. 0, or -1 after a message. */
int database_open(struct database *database, const char *path);
/* The events are complete: from here on it can only be read. 0, or -1 after a message. */
int database_finish(struct database *database);
/* A file that is not complete is removed. */
void database_close(struct database *database);

/* Run statements without results: 0, or -1 after a message. */
int database_run(struct database *database, const char *sql);
/* Report a call that failed while events were put into it. Returns -1. */
int database_complain(const struct database *database);

/* The functions that questions can use beside those of SQLite. */

/*
 * Add all of them: 0 or an error of SQLite. The user data of each is its name, "p99()".
 */
int sql_functions_add(sqlite3 *handle);

/* Whether a word begins here, in any case, as a name or in quotes. */
int sql_has_word_at(const char *sql, const char *at, const char *word);

#endif
