/* SPDX-License-Identifier: MIT */
/* Converts values of events to values of SQLite, which has no unsigned numbers. */
#include <stdio.h>

#include "event_table.h"

/*
 * Numbers from 2^63 on are text, as SQLite's whole numbers end there: exact, so that
 * equal ids stay equal, and greater than every number.
 */
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
		return is_beyond(value) ? COLUMN_TEXT : COLUMN_INTEGER;
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
	char digits[24];
	int length;

	if (!is_beyond(value)) {
		sqlite3_bind_int64(statement, parameter, value->whole);
		return;
	}
	length = snprintf(digits, sizeof(digits), "%llu",
			  (unsigned long long)value->whole);
	sqlite3_bind_text(statement, parameter, digits, length, SQLITE_TRANSIENT);
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

void properties_get(struct properties *properties, const struct event *event)
{
	for (int i = PROPERTY_NONE + 1; i < PROPERTIES; i++)
		property_get((enum property)i, event, &properties->values[i],
			     &properties->scratch[i == PROPERTY_RELATED_ACTIVITY]);
}
