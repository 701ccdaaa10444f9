/* SPDX-License-Identifier: MIT */
/*
 * Filters that the kernel evaluates, of events and of triggers ("... if EXPR").
 *
 * The kernel's own check of a filter comes too late: a refused filter removes the one
 * before. Its errors mislead, too: errno is unrelated, and the place is one byte off. So
 * filters are checked here, against the format of the event, before one in force is
 * replaced. A filter that this check refuses may be one for a later kernel: an event
 * without a filter has nothing to lose, so the kernel is asked there.
 */
#ifndef UE__TOOLS_KERNEL_FILTER_KFILTER_H
#define UE__TOOLS_KERNEL_FILTER_KFILTER_H

#include <stddef.h>
#include <stdint.h>

#include "common/records/tracepoint.h"
#include "common/where/grammar.h"
#include "kernel/control/instance.h"
#include "kernel/tracefs/tracing_files.h"

enum kfilter_kind {
	KFILTER_WARNING,   /* the kernel accepts it, but its meaning is another one */
	KFILTER_MALFORMED, /* the kernel refuses it */
	KFILTER_UNABLE,    /* this version of the kernel cannot evaluate it */
};

struct kfilter_fault {
	enum kfilter_kind kind;
	size_t at; /* in the text */
	char *sentence;
};

/* It starts as { 0 }: warnings, or the one fault because of which a filter is refused. */
struct kfilter_faults {
	struct kfilter_fault *items;
	size_t count;
};

/*
 * Check a filter against the format of an event. kernel: as of kernel_version(). 0, with
 * warnings or without; -1: the only fault says why the filter is of no use.
 */
int kfilter_check(const char *text, const struct tracepoint *tracepoint, int kernel,
		  struct kfilter_faults *faults);
/* The fault because of which kfilter_check() returned -1; NULL after 0. */
const struct kfilter_fault *kfilter_refusal(const struct kfilter_faults *faults);
void kfilter_faults_free(struct kfilter_faults *faults);

/*
 * Check a filter for this kernel, and print messages with carets. verb: such as "set a filter
 * of req_done", for "cannot VERB: SENTENCE". 0, perhaps after warnings, or -1.
 */
int kfilter_accept(const char *text, const struct listed_event *event, const char *verb);
/* Print only the warnings, of a filter that the kernel has accepted. */
void kfilter_warn(const char *text, const struct listed_event *event);

/*
 * Set a filter of events, which name names. Those that can have it get it; others are left
 * alone, and reported. -1 after a message: none can have it, or the kernel refuses it
 * nevertheless; then all have the filters that they had.
 */
int kfilter_set(const struct instance *instance, const struct event_list *list, const char *text,
		const char *name);
/* Remove the filters of all: 0, or -1 after a message, and after they were put back. */
int kfilter_clear(const struct instance *instance, const struct event_list *list);
/*
 * The filter in force, to be freed. NULL: there is none, and errno is 0, or it cannot be read.
 * One that the kernel refused is in the file, but not in force.
 */
char *kfilter_get(const struct instance *instance, const struct listed_event *event);

/* Parts of the check. */

/* The context of struct parser, with which it checks. */
struct filter_check {
	const struct tracepoint *tracepoint;
	int kernel;
	struct kfilter_faults *faults;
};

struct filter_comparison {
	size_t at;
	struct kernel_field field;
	int is_user_text; /* NAME.ustring */
	int is_function;  /* NAME.function */
	enum where_operator operator;
	size_t operator_at;
	size_t value_at;
};

/* Add a fault of this kind. Returns -1 unless it is a warning. */
int kfilter_fault(const struct parser *parser, enum kfilter_kind kind, size_t at,
		  const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Complain if the kernel is older than Linux 6.6, which added this part: 0, or -1. */
int kfilter_needs_6_6(const struct parser *parser, const char *part);

/* Parse from the place on, and move it: 0, or -1 with a fault. */
int kfilter_number_parse(struct parser *parser,
			 const struct filter_comparison *comparison);
int kfilter_cpus_parse(struct parser *parser, const struct filter_comparison *comparison);
int kfilter_function_parse(struct parser *parser,
			   const struct filter_comparison *comparison);

#endif
