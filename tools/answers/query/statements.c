/* SPDX-License-Identifier: MIT */
/* Runs the statements of a text. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/message.h"
#include "common/cli/memory.h"
#include "common/cli/options.h"
#include "event_tables.h"

/*
 * Explains errors in SQL: SQLite's message, the line with a caret under the place, and
 * for a name that does not exist the nearest one that does.
 */

static void point(const char *text, const char *place)
{
	const char *begin = place;
	AUTO_FREE char *line;

	while (begin > text && begin[-1] != '\n')
		begin--;
	line = xstrndup(begin, strcspn(begin, "\n"));
	message_caret(line, (size_t)(place - begin));
}

/* Names that exist */

/* The first column of a query, as words that are freed with words_free(). */
static struct words names_of(sqlite3 *handle, const char *sql, const char *parameter)
{
	struct words names = { .items = NULL };
	sqlite3_stmt *statement;

	if (sqlite3_prepare_v2(handle, sql, -1, &statement, NULL))
		return names;
	sqlite3_bind_text(statement, 1, parameter, -1, SQLITE_STATIC);
	while (sqlite3_step(statement) == SQLITE_ROW) {
		const char *name = (const char *)sqlite3_column_text(statement, 0);

		words_add(&names, xstrdup(name ? name : ""));
	}
	sqlite3_finalize(statement);
	return names;
}

/* Upper and lower case do not differ in SQL. */
static char *lower(const char *text)
{
	char *copy = xstrdup(text);

	for (char *c = copy; *c; c++)
		if (*c >= 'A' && *c <= 'Z')
			*c += 'a' - 'A';
	return copy;
}

static char *nearest_of(sqlite3 *handle, const char *sql, const char *parameter,
			const char *typed)
{
	struct words names = names_of(handle, sql, parameter),
		     lowered = { .items = NULL };
	char *typed_lower = lower(typed), *result = NULL;
	const char *near;

	for (size_t i = 0; i < names.count; i++)
		words_add(&lowered, lower(names.items[i]));
	near = nearest(typed_lower, lowered.items, lowered.count, sizeof(char *));
	for (size_t i = 0; near && i < lowered.count; i++)
		if (lowered.items[i] == near)
			result = xstrdup(names.items[i]);
	free(typed_lower);
	words_free(&lowered);
	words_free(&names);
	return result;
}

static const char tables[] =
	"SELECT name FROM sqlite_schema WHERE type IN ('table', 'view')";
static const char same_event[] =
	"SELECT name FROM sqlite_schema WHERE type = 'table' AND "
	"lower(substr(name, -length(?1) - 1)) = ':' || lower(?1)";
/* Columns of tables that the statement names. */
static const char columns[] =
	"SELECT DISTINCT c.name FROM sqlite_schema AS s, pragma_table_info(s.name) AS c "
	"WHERE s.type = 'table' AND instr(lower(?1), lower(s.name))";
static const char functions[] = "SELECT DISTINCT name FROM pragma_function_list";

static const char letters[] = "abcdefghijklmnopqrstuvwxyz_ABCDEFGHIJKLMNOPQRSTUVWXYZ"
			      "0123456789"; /* and digits */

/* A name as it must be written: in quotes, unless it is a plain word. */
static char *written(const char *name)
{
	struct bytes text = { .at = NULL };
	const size_t plain = strspn(name, letters);

	if (*name && !name[plain] && (*name < '0' || *name > '9') &&
	    !sqlite3_keyword_check(name, (int)plain))
		return xstrdup(name);
	sql_put(&text, "\"%w\"", name);
	bytes_add(&text, "", 1);
	return (char *)text.at;
}

static char *write_and_free(char *name)
{
	char *text = name ? written(name) : NULL;

	free(name);
	return text;
}

/* The table or view that was perhaps meant, to be freed; or NULL. */
static char *sql_nearest_table(sqlite3 *handle, const char *typed)
{
	return write_and_free(nearest_of(handle, tables, "", typed));
}

static int exists(sqlite3 *handle, const char *sql, const char *parameter,
		  const char *name)
{
	AUTO(words_free) struct words names = names_of(handle, sql, parameter);
	int found = 0;

	for (size_t i = 0; i < names.count; i++)
		found |= !sqlite3_stricmp(names.items[i], name);
	return found;
}

/* Hints, to be freed; or NULL. */

static char *did_you_mean(char *name, const char *otherwise)
{
	char *text = name ? xprintf("did you mean %s?", name) : NULL;

	free(name);
	return text ? text : otherwise ? xstrdup(otherwise) : NULL;
}

static char *hint_for_table(sqlite3 *handle, const char *name)
{
	AUTO(words_free) struct words same = names_of(handle, same_event, name);
	AUTO_FREE char *one = NULL, *other = NULL;
	char *hint = NULL;

	if (same.count) {
		one = written(same.items[0]);
		other = written(same.items[same.count > 1]);
		hint = same.count < 2 ? xprintf("did you mean %s?", one) :
					xprintf("%zu tables are of events with this "
						"name: %s, %s%s",
						same.count, one, other,
						same.count > 2 ? ", ..." : "");
	}
	return hint ? hint :
		      did_you_mean(sql_nearest_table(handle, name), ".tables lists them");
}

