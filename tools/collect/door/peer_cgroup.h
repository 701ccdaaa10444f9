/* SPDX-License-Identifier: MIT */
/* The control group of a process that connected. */
#ifndef UE__TOOLS_COLLECT_DOOR_PEER_CGROUP_H
#define UE__TOOLS_COLLECT_DOOR_PEER_CGROUP_H

#include <stdint.h>
#include <sys/types.h>

/*
 * Its path in the second version, to be freed; "" if it is not known: /proc hides the
 * process, or it ended, so that its pid may be another one's. connection: to it; since:
 * when that was accepted, by CLOCK_BOOTTIME.
 */
char *peer_cgroup(int connection, pid_t pid, int64_t since);

#endif
