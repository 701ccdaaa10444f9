/* SPDX-License-Identifier: MIT */
/* Locks that say which processes are alive. */
#ifndef UE__RING_RING_LOCK_H
#define UE__RING_RING_LOCK_H

#include <stdint.h>

/* A descriptor of the same file, with an open file description of its own; or -errno. */
int ue__ring_open_again(int fd);
/* 0, or -errno: another has the lock. */
int ue__ring_lock(int fd, int64_t byte);
void ue__ring_unlock(int fd, int64_t byte);
/* 1 if any other open file description has the lock; also if that cannot be found out. */
int ue__ring_is_locked(int fd, int64_t byte);

#endif
