/* SPDX-License-Identifier: MIT */
/* The whole of a small file, as the kernel generates it. */
#ifndef UE__UTIL_FILE_TEXT_H
#define UE__UTIL_FILE_TEXT_H

#include <stddef.h>

/*
 * Read a file into memory that the caller frees. Its length goes to *length and a
 * NUL follows the text. NULL and errno on failure; EFBIG beyond 16 MiB.
 */
char *ue__file_text(const char *path, size_t *length);

#endif
