/* SPDX-License-Identifier: MIT */
/* The library's only lock, and its behaviour when the process forks. */
#ifndef UE__STATE_LOCK_H
#define UE__STATE_LOCK_H

/*
 * The lock protects the list of sessions and all registrations. A write never takes it.
 * The thread that holds it is not cancelled, which would leave it locked forever, and
 * runs no signal handler, which might fork, and fork takes the lock.
 */
void ue__lock(void);
void ue__unlock(void);

/*
 * The lock is held across fork, so that the child finds complete lists. Meanwhile the
 * thread that forks may lock again, because fork handlers of other code run between the
 * library's.
 */
void ue__lock_before_fork(void);
void ue__unlock_after_fork(void);

#endif
