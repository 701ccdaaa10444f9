/* SPDX-License-Identifier: MIT */
/*
 * The table of one kind of events: a column for each property and for each field that an
 * event of this kind had, in whatever version of its definition.
 */
#ifndef UE__TOOLS_QUERY_EVENT_TABLE_H
#define UE__TOOLS_QUERY_EVENT_TABLE_H

#include <sqlite3.h>
#include <stdint.h>

#include "database.h"
#include "event_fields.h"
#include "common/events/field.h"

/*
 * The storage class of a column's values. A column with values of several classes has no
 * type, so that SQLite keeps each as it is.
 */
enum column_type {
	COLUMN_ANY,
	COLUMN_INTEGER,
	COLUMN_REAL,
	COLUMN_TEXT,
	COLUMN_BLOB,
};

struct column {
	char *name; /* in SQL */
	char *field; /* in events; NULL: a property */
	size_t length;
	enum property property; /* PROPERTY_NONE and no field: the number of the event */
	enum column_type type;
	uint64_t pass; /* over the fields of an event: the last one that met it */
};

#define COLUMNS_MAX 500u

struct event_table {
	const struct event_kind *kind; /* the first one with this name */
	char *name; /* "Shop:Order" */
	char *event; /* "Order" */
	int has_short_name;
	struct column *columns;
	uint32_t count;
	sqlite3_stmt *insert; /* with all columns; NULL: to be prepared */
};

/* Properties of one event, which several tables have. */
struct properties {
	struct value values[PROPERTIES];
	struct bytes scratch[2]; /* of the two activities */
};

void properties_get(struct properties *properties, const struct event *event);
/* Bind a value to a parameter. */
void bind_value(sqlite3_stmt *statement, int parameter, const struct value *value,
		int is_scratch);
/* The class that bind_value() stores it in. COLUMN_ANY: null. */
enum column_type class_of(const struct value *value);

/* With the columns of properties. */
void event_table_begin(struct event_table *table, const struct event_kind *kind);
void event_table_free(struct event_table *table);
/* INSERT with a parameter for each column. */
void event_table_insertion(const struct event_table *table, struct bytes *sql);
/*
 * The column of a field, looked for from *guess on, which is moved behind it; NULL if
 * there is none. A name that occurs twice in an event has two columns: those met in this
 * pass are passed over, and the one found is marked.
 */
struct column *event_table_find(struct event_table *table,
				const struct event_field *field, uint64_t pass,
				uint32_t *guess);
/* Add a column. NULL if there are too many. */
struct column *event_table_add(struct event_table *table,
			       const struct event_field *field);

#endif
