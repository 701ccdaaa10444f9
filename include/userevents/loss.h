/* SPDX-License-Identifier: MIT */
/*
 * Counts of lost events, which were written but not sent. "userevents losses" prints
 * those of running programs (abi/process_note.h).
 */
#ifndef USEREVENTS_LOSS_H
#define USEREVENTS_LOSS_H

#include <stdint.h>

#include <userevents/abi/event_state.h>

#include <userevents/abi/hide_names.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Reasons. The library counts every write that returns an error while the event is
 * enabled: once in the event's registration, and once in the session whose descriptor it
 * got, if that is one. The kernel counts the events that it accepts and drops later: in
 * the files per_cpu/cpu*\/stats of tracefs, and in the lost records of perf.
 */
enum ue_loss {
	UE_LOSS_TOO_LARGE,    /* for a listener: -EMSGSIZE */
	UE_LOSS_NO_RIGHTS,    /* -EPERM, -EACCES */
	UE_LOSS_CAPTURE_FULL, /* the reader of a capture or ring is behind: -ENOBUFS */
	UE_LOSS_INTERRUPTED,  /* a signal interrupted the write: -EINTR */
	UE_LOSS_OTHER,	      /* a wrong payload or descriptor */
	UE_LOSS_REASONS,      /* the number of reasons */
};

/*
 * Return the number of losses of an event, for one reason.
 *
 * event: initialised. Its counts begin at 0 with ue_register(), and end with
 *   ue_unregister() and ue_close(), so ask before these. They wrap around after 2^32. The
 *   child of a fork continues with the counts of its parent. If another thread
 *   unregisters the event during a write that fails, that loss may be counted only in the
 *   session, or in an event that is registered at that moment.
 * reason: an enum ue_loss.
 *
 * Returns the count; 0 for an unknown reason, or for an event that is not registered. Any
 * thread, signal handlers too. Leaves errno alone. Since 0.1.
 */
UE__PUBLIC uint32_t ue_event_losses(const struct ue_event *event, enum ue_loss reason);

/*
 * Return the number of losses of a session, for one reason. It includes events that are
 * unregistered now.
 *
 * fd: from ue_open().
 * reason: an enum ue_loss.
 *
 * Returns the count, which wraps around after 2^32; 0 for an unknown reason; or -EBADF
 * when fd is not a session. Any thread, signal handlers too. Leaves errno alone. Since
 * 0.1.
 */
UE__PUBLIC int64_t ue_session_losses(int fd, enum ue_loss reason);

/*
 * Count an event that could not be written: its values are too long for any listener, or
 * there is no memory to pack them. ue_write(), ue_builder_write() and the macros count
 * the events that they lose.
 *
 * fd: from ue_open(). event: initialised; counted if it is enabled. error: a negative
 * errno, which gives the reason: -EMSGSIZE is UE_LOSS_TOO_LARGE.
 *
 * Returns error. Any thread, signal handlers too. Leaves errno alone. Since 0.1.
 */
UE__PUBLIC int ue_event_lost(int fd, const struct ue_event *event, int error);

#ifdef __cplusplus
}
#endif

#include <userevents/abi/restore_names.h>
#endif
