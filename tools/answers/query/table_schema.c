/* SPDX-License-Identifier: MIT */
/* Creates tables, changes their definitions, and gives them their names. */
#include <stdlib.h>
#include <string.h>

#include "common/cli/memory.h"
#include "event_tables.h"
#include "sql_name.h"

/* Run the statement in tables->sql. */
static int run(struct event_tables *tables)
{
	bytes_add(&tables->sql, "", 1);
	return database_run(tables->database, (const char *)tables->sql.at);
}

/* SQLite reads the schema again when it runs a statement and the version has changed. */
static int bump_schema(struct event_tables *tables)
{
	sqlite3_stmt *statement;
	char *sql;
	int result;

	if (sqlite3_prepare_v2(tables->database->handle, "PRAGMA schema_version", -1,
			       &statement, NULL) ||
	    sqlite3_step(statement) != SQLITE_ROW)
		return database_complain(tables->database);
	sql = xprintf("PRAGMA schema_version = %d; SELECT 1 FROM sqlite_schema LIMIT 1",
		      sqlite3_column_int(statement, 0) + 1);
	sqlite3_finalize(statement);
	result = database_run(tables->database, sql);
	free(sql);
	return result;
}

/* Replace the definition, and the name. */
static int redefine(struct event_tables *tables, const struct event_table *table,
		    const char *name)
{
	struct bytes definition = { .at = NULL };
	int result;

	event_table_define(table, name, &definition);
	bytes_add(&definition, "", 1);
	tables->sql.length = 0;
	sql_add(&tables->sql, "UPDATE sqlite_schema SET sql = ");
	sql_quote_text(&tables->sql, (const char *)definition.at);
	sql_add(&tables->sql, ", name = ");
	sql_quote_text(&tables->sql, name);
	sql_add(&tables->sql, ", tbl_name = ");
	sql_quote_text(&tables->sql, name);
	sql_add(&tables->sql, " WHERE name = ");
	sql_quote_text(&tables->sql, table->name);
	result = run(tables);
	bytes_free(&definition);
	return result;
}

int event_tables_redefine(struct event_tables *tables, const struct event_table *table)
{
	/* as much as a thousand columns for the change itself */
	tables->columns_read += tables->columns + 1000;
	return redefine(tables, table, table->name) || bump_schema(tables) ? -1 : 0;
}

static int is_reserved(const char *name)
{
	return !sqlite3_strnicmp(name, "sqlite_", 7);
}

/* Whether there is a table, or a view, of this name. */
static int is_table(const struct event_tables *tables, const char *name)
{
	for (uint32_t i = 0; i < tables->count; i++)
		if (!sqlite3_stricmp(tables->items[i]->name, name))
			return 1;
	return !sqlite3_stricmp(name, "events");
}

/* SQLite does not distinguish upper and lower case. */
static char *unused_name(const struct event_tables *tables, const struct event_kind *kind)
{
	char *name = sql_name(kind->shown, strlen(kind->shown)), *tried;

	tried = xprintf("%s%s", is_reserved(name) ? "_" : "", name);
	for (unsigned i = 2; is_table(tables, tried); i += i < 9 ? 1 : tables->count) {
		free(tried);
		tried = xprintf("%s%s:%u", is_reserved(name) ? "_" : "", name, i);
	}
	free(name);
	return tried;
}

int event_tables_add(struct event_tables *tables, struct event_table *table)
{
	table->name = unused_name(tables, table->kind);
	table->event = sql_name(table->kind->name, strlen(table->kind->name));
	tables->items = xgrow(tables->items, tables->count, sizeof(struct event_table *));
	tables->items[tables->count++] = table;
	tables->columns += table->count;
	tables->sql.length = 0;
	event_table_define(table, table->name, &tables->sql);
	return run(tables);
}

/* Names */

static int is_unique(const struct event_tables *tables, const struct event_table *table)
{
	int count = 0;

	for (uint32_t i = 0; i < tables->count; i++)
		count += !sqlite3_stricmp(tables->items[i]->event, table->event);
	return count == 1 && !is_table(tables, table->event) &&
	       !is_reserved(table->event);
}

static int add_view(struct event_tables *tables, const struct event_table *table)
{
	tables->sql.length = 0;
	sql_add(&tables->sql, "CREATE VIEW ");
	sql_quote_name(&tables->sql, table->name);
	sql_add(&tables->sql, " AS SELECT * FROM ");
	sql_quote_name(&tables->sql, table->event);
	return run(tables);
}

int event_tables_name(struct event_tables *tables)
{
	int result = 0;

	for (uint32_t i = 0; i < tables->count && !result; i++) {
		struct event_table *table = tables->items[i];

		table->has_short_name = is_unique(tables, table);
		if (table->has_short_name)
			result = redefine(tables, table, table->event);
	}
	if (!result)
		result = bump_schema(tables);
	for (uint32_t i = 0; i < tables->count && !result; i++)
		if (tables->items[i]->has_short_name)
			result = add_view(tables, tables->items[i]);
	return result;
}
