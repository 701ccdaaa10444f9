/* SPDX-License-Identifier: MIT */
/*
 * A field of events by its name, or one of the properties that events have beside their
 * fields.
 *
 *	status		a field
 *	client.port	a field of a struct
 *	sizes[2]	an element of an array, from 0 on
 *	pid		the property, unless the event has a field of this name
 *	meta.pid	the property
 *	`a b`.c		a name with other characters than letters, digits and _
 *	`a:2`		the second of the fields called a, as in the tables of "query"
 *
 * A name of a field is given without its attributes (";...").
 */
#ifndef UE__TOOLS_EVENTS_FIELD_H
#define UE__TOOLS_EVENTS_FIELD_H

#include "recorded_event.h"
#include "field_value.h"

enum property {
	PROPERTY_NONE,
	PROPERTY_PID,
	PROPERTY_TID,
	PROPERTY_COMM,
	PROPERTY_CPU,
	PROPERTY_CGROUP,
	PROPERTY_TIME, /* nanoseconds, of the clock that the source has */
	PROPERTY_PROVIDER, /* or the system */
	PROPERTY_EVENT,
	PROPERTY_LEVEL,
	PROPERTY_KEYWORD,
	PROPERTY_OPCODE,
	PROPERTY_ID,
	PROPERTY_VERSION,
	PROPERTY_ACTIVITY, /* text, 36 characters */
	PROPERTY_RELATED_ACTIVITY,
	PROPERTIES,
};

struct field_step {
	const char *name; /* NULL: an index */
	size_t length;
	size_t base; /* length without ":2" */
	uint32_t index; /* of `a:2`: 2, of other names 0 */
};

#define FIELD_STEPS_MAX 16

struct field {
	char *text; /* as it was given */
	struct field_step steps[FIELD_STEPS_MAX]; /* names are parts of text */
	size_t count;		/* of steps; 0 for "meta.NAME" */
	enum property property; /* that it names; PROPERTY_NONE: none */
	uint64_t tracepoint; /* serial of that for which index was found */
	int index;
	struct bytes scratch;
};

/*
 * Parse a name; as much of text as belongs to it. Returns how many characters that are, or 0
 * with the reason in problem: "a name is expected".
 */
size_t field_parse(struct field *field, const char *text, const char **problem);
/* Parse all of a word of the command line: 0, or -1 after a message. */
int field_parse_word(struct field *field, const char *text);
/*
 * The value in this event, 1; or 0 without one: VALUE_NONE. Text is valid as long as the
 * event, and until the next call with this field.
 */
int field_get(struct field *field, struct event *event, struct value *value);
void field_free(struct field *field);

/* The name of a property, "pid"; and the property of a name, or PROPERTY_NONE. */
const char *property_name(enum property property);
enum property property_find(const char *name, size_t length);
/* A property; as field_get(). */
int property_get(enum property property, const struct event *event, struct value *value,
		 struct bytes *scratch);

#endif
