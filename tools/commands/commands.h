/* SPDX-License-Identifier: MIT */
/* The commands of the tool: each in a file of its own, tools/command_NAME.c. */
#ifndef UE__TOOLS_COMMANDS_COMMANDS_H
#define UE__TOOLS_COMMANDS_COMMANDS_H

/* What a command ends with. */
#define EXIT_ALL_WORKED 0
#define EXIT_FAILED 1
#define EXIT_WRONG_USAGE 2

/*
 * One command. run gets the arguments from the command's name on and returns the
 * exit status; it parses them with options_parse(), which does --help.
 */
struct command {
	const char *name;
	const char *help; /* one line */
	int (*run)(int argc, char **argv);
};

/* In the child that becomes another program: what the tool ignores is as it was before. */
void restore_signals(void);

int command_decode(int argc, char **argv);
int command_delete(int argc, char **argv);
int command_doctor(int argc, char **argv);
int command_list(int argc, char **argv);
int command_losses(int argc, char **argv);
int command_record(int argc, char **argv);
int command_register(int argc, char **argv);
int command_run(int argc, char **argv);
int command_status(int argc, char **argv);
int command_watch(int argc, char **argv);
int command_write(int argc, char **argv);

#endif
