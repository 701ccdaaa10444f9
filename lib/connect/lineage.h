/* SPDX-License-Identifier: MIT */
/* Which thread talks to the kernel about registrations. */
#ifndef UE__CONNECT_LINEAGE_H
#define UE__CONNECT_LINEAGE_H

/*
 * Decide, if it is not decided yet; fd is a user_events_data of Linux 6.4 or later.
 * Under the lock. 0 or -errno: of pthread_create(3), -EAGAIN.
 */
int ue__lineage_begin(int fd);

/* 1 when there are other threads, so that none can be every thread's lineage. */
int ue__lineage_is_too_late(void);

/* Call a function in the lineage that the registrations are kept with. Under the lock. */
int ue__in_lineage(int (*function)(void *), void *argument);

/*
 * In the child of a fork: decide anew, as the kernel may have had no memory to copy the
 * lineage. fd as above; -1 if there is none: then what held for every thread of the parent
 * holds for the child. Under the lock.
 *
 * 0: registrations are to be made again. 1: the kernel must not be asked, and had copied
 * them. -errno as of ue__lineage_begin(), or -EBADF.
 */
int ue__lineage_forked(int fd);

#endif
