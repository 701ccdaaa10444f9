/* SPDX-License-Identifier: MIT */
/* The text of a file. */
#ifndef UE__TOOLS_CLI_FILE_TEXT_H
#define UE__TOOLS_CLI_FILE_TEXT_H

#include <stddef.h>

/*
 * All of a file, with a NUL behind it, to be freed; NULL with errno when it cannot be
 * read. length may be NULL.
 */
char *read_file(const char *path, size_t *length);

#endif
