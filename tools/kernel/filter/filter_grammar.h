/* SPDX-License-Identifier: MIT */
/* Filters of events as they are, and as they were before. */
#ifndef UE__TOOLS_KERNEL_FILTER_FILTER_GRAMMAR_H
#define UE__TOOLS_KERNEL_FILTER_FILTER_GRAMMAR_H

#include "kernel_field.h"
#include "kfilter.h"

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
