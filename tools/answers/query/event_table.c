/* SPDX-License-Identifier: MIT */
/* Knows the columns of a table, and what they are called. */
#include "event_table.h"

#include <stdlib.h>
#include <string.h>

#include "common/cli/memory.h"
#include "sql_name.h"

/* SQLite's names of columns do not distinguish upper and lower case. */
static int is_taken(const struct event_table *table, const char *name)
{
	for (uint32_t i = 0; i < table->count; i++)
		if (!sqlite3_stricmp(table->columns[i].name, name))
			return 1;
	return 0;
}

/* "status", or if there is another such column, "status:2". Takes the name. */
static char *make_unused(const struct event_table *table, char *name)
{
	char *tried = xstrdup(name);

	for (unsigned i = 2; is_taken(table, tried); i += i < 9 ? 1 : table->count) {
		free(tried);
		tried = xprintf("%s:%u", name, i);
	}
	free(name);
	return tried;
}

/* A property gives its plain name to a field, as in --where. */
static void move_property(const struct event_table *table, const char *name)
{
	for (uint32_t i = 0; i < table->count; i++) {
		struct column *column = &table->columns[i];
		char *moved;

		if (column->field || sqlite3_stricmp(column->name, name))
			continue;
		moved = make_unused(table, xprintf("meta.%s", name));
		free(column->name);
		column->name = moved;
		return;
	}
}

static struct column *add(struct event_table *table, const struct column *column)
{
	table->columns = xgrow(table->columns, table->count, sizeof(*column));
	table->columns[table->count] = *column;
	return &table->columns[table->count++];
}

struct column *event_table_add(struct event_table *table, const struct event_field *field)
{
	struct column column = { .length = field->length };

	if (table->count >= COLUMNS_MAX)
		return NULL;
	column.name = sql_name(field->name, field->length);
	move_property(table, column.name);
	column.name = make_unused(table, column.name);
	column.field = memcpy(xmalloc(field->length + 1), field->name, field->length);
	column.type = class_of(&field->value);
	return add(table, &column);
}

static int has_name(const struct column *column, const struct event_field *field)
{
	return column->field && column->length == field->length &&
	       !memcmp(column->field, field->name, field->length);
}

struct column *event_table_find(struct event_table *table,
				const struct event_field *field, uint64_t pass,
				uint32_t *guess)
{
	for (uint32_t tries = 0; tries < table->count; tries++) {
		uint32_t at = *guess < table->count ? *guess : 0;
		struct column *column = &table->columns[at];

		*guess = at + 1;
		if (column->pass == pass || !has_name(column, field))
			continue;
		column->pass = pass;
		return column;
	}
	return NULL;
}

/* The columns that are no fields */

static void add_property(struct event_table *table, enum property property,
			 enum column_type type, const char *name)
{
	const struct column column = {
		.name = xstrdup(name),
		.property = property,
		.type = type,
	};

	add(table, &column);
}

void event_table_begin(struct event_table *table, const struct event_kind *kind)
{
	*table = (struct event_table){ .kind = kind };
	add_property(table, PROPERTY_NONE, COLUMN_INTEGER, "event_id");
	add_property(table, PROPERTY_TIME, COLUMN_INTEGER, "time");
	add_property(table, PROPERTY_PID, COLUMN_INTEGER, "pid");
	add_property(table, PROPERTY_TID, COLUMN_INTEGER, "tid");
	add_property(table, PROPERTY_COMM, COLUMN_TEXT, "comm");
	add_property(table, PROPERTY_CPU, COLUMN_INTEGER, "cpu");
	add_property(table, PROPERTY_CGROUP, COLUMN_ANY, "cgroup");
	if (!kind->is_eventheader)
		return;
	add_property(table, PROPERTY_LEVEL, COLUMN_INTEGER, "level");
	add_property(table, PROPERTY_KEYWORD, COLUMN_ANY, "keyword");
	add_property(table, PROPERTY_OPCODE, COLUMN_INTEGER, "opcode");
	/* fields are often called id */
	add_property(table, PROPERTY_ID, COLUMN_INTEGER, "meta.id");
	add_property(table, PROPERTY_VERSION, COLUMN_INTEGER, "meta.version");
	add_property(table, PROPERTY_ACTIVITY, COLUMN_TEXT, "activity");
	add_property(table, PROPERTY_RELATED_ACTIVITY, COLUMN_TEXT, "relatedActivity");
}

void event_table_free(struct event_table *table)
{
	for (uint32_t i = 0; i < table->count; i++) {
		free(table->columns[i].name);
		free(table->columns[i].field);
	}
	free(table->columns);
	free(table->name);
	free(table->event);
	sqlite3_finalize(table->insert);
}

void event_table_define(const struct event_table *table, const char *name,
			struct bytes *sql)
{
	static const char *const types[] = {
		[COLUMN_ANY] = "",	 [COLUMN_INTEGER] = " INTEGER",
		[COLUMN_REAL] = " REAL", [COLUMN_TEXT] = " TEXT",
		[COLUMN_BLOB] = " BLOB",
	};

	sql_add(sql, "CREATE TABLE ");
	sql_quote_name(sql, name);
	for (uint32_t i = 0; i < table->count; i++) {
		sql_add(sql, i ? ",\n  " : " (\n  ");
		sql_quote_name(sql, table->columns[i].name);
		sql_add(sql, i ? types[table->columns[i].type] : " INTEGER PRIMARY KEY");
	}
	sql_add(sql, "\n)");
}

void event_table_insertion(const struct event_table *table, struct bytes *sql)
{
	sql_add(sql, "INSERT INTO ");
	sql_quote_name(sql, table->name);
	for (uint32_t i = 0; i < table->count; i++)
		sql_add(sql, i ? ",?" : " VALUES (?");
	sql_add(sql, ")");
}
