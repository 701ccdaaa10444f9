/* SPDX-License-Identifier: MIT */
/* Filters of events as they are, and as they were before. */
#ifndef UE__TOOLS_KFILTER_FILTER_STATE_H
#define UE__TOOLS_KFILTER_FILTER_STATE_H

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

#endif
