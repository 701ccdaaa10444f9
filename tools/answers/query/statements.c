/* SPDX-License-Identifier: MIT */
/* Runs the statements of a text. */
#include "statements.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/memory.h"
#include "common/cli/message.h"
#include "sql_name.h"

/* Run a statement that was prepared, and finalize it: 0, or an error of SQLite. */
static int print_rows(sqlite3_stmt *statement, struct result *result)
{
	int code = sqlite3_step(statement);

	result->rows = 0;
	if (code == SQLITE_ROW || code == SQLITE_DONE)
		result_begin(result, statement);
	for (; code == SQLITE_ROW && !ferror(stdout); code = sqlite3_step(statement))
		result_row(result, statement);
	if (code == SQLITE_ROW || code == SQLITE_DONE || result->rows)
		result_end(result, statement);
	fflush(stdout); /* the next statement may take long */
	return sqlite3_finalize(statement);
}

/* Parameters would be NULL; VACUUM is nothing that the authorizer is asked about. */
static int is_refused(sqlite3_stmt *statement)
{
	const char *name = sqlite3_bind_parameter_name(statement, 1);

	if (!sqlite3_stmt_readonly(statement))
		message("cannot run the SQL: " SQL_ONLY_READS);
	else if (sqlite3_bind_parameter_count(statement))
		message("cannot run the SQL: \"%s\" is a parameter; a name with such a "
			"character is written in double quotes",
			name ? name : "?");
	else
		return 0;
	return 1;
}

/* Run one statement. *rest: what follows it. Returns an exit status. */
static int run_sql(sqlite3 *handle, const char *text, const char **rest,
		   struct result *result)
{
	const char *begin = *rest;
	sqlite3_stmt *statement;

	if (sqlite3_prepare_v2(handle, begin, -1, &statement, rest))
		return sql_error_report(handle, text, begin);
	if (!statement) /* a comment */
		return EXIT_ALL_WORKED;
	if (is_refused(statement)) {
		sqlite3_finalize(statement);
		return EXIT_WRONG_USAGE;
	}
	if (!print_rows(statement, result))
		return EXIT_ALL_WORKED;
	message("cannot run the SQL: %s", sqlite3_errmsg(handle));
	return EXIT_FAILED;
}

/* Commands that begin with a dot */

static const char tables_sql[] =
	"SELECT s.name AS \"table\", CASE s.type WHEN 'view' THEN "
	"replace(substr(s.sql, instr(s.sql, ' AS SELECT * FROM ') + 18), '\"', '') ELSE '' END "
	"AS \"same as\", CASE s.type WHEN 'table' THEN (SELECT group_concat(name, ', ') "
	"FROM pragma_table_info(s.name)) ELSE '' END AS columns FROM sqlite_schema AS s "
	"WHERE s.type IN ('table', 'view') ORDER BY s.type, s.name COLLATE NOCASE";

static int run_tables(sqlite3 *handle, struct result *result)
{
	const char *rest = tables_sql;

	return run_sql(handle, tables_sql, &rest, result);
}

/* The definitions of one table or view, or of all: how many there are, or -1. */
static int print_schema(sqlite3 *handle, const char *name)
{
	sqlite3_stmt *statement;
	struct bytes text = { .at = NULL };
	int count = 0;

	if (sqlite3_prepare_v2(
		    handle,
		    "SELECT sql || ';' FROM sqlite_schema WHERE sql NOT NULL "
		    "AND (?1 IS NULL OR name = ?1 COLLATE NOCASE) ORDER BY type, name",
		    -1, &statement, NULL))
		return -1;
	sqlite3_bind_text(statement, 1, name, -1, SQLITE_STATIC);
	for (; sqlite3_step(statement) == SQLITE_ROW; count++) {
		text.length = 0;
		result_put_lines(&text, statement, 0);
		bytes_print(&text);
		putchar('\n');
	}
	bytes_free(&text);
	sqlite3_finalize(statement);
	return count;
}

static int run_schema(sqlite3 *handle, const char *name, struct result *result)
{
	char *near;
	int count;

	if (result->statements++)
		putchar('\n');
	count = print_schema(handle, name);
	if (count > 0 || (!count && !name))
		return EXIT_ALL_WORKED;
	near = count < 0 ? NULL : sql_nearest_table(handle, name);
	if (count < 0)
		message("cannot read the schema: %s", sqlite3_errmsg(handle));
	else if (near)
		message("cannot show the schema: no such table: %s; did you mean %s?",
			name, near);
	else
		message("cannot show the schema: no such table: %s; .tables lists them",
			name);
	free(near);
	return count < 0 ? EXIT_FAILED : EXIT_WRONG_USAGE;
}

static void trim(char *text)
{
	size_t length = strlen(text);

	while (length && strchr(" \t\r", text[length - 1]))
		text[--length] = '\0';
	if (length > 1 && text[0] == text[length - 1] && strchr("\"'`", text[0])) {
		memmove(text, text + 1, length - 2);
		text[length - 2] = '\0';
	}
}

/* A dot command ends with its line, or with ';'. */
static int run_dot(sqlite3 *handle, const char **rest, struct result *result)
{
	const size_t length = strcspn(*rest, ";\n"), word = strcspn(*rest, " \t\r;\n");
	char *argument = xstrndup(*rest + word + strspn(*rest + word, " \t"),
				  length - word - strspn(*rest + word, " \t"));
	int status = EXIT_WRONG_USAGE;

	trim(argument);
	if (word == 7 && !strncmp(*rest, ".tables", word) && !*argument)
		status = run_tables(handle, result);
	else if (word == 7 && !strncmp(*rest, ".schema", word))
		status = run_schema(handle, *argument ? argument : NULL, result);
	else
		message("cannot run \"%.*s\": beside SQL there are .tables and .schema "
			"[TABLE]",
			(int)length, *rest);
	free(argument);
	*rest += length;
	return status;
}

/* The next statement: not a blank, a comment or ';'. */
static const char *skip_blanks(const char *text)
{
	const char *end;

	for (;;) {
		text += strspn(text, " \t\r\n;");
		end = !strncmp(text, "--", 2) ? strchr(text, '\n') :
		      !strncmp(text, "/*", 2) ? strstr(text + 2, "*/") : text;
		if (!end)
			return text + strlen(text);
		if (end == text)
			return text;
		text = end + (*end == '\n' ? 1 : 2);
	}
}

int statements_run(sqlite3 *handle, const char *text, struct result *result)
{
	const char *rest = skip_blanks(text);
	int status = EXIT_ALL_WORKED;

	while (*rest && !status && !ferror(stdout)) {
		status = *rest == '.' ? run_dot(handle, &rest, result) :
					run_sql(handle, text, &rest, result);
		rest = skip_blanks(rest);
	}
	return status;
}
