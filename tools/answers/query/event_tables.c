/* SPDX-License-Identifier: MIT */
/*
 * Puts events into tables.
 *
 * The columns of a table become known with its events, so it may have to change: another
 * version of an event has a new field, or a field of another type. Rows stay as they are;
 * only the text of the table's definition is replaced, as ALTER TABLE ADD COLUMN does.
 */
#include "event_tables.h"

#include <stdlib.h>
#include <string.h>

#include "common/cli/memory.h"
#include "common/cli/message.h"

/*
 * The table of requests: a row for each start, which its stop completes. So nothing but the
 * number of the row is kept of an open one, and those that never end are in the table, too.
 */

static const char requests_definition[] =
	"CREATE TABLE requests (\n"
	"  request_id INTEGER PRIMARY KEY,\n"
	"  start_id INTEGER,\n  stop_id INTEGER,\n"
	"  start TEXT,\n  stop TEXT,\n"
	"  time INTEGER,\n  duration INTEGER,\n"
	"  pid INTEGER,\n  tid INTEGER,\n  comm TEXT,\n  activity TEXT,\n"
	"  start_fields TEXT,\n  stop_fields TEXT,\n  parent TEXT\n)";
static const char requests_insertion[] =
	"INSERT INTO requests VALUES (?1, ?2, NULL, ?3, NULL, ?4, NULL, ?5, ?6, ?7, ?8, ?9, NULL, "
	"?10)";
static const char requests_completion[] =
	"UPDATE requests SET stop_id = ?2, stop = ?3, duration = ?4, stop_fields = ?5 "
	"WHERE request_id = ?1";

static const enum property bound[] = {
	PROPERTY_EVENT, PROPERTY_TIME, PROPERTY_PID, PROPERTY_TID, PROPERTY_COMM,
	PROPERTY_ACTIVITY,
};

#define BOUND (sizeof(bound) / sizeof(bound[0]))

/* 0, or -1 after a message. */
static int requests_begin(struct requests *requests, struct database *database)
{
	requests->pairs.data_size = sizeof(int64_t);
	if (database_run(database, requests_definition) ||
	    sqlite3_prepare_v3(database->handle, requests_insertion, -1, SQLITE_PREPARE_PERSISTENT,
			       &requests->insert, NULL) ||
	    sqlite3_prepare_v3(database->handle, requests_completion, -1, SQLITE_PREPARE_PERSISTENT,
			       &requests->complete, NULL))
		return database_complain(database);
	return 0;
}

/* Rows */

static int step_request(sqlite3_stmt *statement)
{
	const int result = sqlite3_step(statement);

	sqlite3_reset(statement);
	sqlite3_clear_bindings(statement);
	return result == SQLITE_DONE ? 0 : -1;
}

static int insert(struct requests *requests, struct event *event, int64_t event_id,
		  const struct properties *properties, struct open_start *opened)
{
	const int64_t row = ++requests->rows;

	*(int64_t *)opened->data = row;
	sqlite3_bind_int64(requests->insert, 1, row);
	sqlite3_bind_int64(requests->insert, 2, event_id);
	for (size_t i = 0; i < BOUND; i++)
		bind_value(requests->insert, (int)i + 3, &properties->values[bound[i]], 0);
	bind_rendered(requests->insert, BOUND + 3, event, 0, &requests->json);
	bind_value(requests->insert, BOUND + 4, &properties->values[PROPERTY_RELATED_ACTIVITY], 0);
	return step_request(requests->insert);
}

static int complete(struct requests *requests, struct event *event, int64_t event_id,
		    const struct properties *properties, const struct pair *pair)
{
	sqlite3_bind_int64(requests->complete, 1, *(const int64_t *)pair->ended->data);
	sqlite3_bind_int64(requests->complete, 2, event_id);
	bind_value(requests->complete, 3, &properties->values[PROPERTY_EVENT], 0);
	sqlite3_bind_int64(requests->complete, 4, pair->nanoseconds);
	bind_rendered(requests->complete, 5, event, 0, &requests->json);
	return step_request(requests->complete);
}

