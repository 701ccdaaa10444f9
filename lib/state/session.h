/* SPDX-License-Identifier: MIT */
/* Open sessions, and their list. */
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
 * A session, one for each descriptor from ue_open(). It is created, looked up and
 * destroyed under ue__lock(). A successful write uses only the event. A failed one walks
 * the list without the lock to count the loss: no session is freed while a write is in
 * flight.
 *
 * The members begin as struct ue_noted_session (abi/process_note.h), so that tools can
 * read them.
 */
struct ue__session {
	struct ue__session *next;
	const struct ue__process *process; /* NULL: not in the list */
	struct ue__registration *registrations;
	uint32_t lost[UE_LOSS_REASONS];
	enum ue_abi abi; /* of the back end */
	struct ue__channel channel;
	const struct ue__back_end *back_end;
	uint32_t payload_max;
	uint32_t write_call; /* SYS_pwrite64; SYS_write once that was refused */
	uint32_t doubts;     /* writes that were sent again to be sure (write/fall_back.c) */
	uint32_t has_no_descriptor;
	/* The list of closed sessions. They keep next: a writer may be about to follow it. */
	struct ue__session *next_retired;
	uint64_t retirement; /* the number of this session in the order of closing */
	struct ue__in_flight in_flight;
};

/* Find the session of a descriptor; NULL if there is none. Under the lock. */
struct ue__session *ue__session_find(int fd);

/*
 * The sessions of the first descriptors, for writers, which do not walk the list to them.
 */
#define UE__INDEXED 1024
extern struct ue__session *ue__indexed_sessions[UE__INDEXED]
	__attribute__((visibility("hidden")));

struct ue__session *ue__session_walk(int fd);

/* The same without the lock, for a writer between ue__enter() and ue__leave(). */
static inline struct ue__session *ue__session_of_writer(int fd)
{
	if (__builtin_expect((unsigned)fd >= UE__INDEXED, 0))
		return ue__session_walk(fd);
	return __atomic_load_n(&ue__indexed_sessions[fd], __ATOMIC_SEQ_CST);
}

/* It is another file's by now. Its number stays: a late writer may still look at it. */
static inline void ue__session_forget_descriptor(struct ue__session *session)
{
	__atomic_store_n(&session->has_no_descriptor, 1, __ATOMIC_RELAXED);
}

/* Add a session to the list. */
void ue__session_attach(struct ue__session *session);
/* Remove the session of a descriptor from the list; NULL if there is none. */
struct ue__session *ue__session_detach(int fd);

/* Returns 0 if the program closed the descriptor itself; its number may be reused. */
int ue__session_is_open(const struct ue__session *session);

/*
 * Call a function that makes many requests on a session, which may be NULL, with less work
 * for each. Returns the function's result. Under the lock.
 */
int ue__session_call(const struct ue__session *session, int (*function)(void *),
		     void *argument);

/* Free a session; its descriptor stays open. Under the lock. */
void ue__session_free(struct ue__session *session);

/*
 * A descriptor to unregister with: that of the session. If the program closed it, any
 * other one of the same back end serves. fd is -1 if none exists or none is needed.
 */
struct ue__borrowed {
	int fd;
	int is_own; /* ue__session_put_back() closes it */
};

struct ue__borrowed ue__session_borrow(const struct ue__session *session);
void ue__session_put_back(struct ue__borrowed borrowed);

#endif
