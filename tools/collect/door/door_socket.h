/* SPDX-License-Identifier: MIT */
/* The socket of a door, by its name. */
#ifndef UE__TOOLS_COLLECT_DOOR_DOOR_SOCKET_H
#define UE__TOOLS_COLLECT_DOOR_DOOR_SOCKET_H

#include <sys/stat.h>
#include <sys/types.h>

/*
 * Listen at a path, with these rights; a socket there that no process listens on is replaced.
 * The descriptor, and the file that has the path; -1 after a message.
 */
int door_listen(const char *path, mode_t mode, struct stat *file);
/* Remove the name, unless it is another file's by now. */
void door_unlisten(const char *path, const struct stat *file);

#endif
