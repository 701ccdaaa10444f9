/* SPDX-License-Identifier: MIT */
/*
 * The binding of an event has the write index in the upper half and the descriptor in the
 * lower one, so that a writer gets both with one load and compares the descriptor first.
 * An event that is not registered has UE__NO_FD there. One of a ring's session has
 * UE__IN_RING with the descriptor: so the comparison with a descriptor, which every write
 * makes, tells it apart, too. No descriptor has that bit. It also marks an event of the
 * kernel whose session has no ring and no descriptor any more, in the child of a fork:
 * it cannot be written.
 */
#ifndef UE__STATE_BINDING_H
#define UE__STATE_BINDING_H

#include <stdint.h>

#include <userevents/abi/event_state.h>

#define UE__BINDING_NONE ((uint64_t)UE__NO_FD)
#define UE__BINDING_CLOSED (UINT64_C(1) << 32 | UE__NO_FD) /* its session is closed */

#define UE__IN_RING 0x40000000u

static inline uint64_t ue__binding(int fd, uint32_t write_index)
{
	return (uint64_t)write_index << 32 | (uint32_t)fd;
}

static inline int ue__is_bound_to(uint64_t binding, int fd)
{
	return (uint32_t)binding == (uint32_t)fd;
}

static inline int ue__is_in_ring_of(uint64_t binding, int fd)
{
	return (uint32_t)binding == ((uint32_t)fd | UE__IN_RING);
}

static inline int ue__is_bound(uint64_t binding)
{
	return (uint32_t)binding != UE__NO_FD;
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
