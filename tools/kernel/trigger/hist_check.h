/* SPDX-License-Identifier: MIT */
/*
 * Checks of the histograms that triggers count into, before the kernel sees them: it answers
 * half of the mistakes with "Invalid argument" alone, and takes others for something else, such
 * as "kyes=id" for a variable.
 */
#ifndef UE__TOOLS_TRIGGER_HIST_CHECK_H
#define UE__TOOLS_TRIGGER_HIST_CHECK_H

#include "common/records/tracepoint.h"
#include "trigger.h"

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
