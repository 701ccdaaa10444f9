/* SPDX-License-Identifier: MIT */
/* The grammar of a definition. Pure: text in, positions out. */
#ifndef UE__DESCRIBE_DEFINITION_H
#define UE__DESCRIBE_DEFINITION_H

#include <stddef.h>
#include <stdint.h>

#include <userevents/event.h>

#include "util/span.h"

/* Longest text the kernel takes, without NUL (MAX_EVENT_DESC 512, 6.1 and 6.12). */
#define UE__DEFINITION_MAX 511
/* Longest name: it becomes a directory. */
#define UE__NAME_MAX 255
/* ... to which UE_EVENT_MULTI_FORMAT appends '.' and up to 16 hex digits. */
#define UE__NAME_MAX_MULTI 238

struct ue__field {
	struct ue__span type; /* "struct tag" for a struct */
	struct ue__span name;
	struct ue__span whole; /* both, and a struct's size */
	uint32_t size; /* bytes in the fixed part of the payload */
};

struct ue__fields {
	const char *text; /* whole definition, for offsets */
	const char *at;
};

/* Is it one of the fields that every event has? */
int ue__is_common_field(struct ue__span name);
/* The name's length, or -EINVAL. */
int ue__definition_name(const char *text, struct ue_definition_error *error);
/* The call comes before the first field. name_length: from ue__definition_name(). */
void ue__fields_begin(struct ue__fields *fields, const char *text,
		      size_t name_length);
/* 1 with a field, 0 at the end, -EINVAL. */
int ue__fields_next(struct ue__fields *fields, struct ue__field *field,
		    struct ue_definition_error *error);
/* FNV-1a, of a name that definitions are found by. */
uint32_t ue__name_hash(const char *name, size_t length);

/*
 * A definition, parsed. The text is the definition as kernels compare it: one blank
 * between name and fields, "; " between fields, and nothing behind the last.
 */
struct ue__definition {
	uint32_t name_length;
	uint32_t name_hash;
	uint32_t fields;
	uint32_t fixed_size; /* bytes of a payload before those that locations refer to */
	uint32_t length;     /* of the text, without its NUL */
	char text[UE__DEFINITION_MAX + 1];
};

/* The result is that of ue_definition_check(). */
int ue__definition_parse(const char *text, uint32_t flags,
			 struct ue__definition *definition,
			 struct ue_definition_error *error);

#endif
