/* SPDX-License-Identifier: MIT */
/* The name of an EventHeader tracepoint, split for a person or a program. */
#ifndef UE__TOOLS_OUTPUT_NAME_PARTS_H
#define UE__TOOLS_OUTPUT_NAME_PARTS_H

#include <stddef.h>

/* "provider Shop, level 4 (information), keyword 0x1"; 0, and nothing for other names. */
int eventheader_print(const char *before, const char *name, size_t length);
/* ,"provider":"Shop","level":4,"keyword":"0x1"; nothing for another name. */
void eventheader_print_json(const char *name, size_t length);

#endif
