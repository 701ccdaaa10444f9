/* SPDX-License-Identifier: MIT */
/* Names of members of a struct that are identifiers, each once. */
#ifndef UE__TOOLS_EXPORT_CTF_FIELDS_CTF_FIELDS_H
#define UE__TOOLS_EXPORT_CTF_FIELDS_CTF_FIELDS_H

#include <babeltrace2/babeltrace.h>
#include <stddef.h>
#include <stdint.h>

#include "common/cli/memory.h"
#include "export/tree/field_walk.h"

/* Longer names are cut off. */
#define CTF_NAME_MAX 1024

/* The names that a struct has so far. Zero it before the first use. */
struct ctf_names {
	char **items;
	uint32_t count;
	uint32_t *table; /* a hash table of indices, each 1 higher; a power of two of them */
	uint32_t size;
};

/*
 * The identifier for the name of the next member: other characters than letters, digits and
 * '_' become '_' and two hexadecimal digits a byte, a first digit gets '_' before it, and a
 * name that exists already "_N", N being the number of the member, or the next that is free.
 * Valid until ctf_names_free().
 */
const char *ctf_name_add(struct ctf_names *names, const char *name, size_t length);
void ctf_names_free(struct ctf_names *names);

/*
 * Append the name of an event, or a part of it: as it is, but for bytes that are not printable
 * ASCII, which become '_' and two hexadecimal digits. In the metadata of sink.ctf.fs, 0x7f and
 * "d" would be "\x7fd", which readers take for one byte.
 */
void ctf_name_print(struct bytes *to, const char *name, size_t length);

/* Types of fields in CTF, and values of these. */

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

/*
 * The fields that all events of a class have: as many steps as one walk makes through an event
 * whose arrays have one element each.
 */

struct ctf_step {
	uint8_t kind; /* enum walk_kind */
	/* For WALK_VALUE, and for the elements of WALK_ARRAY_BEGIN: */
	struct ctf_type type;
	/* For WALK_VALUE in the event that the layout was read from: */
	uint8_t encoding;
	uint8_t format;
	uint32_t length;
	uint32_t member;  /* its number in the struct around it */
	uint32_t end;	  /* of WALK_ARRAY_BEGIN: the step that ends it */
	uint32_t name;	  /* where it is in names */
	uint32_t name_length;
};

/* Events with more are text: sink.ctf.fs compares each sequence with all its siblings. */
#define CTF_STEPS_MAX 1024u

struct ctf_layout {
	struct ctf_step *steps;
	uint32_t count;
	struct bytes names; /* of the fields, without attributes */
};

/*
 * That of an event: 0, or -1 if the event is damaged or has too many fields. layout: zeroed by
 * the caller, and freed also after -1.
 */
int ctf_layout_read(struct ctf_layout *layout, struct field_walk *walk, struct event *event);
void ctf_layout_free(struct ctf_layout *layout);

/* Values of an event in the fields of its class. */

/*
 * Set the members of a struct. 0, or -1 if the event does not have this layout, or is damaged.
 * payload may be NULL if the layout is empty. size: increased by the bytes that they take in the
 * stream.
 */
int ctf_fill(const struct ctf_layout *layout, struct field_walk *walk, struct event *event,
	     bt_field *payload, struct bytes *scratch, uint64_t *size);

#endif
