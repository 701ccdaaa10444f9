/* SPDX-License-Identifier: MIT */
/* The listeners of an event, UE_USER_*. */
#ifndef UE__TOOLS_TRACEFS_LISTENERS_H
#define UE__TOOLS_TRACEFS_LISTENERS_H

#include <stdint.h>

/* "ftrace perf", or "none". */
void listeners_print(uint32_t users);
/* ,"listeners":["ftrace","perf"] */
void listeners_print_json(uint32_t users);

#endif
