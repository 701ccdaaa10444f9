/* SPDX-License-Identifier: MIT */
/* Values of fields and properties, in the few types that answers distinguish. */
#ifndef UE__TOOLS_EVENTS_FIELD_VALUE_H
#define UE__TOOLS_EVENTS_FIELD_VALUE_H

#include <stddef.h>
#include <stdint.h>

#include <userevents/decode/reader.h>

#include "common/cli/memory.h"

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

struct value {
	enum value_type type;
	union {
		int64_t whole;
		double number;
	};
	const char *text; /* of VALUE_TEXT and VALUE_BYTES; not NUL-terminated */
	size_t length;
};

/*
 * The value of an item. Text stays valid as long as the event, and until the next call with
 * this scratch.
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
 * Append it as text for a person: numbers decimal, bytes in hex, control characters as '?'.
 */
void value_put(const struct value *value, struct bytes *to);

#endif
