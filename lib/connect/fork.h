/* SPDX-License-Identifier: MIT */
/* Forking. */
#ifndef UE__CONNECT_FORK_H
#define UE__CONNECT_FORK_H

/* Install the handlers of fork(), once. 0 or -ENOMEM. */
int ue__watch_forks(void);

/* The same without the lock, for a constructor: no other thread has the library yet. */
int ue__watch_forks_at_load(void);

#endif
