/* SPDX-License-Identifier: MIT */
/*
 * Text from anywhere must not steer a terminal. The library escapes control characters
 * in JSON and lines of text; here is what is printed as it is: DEL and C1 as well, which
 * UTF-8 has as two bytes and terminals take for the beginning of a sequence all the same.
 */
#ifndef UE__TOOLS_CLI_SAFE_TEXT_H
#define UE__TOOLS_CLI_SAFE_TEXT_H

#include <stddef.h>

/* Of text of any encoding, every byte of C0, DEL and C1 becomes '?'. */
void controls_blank(char *text, size_t length);

/* To stdout, with '?' for them. */
void controls_print(const char *text, size_t length);

#endif
