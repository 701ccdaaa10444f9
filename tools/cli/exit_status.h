/* SPDX-License-Identifier: MIT */
/* The exit statuses of the tool. */
#ifndef UE__TOOLS_CLI_EXIT_STATUS_H
#define UE__TOOLS_CLI_EXIT_STATUS_H

#define EXIT_ALL_WORKED 0
#define EXIT_FAILED 1
#define EXIT_WRONG_USAGE 2

#endif
