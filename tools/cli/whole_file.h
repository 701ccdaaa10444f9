/* SPDX-License-Identifier: MIT */
/* Reads whole files. */
#ifndef UE__TOOLS_CLI_WHOLE_FILE_H
#define UE__TOOLS_CLI_WHOLE_FILE_H

#include <stddef.h>

/*
 * The text of a file and a NUL, to be freed; NULL with errno. length may be NULL.
 */
char *read_file(const char *path, size_t *length);

#endif
