/* SPDX-License-Identifier: MIT */
/* Properties of terminals. */
#ifndef UE__TOOLS_OUTPUT_TERMINAL_H
#define UE__TOOLS_OUTPUT_TERMINAL_H

/* Whether it is a terminal on which NO_COLOR and TERM allow colours. */
int terminal_has_colour(int fd);

#endif
