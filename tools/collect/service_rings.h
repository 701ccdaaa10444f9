/* SPDX-License-Identifier: MIT */
/*
 * The service manager keeps the rings of programs, and the socket at which they are offered, while
 * no collector runs: FDSTORE of sd_notify(3), and sd_listen_fds(3). Without one, nothing happens.
 */
#ifndef UE__TOOLS_COLLECT_SERVICE_RINGS_H
#define UE__TOOLS_COLLECT_SERVICE_RINGS_H

#include "door/ring_door.h"

/* Once, before other calls: take what the manager has for this process. */
void service_rings_begin(void);
/* The socket that it listens on for this process; -1: none. */
int service_listener(void);
/* The next guest of the collector before this one; NULL: there are no more. */
struct door_guest *service_kept(struct ring_door *door);

/* Let it keep the ring of a guest, until that is forgotten. */
void service_keep(const struct door_guest *guest);
void service_forget(const struct door_guest *guest);

#endif
