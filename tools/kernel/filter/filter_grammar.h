/* SPDX-License-Identifier: MIT */
/* Filters of events as they are, and as they were before. */
#ifndef UE__TOOLS_KERNEL_FILTER_FILTER_GRAMMAR_H
#define UE__TOOLS_KERNEL_FILTER_FILTER_GRAMMAR_H

#include <stdint.h>

#include "common/records/tracepoint.h"
#include "kfilter.h"

/* Fields as the kernel's filters know them. */

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

/* The parser of filters, in parts: joints, comparisons, and their values. */

struct filter_parser {
	const char *text;
	size_t at;
	const struct tracepoint *tracepoint;
	int kernel;
	struct kfilter_faults *faults;
};

enum filter_operator {
	FILTER_GLOB,
	FILTER_UNEQUAL,
	FILTER_EQUAL,
	FILTER_AT_MOST,
	FILTER_LESS,
	FILTER_AT_LEAST,
	FILTER_GREATER,
	FILTER_BITS,
	FILTER_OPERATORS
};
extern const char *const kfilter_operators[FILTER_OPERATORS];

struct filter_comparison {
	size_t at;
	struct kernel_field field;
	int is_user_text; /* NAME.ustring */
	int is_function;  /* NAME.function */
	enum filter_operator operator;
	size_t operator_at;
	size_t value_at;
};

/* Add a fault; returns -1 unless it is a warning. */
int kfilter_fault(struct filter_parser *parser, enum kfilter_kind kind, size_t at,
		 const char *format, ...) __attribute__((format(printf, 4, 5)));
/* The text from the place on. */
const char *kfilter_rest(const struct filter_parser *parser);
void kfilter_skip_blanks(struct filter_parser *parser);
int kfilter_is_blank(char c);
int kfilter_is_letter(char c); /* of a name: also digits and '_' */

/* Parse from the place on, and move it: 0, or -1 with a fault. */
int kfilter_comparison_parse(struct filter_parser *parser);
int kfilter_number_parse(struct filter_parser *parser, const struct filter_comparison *comparison);
int kfilter_cpus_parse(struct filter_parser *parser, const struct filter_comparison *comparison);
int kfilter_function_parse(struct filter_parser *parser,
			  const struct filter_comparison *comparison);

#endif
