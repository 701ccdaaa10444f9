/* SPDX-License-Identifier: MIT */
/* Knows the columns of a table, and their names. */
#include "event_tables.h"

#include <stdlib.h>
#include <string.h>
#include <userevents/decode/render.h>

#include "common/cli/memory.h"

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
	if (column.type == COLUMN_WIDE)
		column.type = COLUMN_ANY;
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

/* CREATE TABLE with this name. */
static void event_table_define(const struct event_table *table, const char *name,
			       struct bytes *sql)
{
	static const char *const types[] = {
		[COLUMN_ANY] = "",	 [COLUMN_INTEGER] = " INTEGER",
		[COLUMN_REAL] = " REAL", [COLUMN_TEXT] = " TEXT",
		[COLUMN_BLOB] = " BLOB",
	};

	sql_put(sql, "CREATE TABLE \"%w\"", name);
	for (uint32_t i = 0; i < table->count; i++)
		sql_put(sql, "%s\n  \"%w\"%s", i ? "," : " (", table->columns[i].name,
			i ? types[table->columns[i].type] : " INTEGER PRIMARY KEY");
	bytes_put(sql, "\n)");
}

void event_table_insertion(const struct event_table *table, struct bytes *sql)
{
	sql_put(sql, "INSERT INTO \"%w\"", table->name);
	for (uint32_t i = 0; i < table->count; i++)
		bytes_put(sql, i ? ",?" : " VALUES (?");
	bytes_put(sql, ")");
}

/* Converts values of events to values of SQLite, which has no unsigned numbers. */

static int is_beyond(const struct value *value)
{
	return value->type == VALUE_UNSIGNED && value->whole < 0;
}

enum column_type class_of(const struct value *value)
{
	switch (value->type) {
	case VALUE_BOOLEAN:
	case VALUE_SIGNED:
	case VALUE_UNSIGNED:
		return is_beyond(value) ? COLUMN_WIDE : COLUMN_INTEGER;
	case VALUE_FLOAT:
		return COLUMN_REAL;
	case VALUE_TEXT:
	case VALUE_COMPOUND:
		return COLUMN_TEXT;
	case VALUE_BYTES:
		return COLUMN_BLOB;
	default:
		return COLUMN_ANY;
	}
}

static void bind_whole(sqlite3_stmt *statement, int parameter, const struct value *value)
{
	char text[WIDE_NUMBER_LENGTH + 1];

	if (!is_beyond(value)) {
		sqlite3_bind_int64(statement, parameter, value->whole);
		return;
	}
	wide_number_text(text, (uint64_t)value->whole);
	sqlite3_bind_text(statement, parameter, text, WIDE_NUMBER_LENGTH, SQLITE_TRANSIENT);
}

void bind_value(sqlite3_stmt *statement, int parameter, const struct value *value,
		int is_scratch)
{
	const int length = (int)value->length;

	switch (class_of(value)) {
	case COLUMN_ANY:
		sqlite3_bind_null(statement, parameter);
		break;
	case COLUMN_REAL:
		sqlite3_bind_double(statement, parameter, value->number);
		break;
	case COLUMN_BLOB:
		sqlite3_bind_blob(statement, parameter, length ? value->text : "", length,
				  SQLITE_STATIC);
		break;
	default:
		if (value->type != VALUE_TEXT && value->type != VALUE_COMPOUND)
			bind_whole(statement, parameter, value);
		else
			sqlite3_bind_text(statement, parameter, length ? value->text : "",
					  length,
					  is_scratch ? SQLITE_TRANSIENT : SQLITE_STATIC);
	}
}

/* All fields of an event */

#define RENDERED_USUAL 512

static ptrdiff_t render(struct event *event, int is_text, char *out, size_t size)
{
	const struct ue_render_opts opts = { .size = sizeof(opts), .meta = UE_META_NONE,
					     .flags = is_text ? UE_RENDER_TAGS : 0 };

	if (event->info)
		return (is_text ? ue_reader_to_text : ue_reader_to_json)(
			&event->reader, &opts, out, size);
	return (is_text ? ue_record_to_text : ue_record_to_json)(
		&event->record->tracepoint->format, event->bytes, event->length,
		&opts, out, size);
}

