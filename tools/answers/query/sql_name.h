/* SPDX-License-Identifier: MIT */
/* Names of events and fields, which hold any bytes, as names of SQL. */
#ifndef UE__TOOLS_QUERY_SQL_NAME_H
#define UE__TOOLS_QUERY_SQL_NAME_H

#include <stddef.h>

#include "common/cli/memory.h"

/*
 * The name as UTF-8 without control characters, cut off if it is very long, to be freed.
 * Never empty.
 */
char *sql_name(const char *name, size_t length);
/* Append it in double quotes, as an identifier; or in single quotes, as text. */
void sql_quote_name(struct bytes *sql, const char *name);
void sql_quote_text(struct bytes *sql, const char *text);
/* Append text without a NUL. */
void sql_add(struct bytes *sql, const char *text);

#endif
