/* SPDX-License-Identifier: MIT */
/* What the library keeps in an event. */
#ifndef UE__CONNECT_EVENT_H
#define UE__CONNECT_EVENT_H

#include <stdint.h>

#include <userevents/abi/event_state.h>
#include <userevents/abi/module.h>

struct ue__registration;
struct ue__session;

/*
 * Where an event is registered: descriptor + 1 in the upper half, write index in
 * the lower, so that a writer gets both with one load. A zeroed event is not
 * registered.
 */
#define UE__BINDING_NONE 0u
#define UE__BINDING_CLOSED 1u /* was registered; its session is closed */

static inline uint64_t ue__binding(int fd, uint32_t write_index)
{
	return (uint64_t)((uint32_t)fd + 1) << 32 | write_index;
}

static inline int ue__binding_fd(uint64_t binding)
{
	return (int)(uint32_t)(binding >> 32) - 1;
}

static inline uint32_t ue__binding_index(uint64_t binding)
{
	return (uint32_t)binding;
}

static inline uint64_t ue__binding_of(const struct ue_event *event)
{
	return __atomic_load_n(&event->ue__binding, __ATOMIC_SEQ_CST); /* state/in_flight.c */
}

/*
 * Unregister every event of a session that is about to be closed. 0 or the first
 * error; -EBADF when its descriptor is no longer open. Under the lock.
 */
int ue__events_close(struct ue__session *session);

/*
 * In the child of a fork, register every event of a session anew; one that cannot be is
 * not registered any more. Under the lock.
 */
void ue__events_again(struct ue__session *session);

/*
 * As ue_register(); while the name may still linger from its last user, wait for as many
 * milliseconds as *patience has, and take off what was waited.
 */
int ue__register(int fd, struct ue_event *event, unsigned *patience);

/* What lingers goes within some milliseconds, on a busy machine within some more. */
#define UE__PATIENCE 300u

/* Wait *wait milliseconds or what patience is left, and next time twice as long. */
void ue__wait_patiently(unsigned *wait, unsigned *patience);

/* A module is about to be unloaded: ue_register_all() does not look at it any more. */
void ue__delist(struct ue__module *module);

/* In the child of a fork: calls of other threads that went through events are gone. */
void ue__none_registering(void);

/*
 * Unregister, through a borrowed descriptor; 0 or -errno. Or, if the kernel would not,
 * only forget. Under the lock.
 */
int ue__unregister(struct ue__registration *registration, int fd);
void ue__forget(struct ue__registration *registration);

#endif
