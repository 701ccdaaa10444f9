/* SPDX-License-Identifier: MIT */
/* What the library knows of an open session. */
#ifndef UE__STATE_SESSION_H
#define UE__STATE_SESSION_H

#include <stdint.h>
#include <sys/types.h>

#include <userevents/loss.h>
#include <userevents/session.h>

#include "in_flight.h"
#include "lock.h"
#include "registration.h"

struct ue__capture_page;

/*
 * One for each descriptor from ue_open(). Created, looked up and destroyed under
 * ue__lock(). What a writer needs is in the event; only one that failed looks at the
 * list, without the lock, to count: a session is not freed while a write is in flight.
 */
struct ue__session {
	int fd;
	dev_t device; /* with inode: that fd is still the file that was opened */
	ino_t inode;
	enum ue_abi abi;
	uint32_t payload_max;
	char *directory;	 /* of user_events_data; NULL when not known */
	struct ue__capture_page *capture; /* of UE_ABI_CAPTURE */
	struct ue__registration *registrations;
	struct ue__session *next;
	/* Of a closed one; next stays, as a writer may be standing on it. */
	struct ue__session *next_retired;
	uint64_t retirement; /* of no other session */
	struct ue__in_flight in_flight;
	uint32_t lost[UE_LOSS_REASONS];
};

/* The first of the list, linked by next; in process_note.c. */
extern struct ue__session *ue__first_session __attribute__((visibility("hidden")));

/* The same, under the lock. */
struct ue__session *ue__sessions(void);

/* The session of a descriptor, or NULL. Under the lock. */
struct ue__session *ue__session_find(int fd);

/* The same for a writer: between ue__enter() and ue__leave() in the place of the lock. */
struct ue__session *ue__session_of_writer(int fd);

/* Take the session of a descriptor out of the list; NULL when it is none. */
struct ue__session *ue__session_detach(int fd);

/* 0 when the descriptor was closed behind the library's back, and perhaps reused. */
int ue__session_is_open(const struct ue__session *session);

/* Free a session, the descriptor apart. Under the lock. */
void ue__session_free(struct ue__session *session);

/*
 * A descriptor to unregister with: the session's; when that is gone another one, as any
 * user_events_data will do. fd is -EBADF when there is none to be had.
 */
struct ue__borrowed {
	int fd;
	int is_own; /* to be closed */
};

struct ue__borrowed ue__session_borrow(const struct ue__session *session);
void ue__session_put_back(struct ue__borrowed borrowed);

#endif
