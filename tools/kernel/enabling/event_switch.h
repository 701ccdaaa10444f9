/* SPDX-License-Identifier: MIT */
/* One switch: its file, and its state. */
#ifndef UE__TOOLS_ENABLING_EVENT_SWITCH_H
#define UE__TOOLS_ENABLING_EVENT_SWITCH_H

#include "switches.h"

/* Its file, to be freed. */
char *switch_path(const struct instance *instance, const char *system, const char *name);
/* Read the state; '?' for a system without events that can be switched. 0 or -errno. */
int switch_read(struct event_switch *item, const struct instance *instance);
/* Write 0 or 1: 0 or -errno. */
int switch_write(const struct event_switch *item, const struct instance *instance, int is_on);
static inline int switch_is_on(const struct event_switch *item)
{
	return *item->state == '1';
}
/* Whether it is one of a user event. */
int switch_is_of_user(const struct event_switch *item);
/* Add one, or find the one that is there. Valid until the next one is added. */
struct event_switch *switch_of(struct switches *switches, const char *system,
			       const char *name);

#endif
