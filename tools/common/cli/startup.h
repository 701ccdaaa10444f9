/* SPDX-License-Identifier: MIT */
/*
 * The programs of the tool: how each starts and ends. Commands that need larger libraries are
 * programs of their own; they are beside userevents, as in a build folder, or where they are
 * installed, and may be missing.
 */
#ifndef UE__TOOLS_CLI_STARTUP_H
#define UE__TOOLS_CLI_STARTUP_H

/* Before anything else: standard descriptors are open, and closed pipes are errors. */
void start_up(void);
/* The exit status, which tells of output that did not arrive. */
int finish(int status);

/*
 * The whole of a program that userevents started for one command: argv[1] is its name, as
 * the user typed it.
 */
int run_apart(int (*command)(int argc, char **argv), int argc, char **argv);

/* The path of the program "userevents-NAME", to be freed; NULL: there is none. */
char *apart_find(const char *name);
/*
 * Become the program "userevents-NAME", which gets these arguments. Returns an exit status
 * after a message if it cannot.
 */
int apart_run(const char *name, char **argv);

#endif
