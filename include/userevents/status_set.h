/* SPDX-License-Identifier: MIT */
/*
 * Test up to 64 events with one load, on Linux 6.1 to 6.3: whether any of them is enabled.
 *
 * These kernels have one bit for each event of the system, side by side in the order of
 * their registration. So events that are registered one after the other mostly
 * share a 64-bit word, and a program that does expensive work for several of them can ask
 * for all at once. Later kernels write to an address of each event; there, test
 * ue_enabled() of each.
 *
 *	struct ue_status_set set = { 0 };
 *
 *	ue_status_set_add(&set, &tick);
 *	ue_status_set_add(&set, &tock);
 *	if (ue_status_set_any(&set))
 *		...
 */
#ifndef USEREVENTS_STATUS_SET_H
#define USEREVENTS_STATUS_SET_H

#include <stdint.h>

#include <userevents/abi/event_state.h>

#include <userevents/abi/hide_names.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A word of status bits, and those of some events in it; begun with zeros. */
struct ue_status_set {
	const uint64_t *ue__word;
	uint64_t ue__mask; /* as in memory: bytes count from the lowest address */
};

/*
 * Add an event.
 *
 * set: zeros at first; not while another thread tests it.
 * event: registered. After ue_unregister() its bit stays in the set, and the kernel may
 *   give the bit to another program's event once this one is deleted: begin a new set.
 *
 * Returns 0, also if the event was added before, or
 *   -ENOENT      the event is not registered;
 *   -EOPNOTSUPP  there is no status bit to read: Linux 6.4 and later, a ring or capture, or
 *                a process that may not map user_events_status;
 *   -ERANGE      the event's bit is in another word than those of the set: use another
 *                set for it.
 * On failure the set does not change. Any thread; not in signal handlers. Leaves errno
 * alone. Since 0.1.
 */
UE__PUBLIC int ue_status_set_add(struct ue_status_set *set, const struct ue_event *event);

/*
 * Test whether any event of a set is enabled.
 *
 * set: as above. The test is one load, and stays possible when the session is closed.
 *
 * Returns 1 or 0; -EOPNOTSUPP for a set without events, which is the only possible
 * one where ue_status_set_add() returns that. Any thread, signal handlers too; leaves
 * errno alone. Since 0.1.
 */
UE__PUBLIC int ue_status_set_any(const struct ue_status_set *set);

#ifdef __cplusplus
}
#endif

#include <userevents/abi/restore_names.h>
#endif
