/* SPDX-License-Identifier: MIT */
/* Adds probes to the kernel, and removes them. */
#ifndef UE__TOOLS_KERNEL_PROBE_PROBE_ADD_H
#define UE__TOOLS_KERNEL_PROBE_PROBE_ADD_H

#include "common/cli/options.h"

/*
 * Add probes in a group. If the kernel refuses one, those before it are removed.
 * names: those of the probes are added, to be freed. 0, or -1 after a message.
 */
int probes_add(const char *directory, const char *group, const struct words *definitions,
	       struct words *names);
/* Remove one: 0, or -1 after a message. */
int probe_remove(const char *directory, const char *group, const char *name);

/*
 * Probes that last as long as a command. Their group has the command's own name
 * (kernel/control/own_instance.h), by which "userevents cleanup" knows whose they were.
 */

struct run_probes {
	struct words definitions;
	/* While they exist */
	const char *directory;
	char *group;
	struct words names;
};

#define RUN_PROBES_OPTION(probes)                                                     \
	{ .name = "probe", .words = &(probes).definitions, .value = "DEFINITION",      \
	  .help = "Add this probe (userevents probe --help) while the command\n"        \
		  "runs, beside other events. May be repeated." }

/*
 * Add them, and to globs those that select them, and all user events if there were none.
 * Does nothing without definitions. tracefs: NULL: the usual. 0, or -1 after a message.
 */
int run_probes_begin(struct run_probes *probes, const char *tracefs, struct words *globs);
/* Remove them. 0, or -1 after a message. */
int run_probes_end(struct run_probes *probes);

#endif
