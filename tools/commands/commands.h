/* SPDX-License-Identifier: MIT */
/* The commands of the tool, one file each. */
#ifndef UE__TOOLS_COMMANDS_COMMANDS_H
#define UE__TOOLS_COMMANDS_COMMANDS_H

#include "common/cli/message.h"

/*
 * One command. run gets the arguments from the command's name on and returns the
 * exit status; it parses them with options_parse(), which does --help.
 */
struct command {
	const char *name;
	const char *help; /* one line */
	int (*run)(int argc, char **argv); /* NULL: userevents-NAME has it */
};

int command_cost(int argc, char **argv);
int command_decode(int argc, char **argv);
int command_doctor(int argc, char **argv);
int command_hist(int argc, char **argv);
int command_latency(int argc, char **argv);
int command_list(int argc, char **argv);
int command_losses(int argc, char **argv);
int command_record(int argc, char **argv);
int command_register(int argc, char **argv);
int command_report(int argc, char **argv);
int command_ring(int argc, char **argv);
int command_run(int argc, char **argv);
int command_stacks(int argc, char **argv);
int command_stat(int argc, char **argv);
int command_status(int argc, char **argv);
int command_top(int argc, char **argv);
int command_watch(int argc, char **argv);
int command_write(int argc, char **argv);

#endif