void bind_rendered(sqlite3_stmt *statement, int parameter, struct event *event, int is_text,
		 struct bytes *scratch)
{
	ptrdiff_t length;

	scratch->length = 0;
	length = render(event, is_text, bytes_room(scratch, RENDERED_USUAL),
			RENDERED_USUAL);
	if (length >= RENDERED_USUAL)
		length = render(event, is_text, bytes_room(scratch, (size_t)length + 1),
				(size_t)length + 1);
	if (length >= 0)
		sqlite3_bind_text(statement, parameter, (const char *)scratch->at, (int)length,
				  SQLITE_STATIC);
	else
		sqlite3_bind_null(statement, parameter);
}

void properties_get(struct properties *properties, const struct event *event)
{
	for (int i = PROPERTY_NONE + 1; i < PROPERTIES; i++)
		property_get((enum property)i, event, &properties->values[i],
			     &properties->scratch[i == PROPERTY_RELATED_ACTIVITY]);
}

/* Creates tables, changes their definitions, and gives them their names. */

/* Run the statement in tables->sql, and empty it. */
static int run(struct event_tables *tables)
{
	bytes_add(&tables->sql, "", 1);
	tables->sql.length = 0;
	return database_run(tables->database, (const char *)tables->sql.at);
}

/* SQLite reads the schema again when it runs a statement and the version has changed. */
static int bump_schema(struct event_tables *tables)
{
	sqlite3_stmt *statement;

	if (sqlite3_prepare_v2(tables->database->handle, "PRAGMA schema_version", -1,
			       &statement, NULL) ||
	    sqlite3_step(statement) != SQLITE_ROW)
		return database_complain(tables->database);
	sql_put(&tables->sql,
		"PRAGMA schema_version = %d; SELECT 1 FROM sqlite_schema LIMIT 1",
		sqlite3_column_int(statement, 0) + 1);
	sqlite3_finalize(statement);
	return run(tables);
}

/* Replace the definition, and the name. */
static int redefine(struct event_tables *tables, const struct event_table *table,
		    const char *name)
{
	AUTO(bytes_free) struct bytes definition = { .at = NULL };

	event_table_define(table, name, &definition);
	bytes_add(&definition, "", 1);
	sql_put(&tables->sql,
		"UPDATE sqlite_schema SET sql = %Q, name = %Q, tbl_name = %Q "
		"WHERE name = %Q",
		definition.at, name, name, table->name);
	return run(tables);
}

/* SQLite stores 3.0 in a column of type REAL as 3, and converts it as it reads. */
static int convert_reals(struct event_tables *tables, const struct event_table *table,
			 struct column *column)
{
	sql_put(&tables->sql,
		"UPDATE \"%w\" SET \"%w\" = CAST(\"%w\" AS REAL) "
		"WHERE typeof(\"%w\") = 'integer'",
		table->name, column->name, column->name, column->name);
	column->was_real = 0;
	tables->columns_read += tables->rows / 10; /* about as long */
	return run(tables);
}

int event_tables_redefine(struct event_tables *tables, struct event_table *table)
{
	int result;

	/* as much as a thousand columns for the change itself */
	tables->columns_read += tables->columns + 1000;
	result = redefine(tables, table, table->name) || bump_schema(tables);
	for (uint32_t i = 0; i < table->count && !result; i++)
		if (table->columns[i].was_real)
			result = convert_reals(tables, table, &table->columns[i]);
	return result ? -1 : 0;
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
	return !sqlite3_stricmp(name, "events") || !sqlite3_stricmp(name, "requests");
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
	sql_put(&tables->sql, "CREATE VIEW \"%w\" AS SELECT * FROM \"%w\"", table->name,
		table->event);
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
