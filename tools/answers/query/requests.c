/* SPDX-License-Identifier: MIT */
/*
 * The table of requests: a row for each start, which its stop completes. So nothing but the
 * number of the row is kept of an open one, and those that never end are in the table, too.
 */
#include "event_tables.h"

#include "common/cli/message.h"

static const char definition[] =
	"CREATE TABLE requests (\n"
	"  request_id INTEGER PRIMARY KEY,\n"
	"  start_id INTEGER,\n  stop_id INTEGER,\n"
	"  start TEXT,\n  stop TEXT,\n"
	"  time INTEGER,\n  duration INTEGER,\n"
	"  pid INTEGER,\n  tid INTEGER,\n  comm TEXT,\n  activity TEXT,\n"
	"  start_fields TEXT,\n  stop_fields TEXT,\n  parent TEXT\n)";
static const char insertion[] =
	"INSERT INTO requests VALUES (?1, ?2, NULL, ?3, NULL, ?4, NULL, ?5, ?6, ?7, ?8, ?9, NULL, "
	"?10)";
static const char completion[] =
	"UPDATE requests SET stop_id = ?2, stop = ?3, duration = ?4, stop_fields = ?5 "
	"WHERE request_id = ?1";

static const enum property bound[] = {
	PROPERTY_EVENT, PROPERTY_TIME, PROPERTY_PID, PROPERTY_TID, PROPERTY_COMM,
	PROPERTY_ACTIVITY,
};

#define BOUND (sizeof(bound) / sizeof(bound[0]))

int requests_begin(struct requests *requests, struct database *database)
{
	requests->pairs.data_size = sizeof(int64_t);
	if (database_run(database, definition) ||
	    sqlite3_prepare_v3(database->handle, insertion, -1, SQLITE_PREPARE_PERSISTENT,
			       &requests->insert, NULL) ||
	    sqlite3_prepare_v3(database->handle, completion, -1, SQLITE_PREPARE_PERSISTENT,
			       &requests->complete, NULL))
		return database_complain(database);
	return 0;
}

/* Rows */

static int step(sqlite3_stmt *statement)
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
	return step(requests->insert);
}

static int complete(struct requests *requests, struct event *event, int64_t event_id,
		    const struct properties *properties, const struct pair *pair)
{
	sqlite3_bind_int64(requests->complete, 1, *(const int64_t *)pair->ended->data);
	sqlite3_bind_int64(requests->complete, 2, event_id);
	bind_value(requests->complete, 3, &properties->values[PROPERTY_EVENT], 0);
	sqlite3_bind_int64(requests->complete, 4, pair->nanoseconds);
	bind_rendered(requests->complete, 5, event, 0, &requests->json);
	return step(requests->complete);
}

int requests_take(struct requests *requests, struct event *event, int64_t event_id,
		  const struct properties *properties)
{
	struct pair pair;

	if (!pairs_take(&requests->pairs, event, &pair))
		return 0;
	if (pair.ended && complete(requests, event, event_id, properties, &pair))
		return -1;
	return pair.opened ? insert(requests, event, event_id, properties, pair.opened) : 0;
}

void requests_free(struct requests *requests)
{
	sqlite3_finalize(requests->insert);
	sqlite3_finalize(requests->complete);
	pairs_free(&requests->pairs);
	bytes_free(&requests->json);
}
