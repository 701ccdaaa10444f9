/* SPDX-License-Identifier: MIT */
/*
 * The binding of an event has the write index in the upper half and the descriptor + 1 in
 * the lower one, so that a writer gets both with one load and compares the descriptor
 * first. A zeroed event is not registered.
 */
#ifndef UE__STATE_BINDING_H
#define UE__STATE_BINDING_H

#include <stdint.h>

#include <userevents/abi/event_state.h>

#define UE__BINDING_NONE 0u
#define UE__BINDING_CLOSED (UINT64_C(1) << 32) /* its session is closed */

static inline uint64_t ue__binding(int fd, uint32_t write_index)
{
	return (uint64_t)write_index << 32 | ((uint32_t)fd + 1);
}

/* An event that is not registered has 0 there, as if it were bound to -1. */
static inline int ue__is_bound_to(uint64_t binding, int fd)
{
	return (uint32_t)binding == (uint32_t)fd + 1;
}

static inline int ue__is_bound(uint64_t binding)
{
	return !ue__is_bound_to(binding, -1);
}

static inline uint32_t ue__binding_index(uint64_t binding)
{
	return (uint32_t)(binding >> 32);
}

static inline uint64_t ue__binding_of(const struct ue_event *event)
{
	return __atomic_load_n(&event->ue__binding, __ATOMIC_SEQ_CST); /* in_flight.c */
}

#endif
