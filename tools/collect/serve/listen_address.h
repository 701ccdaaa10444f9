/* SPDX-License-Identifier: MIT */
/* Addresses on which requests are awaited: "unix:/PATH", or "HOST:PORT". */
#ifndef UE__TOOLS_COLLECT_LISTEN_ADDRESS_H
#define UE__TOOLS_COLLECT_LISTEN_ADDRESS_H

#include <sys/stat.h>

/* Whether the text means an address; others are paths of files, as those with a slash. */
int listen_address_is(const char *text);
/* It was meant to, and does not: digits alone, a text that begins with ":", or a URL. */
int listen_address_is_wrong(const char *text);

/*
 * Listen there: a socket that does not block, or -1 after a message. HOST is a number,
 * "localhost" or empty, which is the same: names are not looked up, as that may take long. A
 * socket's file that nothing listens on is replaced. file: that has the socket's path.
 */
int listen_address_open(const char *text, struct stat *file);
/* Close it, and remove its file, unless the path is another file's by now. */
void listen_address_close(const char *text, int fd, const struct stat *file);

#endif
