/* SPDX-License-Identifier: MIT */
/* An open session, and the list of all. */
#ifndef UE__STATE_SESSION_H
#define UE__STATE_SESSION_H

#include <stdint.h>

#include <userevents/loss.h>
#include <userevents/session.h>

#include "in_flight.h"
#include "lock.h"
#include "process.h"
#include "registration.h"

/*
 * One for each descriptor from ue_open(). Created, looked up and destroyed under
 * ue__lock(). What a writer needs is in the event; only one that failed looks at the
 * list, without the lock, to count: a session is not freed while a write is in flight.
 */
struct ue__session {
	struct ue__channel channel;
	const struct ue__back_end *back_end;
	enum ue_abi abi; /* the back end's, for tools that read it from outside */
	uint32_t payload_max;
	struct ue__registration *registrations;
	struct ue__session *next;
	/* Of a closed one; next stays, as a writer may be standing on it. */
	struct ue__session *next_retired;
	uint64_t retirement; /* of no other session */
	struct ue__in_flight in_flight;
	uint32_t lost[UE_LOSS_REASONS];
};

/* The session of a descriptor, or NULL. Under the lock. */
struct ue__session *ue__session_find(int fd);

/* The same for a writer: between ue__enter() and ue__leave() instead of under the lock. */
struct ue__session *ue__session_of_writer(int fd);

/* Put it into the list. */
void ue__session_attach(struct ue__session *session);
/* Take the session of a descriptor out of the list; NULL when it is none. */
struct ue__session *ue__session_detach(int fd);

/* 0 if the descriptor was closed by another way than ue_close(), and perhaps reused. */
int ue__session_is_open(const struct ue__session *session);

/* Free a session, the descriptor apart. Under the lock. */
void ue__session_free(struct ue__session *session);

/*
 * A descriptor to unregister with: the session's; if that is gone another one, as any of
 * the same back end will do. fd is -1 if there is none, or if none is needed.
 */
struct ue__borrowed {
	int fd;
	int is_own; /* to be closed */
};

struct ue__borrowed ue__session_borrow(const struct ue__session *session);
void ue__session_put_back(struct ue__borrowed borrowed);

#endif
