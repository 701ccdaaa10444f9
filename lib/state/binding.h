/* SPDX-License-Identifier: MIT */
/*
 * Where an event is registered: descriptor + 1 in the upper half, write index in the
 * lower, so that a writer gets both with one load. A zeroed event is not registered.
 */
#ifndef UE__STATE_BINDING_H
#define UE__STATE_BINDING_H

#include <stdint.h>

#include <userevents/abi/event_state.h>

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
	return __atomic_load_n(&event->ue__binding, __ATOMIC_SEQ_CST); /* in_flight.c */
}

#endif
