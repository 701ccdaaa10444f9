/* SPDX-License-Identifier: MIT */
/* The commands of the tool. */
#ifndef UE__TOOLS_COMMANDS_COMMANDS_H
#define UE__TOOLS_COMMANDS_COMMANDS_H

#include "common/cli/options.h"

extern const struct command cost_command, decode_command, doctor_command, hist_command,
	latency_command, list_command, losses_command, record_command, register_command,
	report_command, ring_command, run_command, stacks_command, stat_command,
	status_command, top_command, watch_command, write_command;

#endif
