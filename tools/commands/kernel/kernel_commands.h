/* SPDX-License-Identifier: MIT */
/* The commands that control the kernel's tracing. */
#ifndef UE__TOOLS_COMMANDS_KERNEL_COMMANDS_H
#define UE__TOOLS_COMMANDS_KERNEL_COMMANDS_H

#include "common/cli/options.h"

extern const struct command cleanup_command, delete_command, disable_command,
	enable_command, filter_command, khist_command, klatency_command, probe_command,
	synth_command, trigger_command;

#endif
