/* SPDX-License-Identifier: MIT */
/* Stacks of the program that writes an event. */
#ifndef UE__TOOLS_TRIGGER_USER_STACK_H
#define UE__TOOLS_TRIGGER_USER_STACK_H

#include "kernel/control/instance.h"
#include "trigger.h"

/*
 * Add a stacktrace trigger, and let the instance add the user's stack to events that it
 * records, as no trigger does that: 0, or -1 after a message.
 */
int user_stack_add(const struct instance *instance, const struct listed_event *event,
		   const struct trigger *trigger);

#endif
