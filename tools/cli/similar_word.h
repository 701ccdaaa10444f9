/* SPDX-License-Identifier: MIT */
/* Which word was meant. */
#ifndef UE__TOOLS_CLI_SIMILAR_WORD_H
#define UE__TOOLS_CLI_SIMILAR_WORD_H

/*
 * The word of a NULL-terminated list that differs least from what was typed, or NULL
 * when none is near enough to have been meant.
 */
const char *nearest(const char *typed, const char *const *words);

#endif
