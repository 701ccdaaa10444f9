/* SPDX-License-Identifier: MIT */
/* The one lock of the library, and how it behaves when the process forks. */
#ifndef UE__STATE_LOCK_H
#define UE__STATE_LOCK_H

/*
 * It protects the list of sessions and all registration, never a write. Its holder
 * is neither cancelled nor interrupted by a signal handler: the one would leave it
 * locked for ever, the other might fork, and fork needs it.
 */
void ue__lock(void);
void ue__unlock(void);

/*
 * Held across fork, so that the child finds everything whole. Meanwhile the thread
 * that forks may enter again: handlers of others run between ours.
 */
void ue__lock_before_fork(void);
void ue__unlock_after_fork(void);

#endif
