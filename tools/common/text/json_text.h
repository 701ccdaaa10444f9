/* SPDX-License-Identifier: MIT */
/*
 * JSON, appended to a buffer. Each function puts a comma where one is needed. key: NULL in an
 * array.
 */
#ifndef UE__TOOLS_ANSWERS_JSON_TEXT_H
#define UE__TOOLS_ANSWERS_JSON_TEXT_H

#include "common/cli/memory.h"
#include "common/events/field.h"

/* bracket: '{' or '['; close with the other one. */
void json_open(struct bytes *json, const char *key, char bracket);
void json_close(struct bytes *json, char bracket);
void json_count(struct bytes *json, const char *key, uint64_t number);
/* null unless it is finite. */
void json_float(struct bytes *json, const char *key, double number);
void json_boolean(struct bytes *json, const char *key, int is_true);
/* NULL: null. */
void json_string(struct bytes *json, const char *key, const char *text);
/* null for arrays, structs, absent ones, and floats that are not finite. */
void json_value(struct bytes *json, const char *key, const struct value *value);
/* Seconds, or a date if since 1970; as "userevents decode --json" prints time. */
void json_time(struct bytes *json, const char *key, int64_t time, int is_wall_clock);
/* JSON that exists. */
void json_raw(struct bytes *json, const char *key, const void *text, size_t length);

#endif
