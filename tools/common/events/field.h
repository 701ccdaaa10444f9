/* SPDX-License-Identifier: MIT */
/* Values of fields and properties, in the few types that answers distinguish. */
#ifndef UE__TOOLS_COMMON_EVENTS_FIELD_H
#define UE__TOOLS_COMMON_EVENTS_FIELD_H

#include <stddef.h>
#include <stdint.h>
#include <userevents/decode/reader.h>

#include "common/cli/memory.h"
#include "recorded_event.h"

enum value_type {
	VALUE_NONE,	/* absent, or null */
	VALUE_BOOLEAN,	/* whole is 0 or 1 */
	VALUE_SIGNED,
	VALUE_UNSIGNED, /* whole is to be read as uint64_t */
	VALUE_FLOAT,
	VALUE_TEXT,	/* UTF-8; also addresses and UUIDs, as they are printed */
	VALUE_BYTES,
	VALUE_COMPOUND, /* an array or a struct */
};

/* How a number is printed, and may be asked for, beside its digits. */
enum value_spelling {
	SPELT_DIGITS,
	SPELT_HEX,   /* 0xFF */
	SPELT_ERRNO, /* ENOENT(2) */
	SPELT_TIME,  /* seconds since 1970: 2026-01-31T12:00:00Z */
};

struct value {
	enum value_type type;
	uint8_t spelling; /* enum value_spelling, of whole numbers */
	uint8_t is_null;  /* VALUE_NONE: the event has the field, without a value */
	union {
		int64_t whole;
		double number;
	};
	const char *text; /* of VALUE_TEXT and VALUE_BYTES; not NUL-terminated */
	size_t length;
};

/*
 * The value of an item. Text stays valid as long as the event, and until the next call with
 * this scratch. A float of 32 bits is the number that its digits say: 0.1, whose nearest
 * float is 0.10000000149, is 0.1.
 */
void value_of(const struct ue_value *item, struct value *value, struct bytes *scratch);
/* The same as it is printed: text, in UTF-8, of values of any type; VALUE_NONE: it has none. */
void value_printed(const struct ue_value *item, struct value *value, struct bytes *scratch);

int bytes_are_ascii(const void *bytes, size_t length);

static inline int value_is_number(const struct value *value)
{
	return value->type >= VALUE_BOOLEAN && value->type <= VALUE_FLOAT;
}

/* A number as a double; 0 for others. */
double value_as_double(const struct value *value);
/* Values of equal type, or numbers, in order: negative, 0 or positive. NaN is the least. */
int value_compare(const struct value *one, const struct value *other);
/* Equal values have equal hashes, also 1, 1.0 and true. */
uint64_t value_hash(const struct value *value);
/* "a number", "text", ... for sentences. */
const char *value_type_name(enum value_type type);
/*
 * Append it as text for a person: numbers as "decode" prints them, bytes in hex, control
 * characters as in JSON.
 */
void value_put(const struct value *value, struct bytes *to);

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
	int is_of_property; /* the last value, though the name may be a field's */
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
/* A property; as field_get(). */
int property_get(enum property property, const struct event *event, struct value *value,
		 struct bytes *scratch);

#endif
