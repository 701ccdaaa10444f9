/* SPDX-License-Identifier: MIT */
/*
 * Histograms in an instance that lasts as long as the command, with a synthetic event if they
 * need one; all is removed however the command ends, except by SIGKILL.
 */
#ifndef UE__TOOLS_KHIST_OWN_TRIGGERS_H
#define UE__TOOLS_KHIST_OWN_TRIGGERS_H

#include "common/cli/options.h"
#include "kernel/control/instance.h"

struct own_triggers {
	struct instance instance; /* directory NULL: none */
	char *synthetic;	  /* the name of the event, or NULL */
	const char *verb;	  /* "count status" */
};

/* Make the instance: 0, or -1 after a message. There is one at a time. */
int own_triggers_begin(struct own_triggers *own, const char *tracefs, const char *verb);
/* Make a synthetic event with these fields: 0, or -1 after a message. */
int own_triggers_define(struct own_triggers *own, const char *fields);
/*
 * Check a filter of the user for an event, without effect: 0, or -1 after a message. So the
 * kernel's answer is about the user's words alone, and they are one condition.
 */
int own_triggers_check(struct own_triggers *own, const struct listed_event *event,
		       const char *filter);
/* Set a trigger: 0, or -1 after a message. */
int own_triggers_set(struct own_triggers *own, const struct listed_event *event,
		     const char *trigger);
/* Stop a histogram that was set with this text. */
void own_triggers_pause(struct own_triggers *own, const struct listed_event *event,
			const char *trigger);
/* The text of an event's histograms, to be freed; NULL after a message. */
char *own_triggers_read(struct own_triggers *own, const struct listed_event *event,
			size_t *length);
/* Remove everything: 0, or -1 after a message. */
int own_triggers_end(struct own_triggers *own);

#endif
