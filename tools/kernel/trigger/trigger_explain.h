/* SPDX-License-Identifier: MIT */
/* The parts of the explanation of a refused trigger. */
#ifndef UE__TOOLS_KERNEL_TRIGGER_TRIGGER_EXPLAIN_H
#define UE__TOOLS_KERNEL_TRIGGER_TRIGGER_EXPLAIN_H

#include "trigger.h"

struct asked {
	const struct instance *instance;
	const struct listed_event *event;
	const struct trigger *trigger;
	const struct trigger_list *there;
	const struct refusal *refusal;
	char *verb;
};

#define NEAREST(typed, table) \
	nearest(typed, table, sizeof(table) / sizeof(*(table)), sizeof(*(table)))

/* Print a mistake and its place; 1, for "it is explained". */
__attribute__((format(printf, 3, 4))) int
blame(const struct asked *asked, size_t at, const char *format, ...);

/* Explain a refused histogram; 1 if it did. */
int trigger_explain_hist(const struct asked *asked);

#endif
