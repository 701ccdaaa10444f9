/* SPDX-License-Identifier: MIT */
/* Filters of events as they are, and as they were before. */
#ifndef UE__TOOLS_KERNEL_FILTER_FILTER_GRAMMAR_H
#define UE__TOOLS_KERNEL_FILTER_FILTER_GRAMMAR_H

#include "kernel_field.h"
#include "kfilter.h"

/* Print a fault: a warning, or "cannot VERB: SENTENCE". */
void kfilter_report(const struct kfilter_fault *fault, const char *text, const char *verb);
/* kfilter_check() with this kernel. */
int kfilter_check_event(const char *text, const struct listed_event *event,
		       struct kfilter_faults *faults);
/*
 * Write a filter that was checked. before: the one that it replaced, NULL for none, to be
 * freed. 0, or -1 after a message, with that one in force.
 */
int kfilter_write(const struct instance *instance, const struct listed_event *event,
		 const char *text, char **before);
/* kfilter_get(), with -1 in result after a message if it cannot be read, and 0 otherwise. */
char *kfilter_before(const struct instance *instance, const struct listed_event *event,
		     int *result);
/* Remove the filter: 0, or -1 after a message. */
int kfilter_remove(const struct instance *instance, const struct listed_event *event);
/* Write a filter that was in force; NULL: none. 0, or -errno after a message. */
int kfilter_put(const struct instance *instance, const struct listed_event *event,
	       const char *text);

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
int kfilter_text_parse(struct filter_parser *parser, const struct filter_comparison *comparison);
int kfilter_cpus_parse(struct filter_parser *parser, const struct filter_comparison *comparison);
int kfilter_function_parse(struct filter_parser *parser,
			  const struct filter_comparison *comparison);

#endif
