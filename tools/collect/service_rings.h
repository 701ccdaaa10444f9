/* SPDX-License-Identifier: MIT */
/*
 * The service manager keeps the rings of programs, and the socket at which they are offered, while
 * no collector runs: FDSTORE of sd_notify(3), and sd_listen_fds(3). Without one, nothing happens.
 */
#ifndef UE__TOOLS_COLLECT_SERVICE_RINGS_H
#define UE__TOOLS_COLLECT_SERVICE_RINGS_H

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

#endif
