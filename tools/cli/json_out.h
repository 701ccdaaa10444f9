/* SPDX-License-Identifier: MIT */
/* JSON for commands that print little, straight to stdout. */
#ifndef UE__TOOLS_CLI_JSON_OUT_H
#define UE__TOOLS_CLI_JSON_OUT_H

#include <stddef.h>

/* Quoted and escaped; bytes that are not UTF-8 are read as ISO 8859-1. */
void json_string(const char *text, size_t length);
/* "KEY":"TEXT", with a comma before it unless it is the first. */
void json_member(const char *key, const char *text, size_t length, int is_first);

#endif