/* 0, or -1: SQLite knows why. event_id: its number in the table of all events. */
static int requests_take(struct requests *requests, struct event *event, int64_t event_id,
			 const struct properties *properties)
{
	struct pair pair;

	if (!pairs_take(&requests->pairs, event, &pair))
		return 0;
	if (pair.ended && complete(requests, event, event_id, properties, &pair))
		return -1;
	return pair.opened ? insert(requests, event, event_id, properties, pair.opened) : 0;
}

static void requests_free(struct requests *requests)
{
	sqlite3_finalize(requests->insert);
	sqlite3_finalize(requests->complete);
	pairs_free(&requests->pairs);
	bytes_free(&requests->json);
}

static const enum property common[] = {
	PROPERTY_TIME, PROPERTY_PROVIDER, PROPERTY_EVENT, PROPERTY_PID, PROPERTY_TID,
	PROPERTY_COMM, PROPERTY_CPU, PROPERTY_CGROUP, PROPERTY_LEVEL, PROPERTY_OPCODE,
	PROPERTY_ACTIVITY, PROPERTY_RELATED_ACTIVITY,
};

#define COMMON (sizeof(common) / sizeof(common[0]))

static const char definition[] =
	"CREATE TABLE events (\n"
	"  event_id INTEGER PRIMARY KEY,\n"
	"  time INTEGER,\n  provider TEXT,\n  event TEXT,\n"
	"  pid INTEGER,\n  tid INTEGER,\n  comm TEXT,\n  cpu INTEGER,\n  cgroup,\n"
	"  level INTEGER,\n  opcode INTEGER,\n"
	"  activity TEXT,\n  relatedActivity TEXT";

static int prepare(struct event_tables *tables, sqlite3_stmt **statement)
{
	const int result = sqlite3_prepare_v3(tables->database->handle,
					      (const char *)tables->sql.at,
					      (int)tables->sql.length,
					      SQLITE_PREPARE_PERSISTENT, statement, NULL);

	tables->sql.length = 0;
	return result ? database_complain(tables->database) : 0;
}

static int step(struct event_tables *tables, sqlite3_stmt *statement)
{
	int result = sqlite3_step(statement);

	if (result != SQLITE_DONE && result != SQLITE_ROW)
		return database_complain(tables->database);
	sqlite3_reset(statement);
	return 0;
}

/* The table of all events */

static int insert_common(struct event_tables *tables, struct event *event)
{
	sqlite3_stmt *insert = tables->insert;

	sqlite3_bind_int64(insert, 1, (int64_t)tables->rows);
	for (size_t i = 0; i < COMMON; i++)
		bind_value(insert, (int)i + 2, &tables->properties.values[common[i]], 0);
	if (tables->has_rendered)
		bind_rendered(insert, COMMON + 2, event, 1, &tables->rendered[0]);
	if (tables->has_rendered)
		bind_rendered(insert, COMMON + 3, event, 0, &tables->rendered[1]);
	return step(tables, insert);
}

/* Columns */

/* One pass over the fields of an event. */
struct pass {
	struct event_tables *tables;
	struct event_table *table;
	uint64_t number;
	uint32_t guess; /* where the column of the next field is */
	int is_changed;
};

#define MUST_CHANGE 1

static int fits(const struct column *column, const struct value *value)
{
	enum column_type class = class_of(value);

	return !class || !column->type || column->type == class;
}

/* Make the column that a field needs. */
static int define_field(void *context, const struct event_field *field)
{
	struct pass *pass = context;
	struct column *column = event_table_find(pass->table, field, pass->number,
						 &pass->guess);

	if (column && fits(column, &field->value))
		return 0;
	if (column) {
		column->was_real = column->type == COLUMN_REAL;
		column->type = COLUMN_ANY;
	} else {
		column = event_table_add(pass->table, field);
	}
	if (column)
		column->pass = pass->number;
	pass->is_changed = 1;
	return 0;
}

