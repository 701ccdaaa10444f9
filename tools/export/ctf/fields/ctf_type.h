/* SPDX-License-Identifier: MIT */
/* Types of fields in CTF, and values of these. */
#ifndef UE__TOOLS_EXPORT_CTF_TYPE_H
#define UE__TOOLS_EXPORT_CTF_TYPE_H

#include <babeltrace2/babeltrace.h>

#include "export/tree/field_walk.h"

/* Takes the result of a function of the library; without memory the tool ends. */
void *ctf_made(void *made);

/* Bytes of the count before a sequence. */
#define CTF_COUNT_SIZE 4

enum ctf_base {
	CTF_NULL, /* a struct without members */
	CTF_UNSIGNED,
	CTF_HEX, /* unsigned, with a preferred base */
	CTF_SIGNED,
	CTF_FLOAT,
	CTF_TEXT,
	CTF_BYTES, /* a sequence of unsigned bytes */
	CTF_STRUCT,
};

struct ctf_type {
	uint8_t base; /* enum ctf_base */
	uint8_t size; /* of a number, in bytes; else 0 */
};

/*
 * The type of a value. Elements of an array are of one type, whatever their lengths: so inside
 * of an array a number that may be missing is text, as it is printed. So are bytes there, as
 * sink.ctf.fs can write no sequence of sequences.
 */
struct ctf_type ctf_type_of(const struct ue_value *raw, enum ue_value_type type, int in_array);
/* The same of the elements of an array, of which item is the beginning. */
struct ctf_type ctf_type_of_elements(const struct walk_item *item);
/* The same of a definition without value (ue_reader_next_field()), inside of an array. */
struct ctf_type ctf_type_of_definition(const struct ue_item *item);

static inline int ctf_type_is(struct ctf_type type, struct ctf_type other)
{
	return type.base == other.base && type.size == other.size;
}

/* A class for it, which the caller puts; not of CTF_STRUCT. */
bt_field_class *ctf_type_class(bt_trace_class *trace, struct ctf_type type);
/* Set the value. Returns the bytes that it takes in the stream. */
uint64_t ctf_type_set(bt_field *field, struct ctf_type type, const struct walk_item *item,
		      struct bytes *scratch);
/* The same of text, in which a NUL becomes U+2400, since the format ends text with one. */
uint64_t ctf_set_text(bt_field *field, const char *text, size_t length);
/* The same of text that has no NUL. */
uint64_t ctf_set_words(bt_field *field, const char *text, size_t length);

#endif
