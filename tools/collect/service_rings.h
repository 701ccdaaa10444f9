/* SPDX-License-Identifier: MIT */
/*
 * The service manager keeps the rings of programs, and the socket at which they are offered, while
 * no collector runs: FDSTORE of sd_notify(3), and sd_listen_fds(3). Without one, nothing happens.
 */
#ifndef UE__TOOLS_COLLECT_SERVICE_RINGS_H
#define UE__TOOLS_COLLECT_SERVICE_RINGS_H

#include <stdint.h>

#include "door/ring_door.h"

/*
 * Once, before other calls: take the manager's descriptors for this process. Without
 * --socket nothing of it is of use, so it is closed, and a message says so.
 */
void service_rings_begin(int is_with_socket);
/*
 * The socket that it listens on for this process, which should be that of --socket; -1:
 * none.
 */
int service_listener(const char *path);
/* The next guest of the collector before this one; NULL: there are no more. */
struct door_guest *service_kept(struct ring_door *door);

/*
 * Let it keep the ring of a guest, until that is forgotten. A message that it does not
 * take, as its queue is full, is sent again by service_tell_again(), which says whether
 * all have been sent.
 */
void service_keep(struct door_guest *guest);
void service_forget(struct door_guest *guest);
int service_tell_again(struct door_guest *guests);

/* Tells the service manager how the service is: the protocol of sd_notify(3). */

/*
 * Send lines such as "READY=1\nSTATUS=..." to the socket that NOTIFY_SOCKET names.
 * Without one, and if nothing takes them, nothing happens.
 */
void service_notify(const char *lines);
/* RELOADING=1 with its time: READY=1 follows it. */
void service_notify_reload(void);
/*
 * Nanoseconds between signs of life, half of the manager's limit (WATCHDOG_USEC); 0: it
 * wants none of this process.
 */
int64_t service_watchdog(void);

/* A directory that one collector at a time writes to. */

/*
 * Open it, or make it, and lock it: a descriptor, which processes that are forked from
 * now on share, so the last of them that ends releases it. -1 after a message.
 */
int owned_directory_open(const char *path);

#endif
