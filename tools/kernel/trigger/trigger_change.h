/* SPDX-License-Identifier: MIT */
/* Adding and removing triggers. */
#ifndef UE__TOOLS_KERNEL_TRIGGER_TRIGGER_CHANGE_H
#define UE__TOOLS_KERNEL_TRIGGER_TRIGGER_CHANGE_H

#include "kernel/control/instance.h"
#include "trigger.h"

/* The triggers that events have in an instance. */

struct listed_trigger {
	char *event; /* "SYSTEM:EVENT" */
	char *text;  /* as the kernel lists it */
	struct trigger trigger;
};

/* Begins as { 0 }. */
struct trigger_list {
	struct listed_trigger *items;
	size_t count;
};

/* Append the triggers of an event: 0, or -errno. */
int trigger_list_event(const struct instance *instance, const char *system, const char *event,
		       struct trigger_list *list);
/* Append those of all events: 0, or -1 after a message. */
int trigger_list_all(const struct instance *instance, struct trigger_list *list);
void trigger_list_free(struct trigger_list *list);

/* Print them as a table, or as lines of JSON. */
void trigger_list_print(const struct trigger_list *list);
void trigger_list_print_json(const struct trigger_list *list);

/*
 * Add one, and print it as the kernel lists it: 0, or -1 after a message. Refused before the
 * kernel sees it is only what would harm others: a change of the top instance's clock, and
 * enabling an event that could crash the kernel.
 */
int trigger_add(const struct instance *instance, const struct listed_event *event,
		const struct trigger *trigger);
/*
 * Remove the one that a text names, or all without a text, and print those that were
 * removed: 0, or -1 after a message.
 */
int trigger_remove(const struct instance *instance, const struct listed_event *event,
		   const char *text);

/*
 * Print why the kernel refused a trigger: its own reason, or, as that often is "Invalid
 * argument" alone, the mistake that is found here. there: the event's triggers.
 */
void trigger_explain(const struct instance *instance, const struct listed_event *event,
		     const struct trigger *trigger, const struct trigger_list *there,
		     const struct refusal *refusal);
/* The command that removes triggers of an event, to be freed. */
char *trigger_remover(const struct instance *instance, const struct listed_event *event,
		      const char *trigger);
/* Remind of what a trigger that was added cannot do, or does to others. */
void trigger_advise(const struct instance *instance, const struct listed_event *event,
		    const struct trigger *trigger);

/* Stacks of the program that writes an event. */

/*
 * Add a stacktrace trigger, and let the instance add the user's stack to events that it
 * records, as no trigger does that: 0, or -1 after a message.
 */
int user_stack_add(const struct instance *instance, const struct listed_event *event,
		   const struct trigger *trigger);

#endif
