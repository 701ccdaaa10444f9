/* SPDX-License-Identifier: MIT */
/* Switching events on at boot: by a unit of systemd, or by arguments of the kernel. */
#ifndef UE__TOOLS_ENABLING_BOOT_H
#define UE__TOOLS_ENABLING_BOOT_H

#include "common/cli/memory.h"
#include "common/cli/options.h"
#include "kept_events.h"
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

#endif
