/* SPDX-License-Identifier: MIT */
/*
 * Fields of events as the kernel knows them, for its filters, histograms and event
 * probes: which are numbers, which have a sign, and which are texts. The words of the
 * type decide, and not always as for the program that writes the event:
 *
 *	char name[16]		text, also if it is unsigned (is_bytes)
 *	__data_loc char[]	text elsewhere in the record, as is __rel_loc
 *	char *			the address of a text
 *	u8 mac[4], struct x	a number, if it has the size of one (is_number)
 */
#ifndef UE__TOOLS_KERNEL_TRACEFS_KERNEL_FIELD_H
#define UE__TOOLS_KERNEL_TRACEFS_KERNEL_FIELD_H

#include <stdint.h>

#include "tracing_files.h"

enum kernel_field_kind {
	KERNEL_NUMBER,
	KERNEL_TEXT_HERE,    /* an array of char */
	KERNEL_TEXT_DYNAMIC, /* __data_loc, __rel_loc */
	KERNEL_TEXT_POINTER, /* char * */
	KERNEL_COMM,
	KERNEL_CPU,
	KERNEL_CPU_MASK,
};

struct kernel_field {
	const char *name; /* as it stands in the filter */
	int name_length;
	enum kernel_field_kind kind;
	uint32_t size; /* 0: no comparison with it ever holds */
	int is_signed; /* as its format says */
	const struct ue_record_field *own; /* NULL: a field that every event has */
	int is_number; /* it is one, too, and not bytes that the kernel takes for one */
	int is_bytes;  /* text to the kernel, but not to the program that writes it */
	unsigned count; /* of fields of this name; the kernel uses the last */
	uint64_t least, most; /* of the values of a number; converted, if it is signed */
	const char *type;
	int type_length;
	const char *brackets; /* behind the type, or "" */
};

/* Arguments of "%.*s%s", and of "%.*s". */
#define KERNEL_FIELD_TYPE(field) (field)->type_length, (field)->type, (field)->brackets
#define KERNEL_FIELD_NAME(field) (field)->name_length, (field)->name

/* Text in the event itself that its program writes as text. */
static inline int kernel_field_is_copied_text(const struct kernel_field *field)
{
	return (field->kind == KERNEL_TEXT_HERE || field->kind == KERNEL_TEXT_DYNAMIC) &&
	       !field->is_bytes;
}

static inline int kernel_field_is_text(const struct kernel_field *field)
{
	return field->kind >= KERNEL_TEXT_HERE && field->kind <= KERNEL_COMM;
}

/* Find a field: 0, or -1. */
int kernel_field_find(const struct tracepoint *tracepoint, const char *name, size_t length,
		      int kernel, struct kernel_field *field);
/* The nearest name of a field; NULL: none is near. To be freed. */
char *kernel_field_nearest(const struct tracepoint *tracepoint, const char *name,
			   size_t length);
/* Add the names of the event's own fields, each to be freed. */
void kernel_field_names(const struct tracepoint *tracepoint, struct words *names);

/* The tracepoint of an event's format, to be freed. */
struct tracepoint *event_format(const struct listed_event *event);

#endif
