/* SPDX-License-Identifier: MIT */
/* Sessions that are closed and may still be written to. */
#ifndef UE__CONNECT_CLOSE_H
#define UE__CONNECT_CLOSE_H

#include <stdint.h>

struct ue__session;

/*
 * Close the descriptor and free the session as soon as no write is in flight; at once,
 * if that is now. Its events are unregistered, and it is out of the list. Under the lock.
 * Returns a number that is this session's only; 0 if it is closed.
 */
uint64_t ue__retire(struct ue__session *session);

/* Close the retired sessions that no write uses any more. Under the lock. */
void ue__close_retired(void);

#endif
