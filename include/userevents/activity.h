/* SPDX-License-Identifier: MIT */
/*
 * Activities: an id that the events of one piece of work carry, across threads,
 * processes and machines.
 *
 * By convention, the event that starts an activity has UE_OPCODE_ACTIVITY_START and carries
 * the new id; if the work is part of other work, it also carries that activity's id as the
 * related id. Events of the activity carry the id alone, and the last of them has
 * UE_OPCODE_ACTIVITY_STOP. To continue an activity elsewhere, pass its 16 bytes.
 */
#ifndef USEREVENTS_ACTIVITY_H
#define USEREVENTS_ACTIVITY_H

#include <stdint.h>

#include <userevents/abi/event_state.h>

#include <userevents/abi/hide_names.h>

#ifdef __cplusplus
extern "C" {
#endif

/* An id, in the byte order of a written UUID (RFC 4122). */
struct ue_activity {
	uint8_t id[16];
};

/*
 * Make a unique id: a random UUID (RFC 4122, version 4), from the kernel.
 *
 * activity: overwritten; on failure with zeros.
 *
 * Returns 0, or -errno of getrandom(2), which does not wait for randomness (Linux 5.6 and
 * later), so that only a system call filter makes it fail; -EIO if a filter makes it return
 * less than 16 bytes. Any thread, signal handlers too; leaves errno alone.
 * Since 0.1.
 */
UE__PUBLIC int ue_activity_create(struct ue_activity *activity);

#ifdef __cplusplus
}
#endif

#include <userevents/abi/restore_names.h>
#endif
