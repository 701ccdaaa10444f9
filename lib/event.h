/* SPDX-License-Identifier: MIT */
/* What the library keeps in an event. */
#ifndef UE__EVENT_H
#define UE__EVENT_H

#include <stdint.h>

#include <userevents/event_state.h>

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
	return __atomic_load_n(&event->ue__binding, __ATOMIC_ACQUIRE);
}

/*
 * Unregister every event of a session that is about to be closed. 0 or the first
 * error; -EBADF when its descriptor is no longer open, so that the kernel cannot be
 * asked. Under the lock.
 */
int ue__events_close(struct ue__session *session, int is_open);

#endif
