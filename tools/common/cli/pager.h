/* SPDX-License-Identifier: MIT */
/* Standard output as a terminal, and a pager between the two. */
#ifndef UE__TOOLS_CLI_PAGER_H
#define UE__TOOLS_CLI_PAGER_H

/* Whether standard output is a terminal, perhaps behind a pager. */
int output_is_terminal(void);
/* ... on which NO_COLOR and TERM allow colours. */
int output_has_colour(void);
/* The columns of that terminal; 0 without one. */
int output_columns(void);

/*
 * If standard output is a terminal, a pager shows what is printed from here on, as git's does:
 * $USEREVENTS_PAGER, else $PAGER, else less; none if that is empty, "cat", or not to be
 * found, and in the background. The end of the
 * program waits for it. For answers that end. files: what is read, NULL-terminated, which is
 * live, and has no pager, unless all are files; NULL: nothing is read.
 */
void pager_begin(char *const *files);

#endif