/* "client.port", where client is a column that has a struct. */
static char *hint_for_member(sqlite3 *handle, const char *sql, const char *name)
{
	const char *dot = strchr(name, '.');
	char *column, *hint = NULL;

	if (!dot)
		return NULL;
	column = xstrndup(name, (size_t)(dot - name));
	if (exists(handle, columns, sql, column))
		hint = xprintf("a member of a struct is written %s->>'%s'", column,
			       dot + 1);
	free(column);
	return hint;
}

static char *hint_for_column(sqlite3 *handle, const char *sql, const char *name,
			     int is_quoted)
{
	const char *dot = strrchr(name, '.');
	char *hint = hint_for_member(handle, sql, name), *near;

	if (hint)
		return hint;
	near = nearest_of(handle, columns, sql, dot ? dot + 1 : name);
	if (near || !is_quoted)
		return did_you_mean(write_and_free(near),
				    ".schema TABLE lists the columns");
	return xprintf("text is written in single quotes: '%s'", name);
}

/* The word of SQL at this place. */
static char *word_at(const char *place)
{
	const size_t length = strspn(place, letters);

	return length ? xstrndup(place, length) : NULL;
}

/* "FROM Order" and "FROM Shop:Order" */
static char *hint_for_syntax(sqlite3 *handle, const char *place)
{
	char *word = word_at(place), *hint = NULL;

	if (*place == ':' || *place == '-')
		hint = xstrdup("a name with other characters than letters, digits and _ "
			       "is written in double quotes");
	else if (word && sqlite3_keyword_check(word, (int)strlen(word)) &&
		 exists(handle, tables, "", word))
		hint = xprintf("%s is a word of SQL; as a name it is written \"%s\"",
			       word, word);
	free(word);
	return hint;
}

/* The text after a beginning, or NULL. */
static const char *after(const char *text, const char *begin)
{
	const size_t length = strlen(begin);

	return strncmp(text, begin, length) ? NULL : text + length;
}

static int is_name_byte(char byte)
{
	return (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') ||
	       (byte >= 'A' && byte <= 'Z') || byte == '_' || byte & 0x80;
}

int sql_has_word_at(const char *sql, const char *at, const char *word)
{
	const size_t length = strlen(word);

	return !sqlite3_strnicmp(at, word, (int)length) && !is_name_byte(at[length]) &&
	       (at == sql || !is_name_byte(at[-1]));
}

static int has_word(const char *sql, const char *word)
{
	for (const char *at = sql; *at; at++)
		if (sql_has_word_at(sql, at, word))
			return 1;
	return 0;
}

/* Its table's name may stand before it. */
static int is_rendered(const char *column)
{
	const char *dot = strrchr(column, '.');

	return !sqlite3_stricmp(dot ? dot + 1 : column, "text") ||
	       !sqlite3_stricmp(dot ? dot + 1 : column, "fields");
}

static char *find_hint(sqlite3 *handle, const char *problem, const char *statement,
		       const char *place)
{
	const char *name;

	if ((name = after(problem, "no such table: ")))
		return hint_for_table(handle, name);
	if ((name = after(problem, "no such column: ")) && is_rendered(name) &&
	    has_word(statement, "events"))
		return xstrdup("a database of --db has this column of events if the SQL with "
			       "which it is made names it");
	if ((name = after(problem, "no such column: ")))
		return hint_for_column(handle, statement, name, place && *place == '"');
	if ((name = after(problem, "no such function: ")))
		return did_you_mean(nearest_of(handle, functions, "", name), NULL);
	if (strstr(problem, "syntax error") && place)
		return hint_for_syntax(handle, place);
	return NULL;
}

/*
 * Used in this room: report the error that SQLite has for the statement that begins at
 * this place of the text. Returns the exit status.
 */
static int sql_error_report(sqlite3 *handle, const char *text, const char *statement)
{
	const int offset = sqlite3_error_offset(handle);
	const int is_refused = sqlite3_errcode(handle) == SQLITE_AUTH;
	const char *place = offset < 0 ? NULL : statement + offset;
	AUTO_FREE char *problem = xstrdup(sqlite3_errmsg(handle));
	AUTO_FREE char *hint = find_hint(handle, problem, statement, place);

	if (is_refused)
		message("cannot run the SQL: " SQL_ONLY_READS);
	else
		message("cannot run the SQL: %s%s%s", problem, hint ? "; " : "",
			hint ? hint : "");
	if (place && !is_refused)
		point(text, place);
	return EXIT_WRONG_USAGE;
}

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

/* Run one statement. *rest: the text after it. Returns an exit status. */
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
	message("cannot run the SQL: %s%s", sqlite3_errmsg(handle),
		strcmp(sqlite3_errmsg(handle), "integer overflow") || !has_word(begin, "sum") ?
			"" : "; total() adds without one, rounded");
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
	AUTO(bytes_free) struct bytes text = { .at = NULL };
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
	sqlite3_finalize(statement);
	return count;
}

static int run_schema(sqlite3 *handle, const char *name, struct result *result)
{
	AUTO_FREE char *near = NULL;
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
	AUTO_FREE char *argument = xstrndup(*rest + word + strspn(*rest + word, " \t"),
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

int statements_run(sqlite3 *handle, const char *sql, struct result *result)
{
	AUTO_FREE char *text = wide_numbers_quoted(sql);
	const char *rest = skip_blanks(text);
	int status = EXIT_ALL_WORKED;

	while (*rest && !status && !ferror(stdout)) {
		status = *rest == '.' ? run_dot(handle, &rest, result) :
					run_sql(handle, text, &rest, result);
		rest = skip_blanks(rest);
	}
	return status;
}