static void define_fields(struct event_tables *tables, struct event_table *table,
			  struct event *event)
{
	struct pass pass = { tables, table, ++tables->passes, 0, 0 };

	event_fields_each(event, &tables->scratch, define_field, &pass);
}

static int may_change(const struct pass *pass, const struct column *column)
{
	return pass->tables->columns_read < COLUMNS_READ_MAX &&
	       (column || pass->table->count < COLUMNS_MAX);
}

static int bind_field(void *context, const struct event_field *field)
{
	struct pass *pass = context;
	struct column *column = event_table_find(pass->table, field, pass->number,
						 &pass->guess);

	if (column && fits(column, &field->value)) {
		bind_value(pass->table->insert, (int)(column - pass->table->columns) + 1,
			   &field->value, field->is_scratch);
		return 0;
	}
	if (may_change(pass, column))
		return MUST_CHANGE;
	pass->tables->without_column++;
	return 0;
}

static int bind_fields(struct event_tables *tables, struct event_table *table,
		       struct event *event)
{
	struct pass pass = { tables, table, ++tables->passes, 0, 0 };

	return event_fields_each(event, &tables->scratch, bind_field, &pass);
}

static void bind_properties(struct event_tables *tables, struct event_table *table)
{
	sqlite3_bind_int64(table->insert, 1, (int64_t)tables->rows);
	for (uint32_t i = 1; i < table->count && !table->columns[i].field; i++)
		bind_value(table->insert, (int)i + 1,
			   &tables->properties.values[table->columns[i].property], 0);
}

/* Rows */

static int change(struct event_tables *tables, struct event_table *table,
		  struct event *event)
{
	const uint32_t count = table->count;

	define_fields(tables, table, event);
	tables->columns += table->count - count;
	sqlite3_finalize(table->insert);
	table->insert = NULL;
	return event_tables_redefine(tables, table);
}

static int prepare_insert(struct event_tables *tables, struct event_table *table)
{
	if (table->insert)
		return 0;
	event_table_insertion(table, &tables->sql);
	return prepare(tables, &table->insert);
}

/* A row with the values of all fields that have a column. */
static int insert_row(struct event_tables *tables, struct event_table *table,
		      struct event *event)
{
	int result;

	for (;;) {
		if (prepare_insert(tables, table))
			return -1;
		bind_properties(tables, table);
		result = bind_fields(tables, table, event);
		if (result != MUST_CHANGE)
			break;
		if (change(tables, table, event))
			return -1;
	}
	tables->malformed += result < 0;
	if (step(tables, table->insert))
		return -1;
	sqlite3_clear_bindings(table->insert);
	return 0;
}

static struct event_table *add_table(struct event_tables *tables, struct event *event)
{
	struct event_table *table = xmalloc(sizeof(*table));

	event_table_begin(table, event->kind);
	define_fields(tables, table, event);
	return event_tables_add(tables, table) ? NULL : table;
}

static int32_t *slot_of(struct event_tables *tables, const struct event_kind *kind)
{
	for (; tables->events <= kind->event; tables->events++) {
		tables->by_event = xgrow(tables->by_event, tables->events, sizeof(int32_t));
		tables->by_event[tables->events] = -1;
	}
	return &tables->by_event[kind->event];
}

/* 0, or -1 after a message. Without a table for this kind, it is NULL. */
static int table_of(struct event_tables *tables, struct event *event,
		    struct event_table **table)
{
	int32_t *slot = slot_of(tables, event->kind);

	if (*slot < 0 && tables->count < TABLES_MAX) {
		*slot = (int32_t)tables->count;
		return (*table = add_table(tables, event)) ? 0 : -1;
	}
	*table = *slot < 0 ? NULL : tables->items[*slot];
	return 0;
}

static int insert_event(struct event_tables *tables, struct event *event)
{
	struct event_table *table;

	tables->rows++;
	properties_get(&tables->properties, event);
	if (insert_common(tables, event) || table_of(tables, event, &table))
		return -1;
	if (requests_take(&tables->requests, event, (int64_t)tables->rows, &tables->properties))
		return database_complain(tables->database);
	if (table)
		return insert_row(tables, table, event);
	tables->without_table++;
	return 0;
}

