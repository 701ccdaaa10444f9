/* SPDX-License-Identifier: MIT */
/* Programs that the tool starts, and the signals that it must not pass on to them. */
#ifndef UE__TOOLS_COMMON_CLI_PROGRAM_H
#define UE__TOOLS_COMMON_CLI_PROGRAM_H

#include <signal.h>
#include <sys/types.h>

struct program {
	pid_t pid;   /* 0: none */
	int go;	     /* takes a byte; -1 once that is written */
	int failure; /* yields the errno of exec */
};

/*
 * Hold back signals that would end the tool between steps of which all or none must be done,
 * until sigprocmask(SIG_SETMASK, before, NULL).
 */
void signals_hold(sigset_t *before);
/*
 * Fork a child that waits for program_go(), then calls prepare and execs. It has the
 * signal dispositions that the tool inherited. 0, or -1 after a message.
 */
int program_start(struct program *program, char **argv, void (*prepare)(void *context),
		  void *context);
/* Let the child go on: 0, or the errno of exec; then the child has been waited for. */
int program_go(struct program *program);

/* The exit statuses of the shell, env(1) and others. */
#define EXIT_CANNOT_RUN 126
#define EXIT_NOT_FOUND 127

/* Report that a program cannot be run, for an errno of exec. Returns its exit status. */
int program_complain(const char *name, int error);
/* The file of a name without '/' that execvp(3) finds in PATH, to be freed, or NULL. */
char *program_find(const char *name);
/* Whether execvp(3) finds a file that this user may execute. */
int program_exists(const char *name);
/* Whether this is the path of a file that is not a directory. */
int is_file_at(const char *path);
/* End a child that was never let go; does nothing otherwise. */
void program_drop(struct program *program);

/*
 * The programs of the tool: how each starts and ends. Commands that need larger libraries are
 * programs of their own; they are beside userevents, as in a build folder, or where they are
 * installed, and may be missing.
 */

/*
 * Called before anything else: standard descriptors are open, and closed pipes are
 * errors.
 */
void tool_begin(void);
/* The exit status, which tells of output that did not arrive. */
int tool_end(int status);

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

/* Standard output as a terminal, and a pager between the two. */

/* Whether standard output is a terminal, perhaps behind a pager. */
int output_is_terminal(void);
/* ... on which NO_COLOR and TERM allow colours. */
int output_has_colour(void);
/* The columns of that terminal; 0 without one. */
int output_columns(void);

/*
 * If standard output is a terminal, a pager shows the output from here on, as git's does:
 * $USEREVENTS_PAGER, else $PAGER, else less; none if that is empty, "cat", or not to be
 * found, and in the background. The end of the
 * program waits for it. For answers that end. files: what is read, NULL-terminated, which is
 * live, and has no pager, unless all are files; NULL: nothing is read.
 */
void pager_begin(char *const *files);

#endif
