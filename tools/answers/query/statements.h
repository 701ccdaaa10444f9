/* SPDX-License-Identifier: MIT */
/* Statements of SQL, ".tables" and ".schema [TABLE]", one after another. */
#ifndef UE__TOOLS_QUERY_STATEMENTS_H
#define UE__TOOLS_QUERY_STATEMENTS_H

#include "result.h"

/*
 * Run all statements of a text and print their rows. Returns an exit status:
 * EXIT_WRONG_USAGE after a message with a caret for a statement that SQLite does not
 * understand, EXIT_FAILED after a message for one that fails as it runs.
 */
int statements_run(sqlite3 *handle, const char *text, struct result *result);

#define SQL_ONLY_READS "it can only read (SELECT, VALUES, WITH, EXPLAIN)"

/*
 * Within this room: report the error that SQLite has for the statement that begins at
 * this place of the text. Returns the exit status.
 */
int sql_error_report(sqlite3 *handle, const char *text, const char *statement);
/* The table or view that was perhaps meant, to be freed; or NULL. */
char *sql_nearest_table(sqlite3 *handle, const char *typed);

#endif
