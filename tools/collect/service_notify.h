/* SPDX-License-Identifier: MIT */
/* Tells the service manager how the service is: the protocol of sd_notify(3). */
#ifndef UE__TOOLS_COLLECT_SERVICE_NOTIFY_H
#define UE__TOOLS_COLLECT_SERVICE_NOTIFY_H

#include <stdint.h>

/*
 * Send lines such as "READY=1\nSTATUS=..." to the socket that NOTIFY_SOCKET names. Without
 * one, and if nothing takes them, nothing happens.
 */
void service_notify(const char *lines);
/*
 * The same with a descriptor, unless it is -1. 0, also without a manager; or -errno:
 * -EAGAIN when its queue is full.
 */
int service_notify_with(const char *lines, int fd);
/* RELOADING=1 with its time: READY=1 follows it. */
void service_notify_reload(void);
/*
 * Nanoseconds between signs of life, half of the manager's limit (WATCHDOG_USEC); 0: it
 * wants none of this process.
 */
int64_t service_watchdog(void);

/* A directory that one collector at a time writes to. */

/*
 * Open it, or make it, and lock it: a descriptor, which processes that are forked from now on
 * share, so the last of them that ends releases it. -1 after a message.
 */
int owned_directory_open(const char *path);

#endif
