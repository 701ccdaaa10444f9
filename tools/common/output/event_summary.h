/* SPDX-License-Identifier: MIT */
/* Prints the parts of an event's name, and its listeners. */
#ifndef UE__TOOLS_OUTPUT_EVENT_SUMMARY_H
#define UE__TOOLS_OUTPUT_EVENT_SUMMARY_H

#include <stddef.h>
#include <stdint.h>

/* "provider Shop, level 4 (information), keyword 0x1"; 0, and nothing for other names. */
int eventheader_print(const char *before, const char *name, size_t length);
/* ,"provider":"Shop","level":4,"keyword":"0x1"; nothing for another name. */
void eventheader_print_json(const char *name, size_t length);

/* Listeners are UE_USER_*. */

/* "ftrace perf", or "none". */
void listeners_print(uint32_t users);
/* ,"listeners":["ftrace","perf"] */
void listeners_print_json(uint32_t users);

#endif
