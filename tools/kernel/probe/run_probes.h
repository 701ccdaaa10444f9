/* SPDX-License-Identifier: MIT */
/*
 * Probes that last as long as a command. Their group has the command's own name
 * (kernel/control/own_instance.h), by which "userevents cleanup" knows whose they were.
 */
#ifndef UE__TOOLS_PROBE_RUN_PROBES_H
#define UE__TOOLS_PROBE_RUN_PROBES_H

#include "common/cli/options.h"

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
