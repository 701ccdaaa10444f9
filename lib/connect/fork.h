/* SPDX-License-Identifier: MIT */
/* Forking. */
#ifndef UE__CONNECT_FORK_H
#define UE__CONNECT_FORK_H

/* Be called when the process forks; once is enough. 0 or -ENOMEM. */
int ue__watch_forks(void);

#endif
