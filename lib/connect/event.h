/* SPDX-License-Identifier: MIT */
/* Registering and unregistering, as the files of this room share it. */
#ifndef UE__CONNECT_EVENT_H
#define UE__CONNECT_EVENT_H

#include <stdint.h>

#include <userevents/abi/event_state.h>
#include <userevents/abi/module.h>

#include "state/registration.h"

struct ue__definition;
struct ue__session;

/* Check everything about an event that no back end is needed for, and parse its text. */
int ue__event_parse(const struct ue_event *event, struct ue__definition *definition);

/*
 * Register the events from *at up to end, which are one or more, as ue_register(). Stop at
 * the first that fails, with *at there. Skip events that are registered already, on this
 * session or where a narrower call registered them: -EALREADY is returned for the last
 * one alone, with *at at the end.
 *
 * A name may linger after its last user. The call waits for at most *patience milliseconds,
 * and subtracts the time that it waited.
 */
int ue__register_from(int fd, struct ue_event ***at, struct ue_event **end,
		      enum ue__reach reach, unsigned *patience);

/* The same for ue_unregister(), and -ENOENT for events that are not registered. */
int ue__unregister_from(struct ue_event ***at, struct ue_event **end);

/* A duplicate of the descriptor that USEREVENTS_FD names; -ENOENT: it names none. */
int ue__inherited_descriptor(void);

/* A lingering event goes within some milliseconds, on a busy machine within some more. */
#define UE__PATIENCE 300u

/* Wait *wait milliseconds or the rest of the patience, and next time twice as long. */
void ue__wait_patiently(unsigned *wait, unsigned *patience);

/*
 * Keep the module with this copy of the library in memory. 1, or 0 if it can be
 * unloaded. Not under the lock: the dynamic linker has one, and runs constructors that
 * take ours.
 */
int ue__stay_loaded(void);

/*
 * A module was loaded: tell a capture that the process inherited which events it has. Not
 * under the lock.
 */
void ue__list_events(struct ue_event **begin, struct ue_event **end);

/* A module is about to be unloaded: ue_register_all() does not look at it any more. */
void ue__delist(struct ue__module *module);
/* The process ends: modules stay in memory, and their users may be blocked. */
void ue__stop_waiting_for_users(void);

/*
 * This is for the child of a fork: calls of other threads that went through events are
 * gone.
 */
void ue__none_registering(void);

/*
 * Unregister, through a borrowed descriptor; 0 or -errno. Or, if the kernel would not,
 * only forget. Under the lock.
 */
int ue__unregister(struct ue__registration *registration, int fd);
void ue__forget(struct ue__registration *registration);

/*
 * Unregister every event of a session that is about to be closed. 0 or the first
 * error. Under the lock.
 */
int ue__events_close(struct ue__session *session);

#endif
