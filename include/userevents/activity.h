/* SPDX-License-Identifier: MIT */
/*
 * Activities: an id that the events of one piece of work carry, across threads,
 * processes and machines.
 *
 * By convention the event that starts an activity has UE_OPCODE_ACTIVITY_START, carries
 * the new id and, where the work is part of other work, the id of that as related id. The
 * events inside carry the id alone, the last of them with UE_OPCODE_ACTIVITY_STOP. Passing
 * an activity on is passing its 16 bytes on.
 */
#ifndef USEREVENTS_ACTIVITY_H
#define USEREVENTS_ACTIVITY_H

#include <stdint.h>

#include <userevents/abi/event_state.h>

#ifdef __cplusplus
extern "C" {
#endif

/* An id, its bytes in the order in which a UUID is written (RFC 4122). */
struct ue_activity {
	uint8_t id[16];
};

/*
 * Make an id that no other activity has: a random UUID (RFC 4122, version 4), from the
 * kernel.
 *
 * activity: overwritten; on failure with zeros.
 *
 * Returns 0 or -errno of getrandom(2), which does not wait for randomness (Linux 5.6
 * and later) and so has no reason to fail but a filter of system calls; -EIO when one
 * makes it give less than 16 bytes. Any thread, signal handlers too; leaves errno alone.
 * Since 0.1.
 */
UE__PUBLIC int ue_activity_create(struct ue_activity *activity);

#ifdef __cplusplus
}
#endif

#endif