static int take(struct sink *sink, struct event *event)
{
	struct event_tables *tables = (struct event_tables *)sink;
	int result;

	tables->is_busy = 1;
	result = insert_event(tables, event);
	tables->is_busy = result != 0;
	return result;
}

/* Beginning and end */

static void report(struct event_tables *tables)
{
	pairs_report(&tables->requests.pairs, "; these have no stop in the table \"requests\"");
	if (tables->malformed)
		message("%llu event%s malformed: the rows have the fields that can be read.",
			(unsigned long long)tables->malformed,
			tables->malformed == 1 ? " is" : "s are");
	if (tables->without_table)
		message("cannot make more than %u tables: %llu events of further kinds "
			"are in the table \"events\" alone", TABLES_MAX,
			(unsigned long long)tables->without_table);
	if (tables->without_column)
		message("cannot make more columns: %llu values of fields are missing; "
			"there are at most %u in a table, and fewer if many versions of "
			"many events differ", (unsigned long long)tables->without_column,
			COLUMNS_MAX);
	tables->is_incomplete = tables->malformed || tables->without_table ||
				tables->without_column || tables->requests.pairs.dropped;
}

/* A file that became shorter may have interrupted SQLite, which then cannot go on. */
static int end(struct sink *sink)
{
	struct event_tables *tables = (struct event_tables *)sink;

	if (tables->is_busy || event_tables_name(tables))
		return -1;
	report(tables);
	tables->is_finished = 1;
	return 0;
}

/*
 * Whether SQL may need a column: its name is in it, be it in a text, or a * that is not of
 * count(*), or it joins by all names. No harm is done if it does not need it.
 */
static int may_need(const char *sql, const char *name)
{
	for (const char *at = sql; *at; at++)
		if (sql_has_word_at(sql, at, name) || sql_has_word_at(sql, at, "natural") ||
		    (*at == '*' && (at == sql || at[-1] != '(')))
			return 1;
	return 0;
}

/* A file is for further questions: its columns are filled. */
static int has_columns(const struct event_tables *tables)
{
	return tables->has_rendered || !tables->database->path;
}

static int define_events(struct event_tables *tables)
{
	bytes_put(&tables->sql, definition);
	bytes_add_text(&tables->sql, has_columns(tables) ? ",\n  text TEXT,\n  fields TEXT\n)" :
							    "\n)");
	tables->sql.length = 0;
	return database_run(tables->database, (const char *)tables->sql.at);
}

int event_tables_begin(struct event_tables *tables, struct database *database,
		       const char *sql)
{
	*tables = (struct event_tables){ .sink = { .take = take, .end = end, .fd = -1 } };
	tables->database = database;
	tables->has_rendered = may_need(sql, "text") || may_need(sql, "fields");
	if (define_events(tables) || requests_begin(&tables->requests, database))
		return -1;
	bytes_put(&tables->sql, "INSERT INTO events VALUES (?");
	for (size_t i = 0; i < COMMON; i++)
		bytes_put(&tables->sql, ",?");
	bytes_put(&tables->sql, has_columns(tables) ? ",?,?)" : ")");
	return prepare(tables, &tables->insert);
}

void event_tables_free(struct event_tables *tables)
{
	for (uint32_t i = 0; i < tables->count; i++) {
		event_table_free(tables->items[i]);
		free(tables->items[i]);
	}
	sqlite3_finalize(tables->insert);
	requests_free(&tables->requests);
	free(tables->items);
	free(tables->by_event);
	bytes_free(&tables->properties.scratch[0]);
	bytes_free(&tables->properties.scratch[1]);
	bytes_free(&tables->scratch);
	bytes_free(&tables->rendered[0]);
	bytes_free(&tables->rendered[1]);
	bytes_free(&tables->sql);
}
