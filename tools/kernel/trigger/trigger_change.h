/* SPDX-License-Identifier: MIT */
/* Adding and removing triggers. */
#ifndef UE__TOOLS_TRIGGER_TRIGGER_CHANGE_H
#define UE__TOOLS_TRIGGER_TRIGGER_CHANGE_H

#include "kernel/control/instance.h"
#include "trigger.h"
#include "trigger_list.h"

/*
 * Whether the kernel can take a trigger of this event, before anything is written: 0, or -1
 * after a message.
 */
int trigger_accept(const struct instance *instance, const struct listed_event *event,
		   const struct trigger *trigger);
/*
 * Add one that trigger_accept() accepts, and print it as the kernel lists it: 0, or -1 after a
 * message.
 */
int trigger_add(const struct instance *instance, const struct listed_event *event,
		const struct trigger *trigger);
/*
 * Remove the one that a text names, or all without a text, and print those that were
 * removed: 0, or -1 after a message.
 */
int trigger_remove(const struct instance *instance, const struct listed_event *event,
		   const char *text);

/* Print that a text has a mistake. verb: such as "add a trigger of req_done". */
void trigger_report(const char *verb, const char *text, struct trigger_fault *fault);
/* The command that removes triggers of an event, to be freed. */
char *trigger_remover(const struct instance *instance, const struct listed_event *event,
		      const char *trigger);
/* Remind of what a trigger that was added cannot do, or does to others. */
void trigger_advise(const struct instance *instance, const struct listed_event *event,
		    const struct trigger *trigger);

#endif
