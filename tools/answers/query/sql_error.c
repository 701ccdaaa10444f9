/* SPDX-License-Identifier: MIT */
/*
 * Explains errors in SQL: SQLite's message, the line with a caret under the place, and
 * for a name that does not exist the nearest one that does.
 */
#include <stdlib.h>
#include <string.h>

#include "common/cli/caret.h"
#include "common/cli/memory.h"
#include "common/cli/message.h"
#include "common/cli/options.h"
#include "sql_name.h"
#include "statements.h"

static void point(const char *text, const char *place)
{
	const char *begin = place;
	char *line;

	while (begin > text && begin[-1] != '\n')
		begin--;
	line = xstrndup(begin, strcspn(begin, "\n"));
	message_caret(line, (size_t)(place - begin));
	free(line);
}

/* Names that exist */

/* The first column of a query, as words that are freed with free_names(). */
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

static void free_names(struct words *names)
{
	for (size_t i = 0; i < names->count; i++)
		free((char *)names->items[i]);
	free(names->items);
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
	free_names(&lowered);
	free_names(&names);
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
	sql_quote_name(&text, name);
	bytes_add(&text, "", 1);
	return (char *)text.at;
}

static char *write_and_free(char *name)
{
	char *text = name ? written(name) : NULL;

	free(name);
	return text;
}

char *sql_nearest_table(sqlite3 *handle, const char *typed)
{
	return write_and_free(nearest_of(handle, tables, "", typed));
}

static int exists(sqlite3 *handle, const char *sql, const char *parameter,
		  const char *name)
{
	struct words names = names_of(handle, sql, parameter);
	int found = 0;

	for (size_t i = 0; i < names.count; i++)
		found |= !sqlite3_stricmp(names.items[i], name);
	free_names(&names);
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
	struct words same = names_of(handle, same_event, name);
	char *hint = NULL, *one = NULL, *other = NULL;

	if (same.count) {
		one = written(same.items[0]);
		other = written(same.items[same.count > 1]);
		hint = same.count < 2 ? xprintf("did you mean %s?", one) :
					xprintf("%zu tables are of events with this "
						"name: %s, %s%s",
						same.count, one, other,
						same.count > 2 ? ", ..." : "");
	}
	free(one);
	free(other);
	free_names(&same);
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

static char *find_hint(sqlite3 *handle, const char *problem, const char *statement,
		       const char *place)
{
	const char *name;

	if ((name = after(problem, "no such table: ")))
		return hint_for_table(handle, name);
	if ((name = after(problem, "no such column: ")))
		return hint_for_column(handle, statement, name, place && *place == '"');
	if ((name = after(problem, "no such function: ")))
		return did_you_mean(nearest_of(handle, functions, "", name), NULL);
	if (strstr(problem, "syntax error") && place)
		return hint_for_syntax(handle, place);
	return NULL;
}

int sql_error_report(sqlite3 *handle, const char *text, const char *statement)
{
	const int offset = sqlite3_error_offset(handle);
	const int is_refused = sqlite3_errcode(handle) == SQLITE_AUTH;
	const char *place = offset < 0 ? NULL : statement + offset;
	char *problem = xstrdup(sqlite3_errmsg(handle));
	char *hint = find_hint(handle, problem, statement, place);

	if (is_refused)
		message("cannot run the SQL: " SQL_ONLY_READS);
	else
		message("cannot run the SQL: %s%s%s", problem, hint ? "; " : "",
			hint ? hint : "");
	if (place && !is_refused)
		point(text, place);
	free(hint);
	free(problem);
	return EXIT_WRONG_USAGE;
}
