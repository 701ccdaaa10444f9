/* SPDX-License-Identifier: MIT */
/* Switching events on at boot: by a unit of systemd, or by arguments of the kernel. */
#ifndef UE__TOOLS_KERNEL_ENABLING_BOOT_H
#define UE__TOOLS_KERNEL_ENABLING_BOOT_H

#include "common/cli/memory.h"
#include "common/cli/options.h"
#include "switches.h"

#define BOOT_UNIT "/etc/systemd/system/userevents-enable.service"

struct boot {
	const char *tracefs; /* NULL: the usual directory */
	const char *instance; /* NULL: the top one */
	const char *output; /* of the unit; "-": standard output */
};

/* Check the names before anything is looked for: 0, or an exit status after a message. */
int boot_check(const struct boot *boot, const char *verb);
/*
 * Write the unit that switches these events on, report which of the two ways each can take,
 * and what activates the unit. 0, or -1 after a message.
 */
int boot_write_unit(const struct boot *boot, const struct instance *instance,
		    const struct kept_events *kept, const struct switches *switches);
/* Print kernel arguments for these events. 0, or -1 after a message. */
int boot_print_arguments(const struct boot *boot, const struct instance *instance,
			 const struct switches *switches);
/* Remove a unit that boot_write_unit() wrote, also an active one. 0, or -1 after a message. */
int boot_remove_unit(const struct boot *boot);

/* The ways to switch an event on as the system starts. */

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

/* The text of the unit for the next boot. */

/* Its first line, by which it is known before it is replaced or removed. */
#define BOOT_UNIT_MARK                                                       \
	"# Written by \"userevents enable --at-boot\", which replaces it; "   \
	"\"userevents disable --at-boot\" removes it."

#endif
