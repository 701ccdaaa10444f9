/* SPDX-License-Identifier: MIT */
/* The grammar of a definition. Pure: text in, positions out. */
#ifndef UE__DESCRIBE_DEFINITION_H
#define UE__DESCRIBE_DEFINITION_H

#include <stddef.h>
#include <stdint.h>

#include <userevents/event.h>

/* Longest text the kernel takes, without NUL (MAX_EVENT_DESC 512, 6.1 and 6.12). */
#define UE__DEFINITION_MAX 511
/* Longest name: it becomes a directory. */
#define UE__NAME_MAX 255
/* ... to which UE_EVENT_MULTI_FORMAT appends '.' and up to 16 hex digits. */
#define UE__NAME_MAX_MULTI 238

struct ue__span {
	const char *at;
	size_t length;
};

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
/* Before the first field. name_length: from ue__definition_name(). */
void ue__fields_begin(struct ue__fields *fields, const char *text,
		      size_t name_length);
/* 1 with a field, 0 at the end, -EINVAL. */
int ue__fields_next(struct ue__fields *fields, struct ue__field *field,
		    struct ue_definition_error *error);
/*
 * Write a definition that was checked as kernels compare it: one blank between name and
 * fields, "; " between fields, and nothing behind the last. to: UE__DEFINITION_MAX + 1
 * bytes, or NULL. Returns its length without the NUL.
 */
size_t ue__definition_canonical(const char *text, char *to);

#endif
