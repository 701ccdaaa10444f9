/* SPDX-License-Identifier: MIT */
/* Fields as the kernel's filters know them. */
#ifndef UE__TOOLS_KFILTER_KERNEL_FIELD_H
#define UE__TOOLS_KFILTER_KERNEL_FIELD_H

#include <stdint.h>

#include "common/records/tracepoint.h"

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
	int is_signed;
	int is_common; /* no field of the event itself */
	int is_number; /* it is one, too, and not bytes that the kernel takes for one */
	int is_bytes;  /* text to the kernel, but not to the program that writes it */
	unsigned count; /* of fields of this name; the kernel uses the last */
	uint64_t least, most; /* of the values of a number; converted, if it is signed */
	const char *type;
	int type_length;
	const char *brackets; /* behind the type, or "" */
};

/* For "%.*s%s", and for "%.*s". */
#define KERNEL_FIELD_TYPE(field) (field)->type_length, (field)->type, (field)->brackets
#define KERNEL_FIELD_NAME(field) (field)->name_length, (field)->name

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

#endif
