/* SPDX-License-Identifier: MIT */
/* The ways to switch an event on as the system starts. */
#ifndef UE__TOOLS_ENABLING_BOOT_WAYS_H
#define UE__TOOLS_ENABLING_BOOT_WAYS_H

#include "boot.h"

enum boot_way {
	BOOT_ARGUMENT, /* the kernel's arguments, and the unit */
	BOOT_USER,     /* the unit: it registers the event first */
	BOOT_MODULE,   /* the unit, if the module is loaded by then */
	BOOT_NONE,     /* neither: such events are made while the kernel runs */
};

/* Facts that the ways of all events need, read once. */
struct boot_facts {
	char *dynamic; /* dynamic_events */
	char *symbols; /* /proc/kallsyms */
};

void boot_facts_read(struct boot_facts *facts, const struct instance *instance);
void boot_facts_free(struct boot_facts *facts);
enum boot_way boot_way_of(const struct boot_facts *facts, const struct event_switch *item);
/*
 * The kernel's arguments for those that can take this way, to be freed; "" if there are none.
 */
char *boot_arguments(const struct boot *boot, const struct boot_facts *facts,
		     const struct switches *switches);
/* Whether this kernel has the argument that boot_arguments() uses. */
int boot_has_argument(const struct boot *boot);

#endif
