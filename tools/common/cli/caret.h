/* SPDX-License-Identifier: MIT */
/* Shows a place in a text that a person typed, below a message about it. */
#ifndef UE__TOOLS_CLI_CARET_H
#define UE__TOOLS_CLI_CARET_H

#include <stddef.h>

/*
 * Print two lines to stderr: the text, or as much of it around the place as fits into a line,
 * and a caret below the byte at this offset. Control characters and bytes that are not UTF-8
 * are shown as '?'.
 */
void message_caret(const char *text, size_t at);

#endif
