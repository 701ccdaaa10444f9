/* SPDX-License-Identifier: MIT */
/* The functions that questions can use beside those of SQLite. */
#ifndef UE__TOOLS_QUERY_SQL_FUNCTIONS_H
#define UE__TOOLS_QUERY_SQL_FUNCTIONS_H

#include <sqlite3.h>

/*
 * Add all of them: 0 or an error of SQLite. The user data of each is its name, "p99()".
 */
int sql_functions_add(sqlite3 *handle);

#endif
