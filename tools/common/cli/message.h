/* SPDX-License-Identifier: MIT */
/* Messages for a person, on standard error, and the exit statuses of the tool. */
#ifndef UE__TOOLS_COMMON_CLI_MESSAGE_H
#define UE__TOOLS_COMMON_CLI_MESSAGE_H

#include <stddef.h>
#include <stdio.h>

/*
 * Print "userevents: " and one line to stderr: "cannot VERB THING: reason; fix", or a
 * sentence. Leaves errno alone. Control characters are shown as '?'.
 */
void message(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Print messages to this file from now on, as the screen is taken; NULL: to stderr again. */
void message_divert(FILE *file);
/* The file into which messages are printed now. */
FILE *message_file(void);

/* The end of a word, and a verb, for a count: "%llu event%s %s lost". */
#define PLURAL(count) ((count) == 1 ? "" : "s")
#define WERE(count) ((count) == 1 ? "was" : "were")

#define EXIT_ALL_WORKED 0
#define EXIT_FAILED 1
#define EXIT_WRONG_USAGE 2

/*
 * Names and messages may hold any bytes, but must not control a terminal. The library
 * escapes control characters in JSON and lines of text. These functions are for other
 * text. They also replace DEL and C1, as terminals obey them too: the two bytes of UTF-8,
 * and the single byte, which terminals of 8 bits obey; and characters that turn text around
 * or are not seen.
 */

/* Replace every byte of C0, DEL and C1 with '?'. */
void controls_blank(char *text, size_t length);

/* Print to stdout, with '?' in their place. */
void controls_print(const char *text, size_t length);

/*
 * JSON for commands that print little: "KEY":"TEXT", with a comma before it unless it is
 * the first. Bytes that are not UTF-8 are read as ISO 8859-1.
 */
void json_member(const char *key, const char *text, size_t length, int is_first);

/* Shows a place in a text that a person typed, below a message about it. */

/*
 * Print two lines to stderr: the text, or as much of it around the place as fits into a line,
 * and a caret below the byte at this offset. Control characters and bytes that are not UTF-8
 * are shown as '?'.
 */
void message_caret(const char *text, size_t at);

#endif
