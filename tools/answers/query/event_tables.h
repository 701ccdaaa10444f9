/* SPDX-License-Identifier: MIT */
/* A sink that puts events into a database: a table for each kind, and one of all. */
#ifndef UE__TOOLS_QUERY_EVENT_TABLES_H
#define UE__TOOLS_QUERY_EVENT_TABLES_H

#include "event_table.h"
#include "read/stream/sink.h"

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
	int32_t *by_kind; /* index in items; -1: none */
	uint32_t kinds;
	sqlite3_stmt *insert; /* into the table of all events */
	uint64_t rows;
	uint64_t passes; /* over fields */
	uint32_t columns; /* of all tables */
	uint64_t columns_read;
	struct properties properties;
	struct bytes scratch;
	struct bytes sql;
	/* Reported at the end: */
	uint64_t malformed;
	uint64_t without_table; /* events */
	uint64_t without_column; /* values */
};

/* An empty sink. 0, or -1 after a message. */
int event_tables_begin(struct event_tables *tables, struct database *database);
void event_tables_free(struct event_tables *tables);

/* Within this room: 0, or -1 after a message. */

/* Create a table of this kind, under its full name. */
int event_tables_add(struct event_tables *tables, struct event_table *table);
/* Its columns have changed. */
int event_tables_redefine(struct event_tables *tables, const struct event_table *table);
/*
 * At the end: a table whose event has a name of its own is called "Order", and a view
 * "Shop:Order"; others "Shop:Order" alone.
 */
int event_tables_name(struct event_tables *tables);

#endif
