/* SPDX-License-Identifier: MIT */
/* Comparisons in the language of the kernel's filters (kernel/trace/trace_events_filter.c). */
#ifndef UE__TOOLS_WHERE_KERNEL_FILTER_H
#define UE__TOOLS_WHERE_KERNEL_FILTER_H

#include "expression.h"

/*
 * The kernel's share of a part of an expression: nothing, as any event may pass it; or
 * no event passes it; or a text, to be freed, which passes all that the part passes.
 */
enum part_kind { PART_ANY, PART_NONE, PART_TEXT };

struct part {
	enum part_kind kind;
	char *text;
	int is_joined_by_or; /* and has no parentheses */
};

static const struct part part_any = { .kind = PART_ANY };
static const struct part part_none = { .kind = PART_NONE };

/* A whole number of the kernel: what it is called there, and its range. */
struct kernel_number {
	const char *name;
	int length;
	int is_signed;
	unsigned bits;
	int has_no_bits; /* & does not work */
};

/* Text of the kernel. */
struct kernel_text {
	const char *name;
	int length;
	size_t room;    /* of an array that may lack a NUL; 0: it always has one */
	int is_dynamic; /* and the kernel misreads one of length 0 */
};

struct part number_part(const struct comparison *comparison, const struct value *literal,
			const struct kernel_number *number);
struct part text_part(const struct comparison *comparison, const char *literal,
		      const struct kernel_text *text);

#endif
