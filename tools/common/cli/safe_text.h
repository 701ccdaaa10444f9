/* SPDX-License-Identifier: MIT */
/*
 * Names and messages may hold any bytes, but must not control a terminal. The library
 * escapes control characters in JSON and lines of text. These functions are for other
 * text. They also replace DEL and C1, as terminals obey them too: the two bytes of UTF-8,
 * and the single byte, which terminals of 8 bits obey; and characters that turn text around
 * or are not seen.
 */
#ifndef UE__TOOLS_CLI_SAFE_TEXT_H
#define UE__TOOLS_CLI_SAFE_TEXT_H

#include <stddef.h>

/* Replace every byte of C0, DEL and C1 with '?'. */
void controls_blank(char *text, size_t length);

/* Print to stdout, with '?' in their place. */
void controls_print(const char *text, size_t length);

/* Whether it is a terminal on which NO_COLOR and TERM allow colours. */
int terminal_has_colour(int fd);

/*
 * JSON for commands that print little: "KEY":"TEXT", with a comma before it unless it is
 * the first. Bytes that are not UTF-8 are read as ISO 8859-1.
 */
void json_member(const char *key, const char *text, size_t length, int is_first);

#endif
