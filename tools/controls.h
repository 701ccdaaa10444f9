/* SPDX-License-Identifier: MIT */
/*
 * Text from anywhere must not steer a terminal. C0 is escaped where values are put;
 * here are those that JSON allows as they are: DEL, and C1, which UTF-8 has as two
 * bytes and terminals take for the beginning of a sequence all the same.
 */
#ifndef UE__TOOLS_CONTROLS_H
#define UE__TOOLS_CONTROLS_H

#include <stddef.h>

/* By how much text in UTF-8 grows when its DEL and C1 become \u007f, \u009b. */
size_t controls_growth(const char *text, size_t length);

/* They become that; behind the text is room for as much, which is growth. */
void controls_escape(char *text, size_t length, size_t growth);

/* Of text of any encoding, every byte of C0, DEL and C1 becomes '?'. */
void controls_blank(char *text, size_t length);

/* To stdout, with '?' for them. */
void controls_print(const char *text, size_t length);

#endif
