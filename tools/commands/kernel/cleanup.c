/* SPDX-License-Identifier: MIT */
/*
 * userevents cleanup: removes leftovers of killed commands.
 */
#include "common/cli/message.h"
#include "common/cli/options.h"
#include "kernel/control/instance.h"
#include "kernel/tracefs/tracing_files.h"
#include "kernel_commands.h"

static const char *directory;
static int is_rehearsal;

static const struct tool_option options[] = {
	{ .name = "dry-run", .letter = 'n', .flag = &is_rehearsal,
	  .help = "Print what would be removed, and remove nothing." },
	TRACEFS_OPTION(directory),
	OPTIONS_END,
};

static const struct usage usage = {
	.command = "cleanup",
	.verb = "clean up",
	.arguments = "",
	.help = "Removes what commands of userevents left when they were killed (SIGKILL, or\n"
		"for want of memory): tracing instances with their triggers, synthetic events\n"
		"and probes. It prints each. The names of these hold the process that made\n"
		"them; those of processes that run are left, and so are those of other pid\n"
		"namespaces (containers), which are reported.\n",
	.options = options,
};

static int command_cleanup(int argc, char **argv)
{
	(void)argv;
	if (argc)
		return options_complain(&usage, "it takes no arguments");
	directory = tracing_find(directory);
	if (!directory || control_lock(directory) || leftovers_remove(directory, is_rehearsal))
		return EXIT_FAILED;
	return EXIT_ALL_WORKED;
}

const struct command cleanup_command = { &usage, command_cleanup };
