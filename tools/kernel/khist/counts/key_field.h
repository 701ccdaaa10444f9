/* SPDX-License-Identifier: MIT */
/* Fields of an event that the kernel can count by, as its format describes them. */
#ifndef UE__TOOLS_KHIST_COUNTS_KEY_FIELD_H
#define UE__TOOLS_KHIST_COUNTS_KEY_FIELD_H

#include <stddef.h>
#include <stdint.h>

#include "kernel/tracefs/event_list.h"

struct key_field {
	char *name; /* in a trigger: "status", "common_cpu" */
	int is_text, is_signed;
	uint32_t size; /* in bytes; of a text of any length: 0 */
};

/*
 * A field of the event, or tid or cpu, the thread and the processor that wrote it, unless the
 * event has a field of this name. verb: for "cannot VERB NAME: ...". 0, or -1 after a message:
 * there is none, or the kernel cannot count by it.
 */
int key_field_find(const struct listed_event *event, const char *name, const char *verb,
		   struct key_field *field);
/* Whether the event has a field of this name; or of one that may have been meant. */
int key_field_exists(const struct listed_event *event, const char *name);
int key_field_is_near(const struct listed_event *event, const char *name);
/* The field in a synthetic event, with another name: "u32 NAME", "char NAME[]"; to be freed. */
char *key_field_declare(const struct key_field *field, const char *name);
/* The number that the kernel prints, with the field's sign. */
int64_t key_field_signed(const struct key_field *field, uint64_t printed);
void key_field_free(struct key_field *field);

#endif
