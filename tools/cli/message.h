/* SPDX-License-Identifier: MIT */
/* Messages for a person, on standard error. */
#ifndef UE__TOOLS_CLI_MESSAGE_H
#define UE__TOOLS_CLI_MESSAGE_H

/*
 * One sentence to stderr, behind "userevents: ": what failed, on what, why, and what
 * fixes it. Leaves errno alone. Control characters of the arguments are shown as '?'.
 */
void message(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
