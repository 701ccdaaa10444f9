/* SPDX-License-Identifier: MIT */
/* The commands that control the kernel's tracing. */
#ifndef UE__TOOLS_COMMANDS_KERNEL_COMMANDS_H
#define UE__TOOLS_COMMANDS_KERNEL_COMMANDS_H

#include "common/cli/options.h"

struct command {
	const struct usage *usage; /* NULL: it parses its options itself */
	/* Gets the arguments without options; without a usage, those from its name on. */
	int (*run)(int argc, char **argv);
};

/* Parse the options of a command and run it: its exit status. argv[0] is its name. */
static inline int command_start(const struct command *command, int argc, char **argv)
{
	int status = OPTIONS_GO_ON;

	if (command->usage)
		status = options_parse(command->usage, &argc, &argv);
	return status == OPTIONS_GO_ON ? command->run(argc, argv) : status;
}

extern const struct command cleanup_command, delete_command, disable_command,
	enable_command, filter_command, khist_command, klatency_command, probe_command,
	synth_command, trigger_command;

#endif
