/* SPDX-License-Identifier: MIT */
/* What a terminal is like. */
#ifndef UE__TOOLS_OUTPUT_TERMINAL_H
#define UE__TOOLS_OUTPUT_TERMINAL_H

/* Is it a terminal, and one that shall be coloured (NO_COLOR, TERM)? */
int terminal_has_colour(int fd);

#endif
