/* SPDX-License-Identifier: MIT */
/* Instances that last as long as a command. */
#ifndef UE__TOOLS_CONTROL_OWN_INSTANCE_H
#define UE__TOOLS_CONTROL_OWN_INSTANCE_H

#include "instance.h"
#include "own_name.h"

/* Make an instance whose name is of own_name(): 0, or -1 after a message. */
int own_instance_make(struct instance *instance, const char *tracefs, const char *purpose);
/*
 * Remove an instance of any name with all its triggers, in an order that the kernel accepts;
 * synthetic events that these triggers write into are left. 0, or -1 after a message.
 */
int instance_remove(struct instance *instance);

#endif
