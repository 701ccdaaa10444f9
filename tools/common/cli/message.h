/* SPDX-License-Identifier: MIT */
/* Messages for a person, on standard error, and the exit statuses of the tool. */
#ifndef UE__TOOLS_CLI_MESSAGE_H
#define UE__TOOLS_CLI_MESSAGE_H

#include <stdio.h>

/*
 * Print "userevents: " and one line to stderr: "cannot VERB THING: reason; fix", or a
 * sentence. Leaves errno alone. Control characters are shown as '?'.
 */
void message(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Print messages to this file from now on, as the screen is taken; NULL: to stderr again. */
void message_divert(FILE *file);
/* Where messages are printed now. */
FILE *message_file(void);

/* The end of a word, and a verb, for a count: "%llu event%s %s lost". */
#define PLURAL(count) ((count) == 1 ? "" : "s")
#define WERE(count) ((count) == 1 ? "was" : "were")

#define EXIT_ALL_WORKED 0
#define EXIT_FAILED 1
#define EXIT_WRONG_USAGE 2

#endif
