/* SPDX-License-Identifier: MIT */
/* Which word was meant. */
#ifndef UE__TOOLS_CLI_SIMILAR_WORD_H
#define UE__TOOLS_CLI_SIMILAR_WORD_H

#include <stddef.h>

/*
 * The word that differs least from what was typed, or NULL when none is near enough to
 * have been meant. table has count rows of this size, and each begins with its word.
 */
const char *nearest(const char *typed, const void *table, size_t count, size_t size);

#endif
