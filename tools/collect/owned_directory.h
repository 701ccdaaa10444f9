/* SPDX-License-Identifier: MIT */
/* A directory that one collector at a time writes to. */
#ifndef UE__TOOLS_COLLECT_OWNED_DIRECTORY_H
#define UE__TOOLS_COLLECT_OWNED_DIRECTORY_H

/*
 * Open it, or make it, and lock it: a descriptor, which processes that are forked from now on
 * share, so the last of them that ends releases it. -1 after a message.
 */
int owned_directory_open(const char *path);

#endif
