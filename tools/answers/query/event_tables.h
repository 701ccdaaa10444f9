/* SPDX-License-Identifier: MIT */
/* Fields, tables, statements and the database of a query. */
#ifndef UE__TOOLS_ANSWERS_QUERY_EVENT_TABLES_H
#define UE__TOOLS_ANSWERS_QUERY_EVENT_TABLES_H

#include <sqlite3.h>
#include <stddef.h>
#include <stdint.h>

#include "common/cli/memory.h"
#include "common/events/field.h"
#include "common/events/recorded_event.h"
#include "common/pairs/pairs.h"
#include "common/text/text_table.h"
#include "read/stream/sink.h"

/*
 * A field of the event itself, not of a struct. An array or a struct has its JSON as
 * text. The text is valid until the next field if is_scratch, and otherwise as long as
 * the event.
 */
struct event_field {
	const char *name; /* without attributes; not NUL-terminated */
	size_t length;
	struct value value;
	int is_scratch;
};

/*
 * Call take for each field, until it returns another value than 0, which is returned; 0
 * at the end, or -1 if the event is malformed. scratch is used on the way.
 */
int event_fields_each(struct event *event, struct bytes *scratch,
		      int (*take)(void *context, const struct event_field *field),
		      void *context);

/* Names of events and fields, which hold any bytes, as names of SQL. */

/*
 * The name as UTF-8 without control characters, cut off if it is very long, to be freed.
 * Never empty.
 */
char *sql_name(const char *name, size_t length);
/*
 * Append text formatted as by sqlite3_mprintf(): %w is an identifier inside quotes of
 * the format, %Q a text literal with its quotes.
 */
void sql_put(struct bytes *sql, const char *format, ...);

/* Numbers from 2^63 on, which are text in the database. */

#define WIDE_NUMBER_LENGTH 20

void wide_number_text(char text[WIDE_NUMBER_LENGTH + 1], uint64_t number);
/* 0, or -1 for other text. */
int wide_number_parse(const char *text, size_t length, uint64_t *number);
/* SQL in which those that are compared with a column are that text, to be freed. */
char *wide_numbers_quoted(const char *sql);

/*
 * The table of one kind of events: a column for each property and for each field that an
 * event of this kind had, in whatever version of its definition.
 */

/*
 * The storage class of a column's values. A column with values of several classes has no
 * type, so that SQLite keeps each as it is.
 */
enum column_type {
	COLUMN_ANY,
	COLUMN_INTEGER,
	COLUMN_REAL,
	COLUMN_TEXT,
	COLUMN_BLOB,
	COLUMN_WIDE, /* of values alone: text that a column with a type would convert */
};

struct column {
	char *name; /* in SQL */
	char *field; /* in events; NULL: a property */
	size_t length;
	enum property property; /* PROPERTY_NONE and no field: the number of the event */
	enum column_type type;
	int was_real; /* its rows are to be converted, as it has no type any more */
	uint64_t pass; /* over the fields of an event: the last one that met it */
};

#define COLUMNS_MAX 500u

struct event_table {
	const struct event_kind *kind; /* the first one with this name */
	char *name; /* "Shop:Order" */
	char *event; /* "Order" */
	int has_short_name;
	struct column *columns;
	uint32_t count;
	sqlite3_stmt *insert; /* with all columns; NULL: to be prepared */
};

/* Properties of one event, which several tables have. */
struct properties {
	struct value values[PROPERTIES];
	struct bytes scratch[2]; /* of the two activities */
};

void properties_get(struct properties *properties, const struct event *event);
/* Bind a value to a parameter. */
void bind_value(sqlite3_stmt *statement, int parameter, const struct value *value,
		int is_scratch);
/*
 * Bind all fields of an event, as a line of text or as an object of JSON; null if it is
 * malformed. They are in scratch until the statement has run.
 */
void bind_rendered(sqlite3_stmt *statement, int parameter, struct event *event, int is_text,
		 struct bytes *scratch);
/* The class that bind_value() stores it in. COLUMN_ANY: null. */
enum column_type class_of(const struct value *value);

/* The table starts with the columns of properties. */
void event_table_begin(struct event_table *table, const struct event_kind *kind);
void event_table_free(struct event_table *table);
/* INSERT with a parameter for each column. */
void event_table_insertion(const struct event_table *table, struct bytes *sql);
/*
 * The column of a field, looked for from *guess on, which is moved behind it; NULL if
 * there is none. A name that occurs twice in an event has two columns: those met in this
 * pass are passed over, and the one found is marked.
 */
struct column *event_table_find(struct event_table *table,
				const struct event_field *field, uint64_t pass,
				uint32_t *guess);
/* Add a column. NULL if there are too many. */
struct column *event_table_add(struct event_table *table,
			       const struct event_field *field);

/* The table of requests: starts, and the stops that belong to them. */

struct requests {
	struct pairs pairs; /* the data: the number of the row */
	sqlite3_stmt *insert, *complete;
	int64_t rows;
	struct bytes json;
};

/* A sink that puts events into a database: a table for each kind, and one of all. */

/*
 * Files may hold any number of kinds, and of versions of their definitions. SQLite reads
 * the whole schema again after a change of it, about 2 columns in a microsecond, so
 * the columns that are read limit the number of changes.
 */
#define TABLES_MAX 1000u
#define COLUMNS_READ_MAX 10000000u

struct event_tables {
	struct sink sink; /* first */
	struct database *database;
	int is_busy; /* SQLite may be in the middle of something */
	int is_finished; /* questions can be asked */
	int is_incomplete; /* not all of the events is in the tables; after a message */
	struct event_table **items;
	uint32_t count;
	int32_t *by_event; /* index in items; -1: none */
	uint32_t events;
	sqlite3_stmt *insert; /* into the table of all events */
	struct requests requests;
	uint64_t rows;
	uint64_t passes; /* over fields */
	uint32_t columns; /* of all tables */
	uint64_t columns_read;
	struct properties properties;
	int has_rendered; /* the columns text and fields of all events are filled */
	struct bytes scratch;
	struct bytes rendered[2];
	struct bytes sql;
	/* Reported at the end: */
	uint64_t malformed;
	uint64_t without_table; /* events */
	uint64_t without_column; /* values */
};

/*
 * An empty sink. sql: the question that follows. It tells whether the columns text and fields
 * of all events, which take as much time and space as all others, are asked for; otherwise
 * they are empty, and a database that is kept has none. 0, or -1 after a message.
 */
int event_tables_begin(struct event_tables *tables, struct database *database,
		       const char *sql);
void event_tables_free(struct event_tables *tables);

/* Used in this room: 0, or -1 after a message. */

/* Create a table of this kind, under its full name. */
int event_tables_add(struct event_tables *tables, struct event_table *table);
/* Its columns have changed. */
int event_tables_redefine(struct event_tables *tables, struct event_table *table);
/*
 * Called at the end: a table whose event has a name of its own is called "Order", and a
 * view "Shop:Order"; others "Shop:Order" alone.
 */
int event_tables_name(struct event_tables *tables);

/* Statements of SQL, ".tables" and ".schema [TABLE]", one after another. */

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
