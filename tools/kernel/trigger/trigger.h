/* SPDX-License-Identifier: MIT */
/*
 * Triggers: what the kernel does as an event happens.
 *
 *	stacktrace:5 if id > 4
 *	enable_event:sched:sched_switch:1
 *	hist:keys=id:vals=size if id > 4
 *
 * The kernel lists them in other words, which are accepted here, too: how often a trigger
 * acts yet as ":count=5" or ":unlimited", and a histogram with all that it was not given, and
 * "[active]" or "[paused]".
 */
#ifndef UE__TOOLS_KERNEL_TRIGGER_TRIGGER_H
#define UE__TOOLS_KERNEL_TRIGGER_TRIGGER_H

#include <stddef.h>
#include <stdint.h>

#include "common/records/tracepoint.h"

enum trigger_kind {
	TRIGGER_ENABLE_EVENT,
	TRIGGER_DISABLE_EVENT,
	TRIGGER_ENABLE_HIST,
	TRIGGER_DISABLE_HIST,
	TRIGGER_STACKTRACE,
	TRIGGER_SNAPSHOT,
	TRIGGER_TRACEON,
	TRIGGER_TRACEOFF,
	TRIGGER_HIST,
	TRIGGER_KINDS,
};

struct trigger {
	enum trigger_kind kind;
	char *line;   /* as it was given, without the state of a histogram */
	char *head;   /* line, without the count and the filter */
	char *target; /* "SYSTEM:EVENT", or NULL */
	char *filter; /* what follows "if", or NULL */
	size_t filter_at; /* in line */
	int is_counted;
	uint64_t left; /* how often it acts yet, if it is counted */
	int is_paused;
};

/* A mistake in a text. */
struct trigger_fault {
	char *sentence; /* "REASON; FIX", to be freed */
	size_t at;
};

/* Parse a trigger: 0, or -1 with a fault. */
int trigger_parse(struct trigger *trigger, const char *text, struct trigger_fault *fault);
void trigger_free(struct trigger *trigger);
/* Set the fault; returns -1. */
int trigger_blame(struct trigger_fault *fault, size_t at, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* "stacktrace" */
const char *trigger_name(enum trigger_kind kind);
/* The kind that names the other of a pair, of which an event can have one; or the same. */
enum trigger_kind trigger_opposite(enum trigger_kind kind);
/* Whether it has a target, whose event it switches, or whose histograms. */
int trigger_switches_event(enum trigger_kind kind);
int trigger_switches_hist(enum trigger_kind kind);
/* The trigger as the kernel accepts it, to be freed. */
char *trigger_text(const struct trigger *trigger);
/* A sentence on its effect, to be freed. */
char *trigger_meaning(const struct trigger *trigger);

/* The table of all kinds of triggers. */

struct trigger_kind_entry {
	const char *name;
	const char *meaning; /* with a %s for the target, if it has one */
	enum trigger_kind opposite;
};

extern const struct trigger_kind_entry trigger_kinds[TRIGGER_KINDS];

/*
 * Checks of the histograms that triggers count into, before the kernel sees them: it answers
 * half of the mistakes with "Invalid argument" alone, and takes others for something else, such
 * as "kyes=id" for a variable.
 */

/* Features that kernels lack. */
struct hist_support {
	int has_nohitcount;	   /* and .percent and .graph of hitcount */
	int has_common_stacktrace; /* and .stacktrace */
	int has_texts;		   /* fields of the event that are text */
};

/* Facts that a check found. */
struct hist_facts {
	int has_timestamp; /* it sets the clock of the instance */
	char *clock;	   /* to be freed; NULL: the default, "global" */
	int is_for_existing; /* cont, clear */
};

/* Check a trigger of the kind hist: 0, or -1 with a fault. facts begin as { 0 }. */
int hist_check(const struct trigger *trigger, const struct tracepoint *tracepoint,
	       const struct hist_support *support, struct hist_facts *facts,
	       struct trigger_fault *fault);

/* For the parts of such a check. A part of the trigger's line ends at "end". */
struct hist_check {
	const char *line;
	const struct tracepoint *tracepoint;
	const struct hist_support *support;
	struct hist_facts *facts;
	struct trigger_fault *fault;
};

enum hist_place {
	HIST_KEY = 1,
	HIST_VALUE = 2,
	HIST_VARIABLE = 4,
};

/* Check a sum, product etc. of fields: 0, or -1 with a fault. */
int hist_check_expression(const struct hist_check *check, size_t at, size_t end,
			  enum hist_place place);

#endif
