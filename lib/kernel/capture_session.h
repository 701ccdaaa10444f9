/* SPDX-License-Identifier: MIT */
/* A session whose descriptor is a capture's socket; see capture_page.h. */
#ifndef UE__KERNEL_CAPTURE_SESSION_H
#define UE__KERNEL_CAPTURE_SESSION_H

#include "capture_page.h"

struct ue__registration;
struct ue__session;

/*
 * Map the page of the capture behind a socket. 0, -ENOTTY when there is none, or the
 * error of a call that a sandbox denies. Under the lock, as are the others but the last.
 */
int ue__capture_attach(int fd, struct ue__capture_page **page);
/*
 * The session is over. The page's address stays readable, as a writer may still look at a
 * bit; nobody listens there any more.
 */
void ue__capture_detach(struct ue__capture_page *page);

/* Register an event; its word is not set yet. Never waits: -EAGAIN. */
int ue__capture_register(struct ue__session *session, const struct ue__registration *r,
			 uint32_t *write_index);
/* Is a registration that finds the socket full to wait? */
int ue__capture_waits(int fd);
/* Wait some time until there may be room, or something else is wrong. Not under the lock. */
void ue__capture_wait(int fd);

#endif
