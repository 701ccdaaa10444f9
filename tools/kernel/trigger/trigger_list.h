/* SPDX-License-Identifier: MIT */
/* The triggers that events have in an instance. */
#ifndef UE__TOOLS_TRIGGER_TRIGGER_LIST_H
#define UE__TOOLS_TRIGGER_TRIGGER_LIST_H

#include "kernel/control/instance.h"
#include "trigger.h"

struct listed_trigger {
	char *event; /* "SYSTEM:EVENT" */
	char *text;  /* as the kernel lists it */
	struct trigger trigger; /* line is NULL if its kind is not known here */
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

#endif
