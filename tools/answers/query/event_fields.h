/* SPDX-License-Identifier: MIT */
/* The fields of an event, one after another, whatever its encoding. */
#ifndef UE__TOOLS_ANSWERS_QUERY_EVENT_FIELDS_H
#define UE__TOOLS_ANSWERS_QUERY_EVENT_FIELDS_H

#include <stddef.h>

#include "common/cli/memory.h"
#include "common/events/field.h"
#include "common/events/recorded_event.h"

/*
 * A field of the event itself, not of a struct. An array or a struct has its JSON as
 * text. The text is valid until the next field if is_scratch, and otherwise as long as
 * the event.
 */
struct event_field {
	const char *name; /* without attributes; not NUL-terminated */
	size_t length;
	struct value value;
	int is_scratch;
};

/*
 * Call take for each field, until it returns another value than 0, which is returned; 0
 * at the end, or -1 if the event is malformed. scratch is used on the way.
 */
int event_fields_each(struct event *event, struct bytes *scratch,
		      int (*take)(void *context, const struct event_field *field),
		      void *context);

/* Names of events and fields, which hold any bytes, as names of SQL. */

/*
 * The name as UTF-8 without control characters, cut off if it is very long, to be freed.
 * Never empty.
 */
char *sql_name(const char *name, size_t length);
/* Append it in double quotes, as an identifier; or in single quotes, as text. */
void sql_quote_name(struct bytes *sql, const char *name);
void sql_quote_text(struct bytes *sql, const char *text);
/* Append text without a NUL. */
void sql_add(struct bytes *sql, const char *text);

#endif
