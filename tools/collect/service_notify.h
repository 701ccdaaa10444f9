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
/* RELOADING=1 with its time: READY=1 follows it. */
void service_notify_reload(void);
/*
 * Nanoseconds between signs of life, half of what the manager waits (WATCHDOG_USEC); 0: it
 * wants none of this process.
 */
int64_t service_watchdog(void);

#endif
