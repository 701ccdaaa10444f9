/* SPDX-License-Identifier: MIT */
/*
 * Counts of lost events: written, but not sent. "userevents losses" prints them for
 * running programs; abi/process_note.h describes how it finds the counts.
 */
#ifndef USEREVENTS_LOSS_H
#define USEREVENTS_LOSS_H

#include <stdint.h>

#include <userevents/abi/event_state.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The reason. The library counts every write that returns an error while the event is
 * enabled, once in the event and once in the descriptor, if that is a session. The kernel
 * counts the events that it accepts and drops later: in the files per_cpu/cpu*\/stats of
 * tracefs, and in the lost records of perf.
 */
enum ue_loss {
	UE_LOSS_TOO_LARGE,    /* for some listener: -EMSGSIZE */
	UE_LOSS_NO_RIGHTS,    /* -EPERM, -EACCES */
	UE_LOSS_CAPTURE_FULL, /* the reader is behind: -EAGAIN, -ENOBUFS, -ENOSPC */
	UE_LOSS_INTERRUPTED,  /* a signal interrupted a waiting write: -EINTR */
	UE_LOSS_OTHER,	      /* a wrong payload or descriptor, a session that was closed */
	UE_LOSS_REASONS,      /* the number of reasons */
};

/*
 * The number of losses of an event, for one reason.
 *
 * event: initialised. Its counts begin with its initialisation and continue over
 *   sessions; they wrap around after 2^32.
 * reason: an enum ue_loss.
 *
 * Returns the count; 0 for an unknown reason. Any thread, signal handlers too. Leaves
 * errno alone. Since 0.1.
 */
UE__PUBLIC uint32_t ue_event_losses(const struct ue_event *event, enum ue_loss reason);

/*
 * The number of losses on a session, for one reason. Counts all of its events, including
 * those that were unregistered later.
 *
 * fd: from ue_open().
 * reason: an enum ue_loss.
 *
 * Returns the count, 0 for an unknown reason, or -EBADF when fd is not a session. Any
 * thread, signal handlers too. Leaves errno alone. Since 0.1.
 */
UE__PUBLIC int64_t ue_session_losses(int fd, enum ue_loss reason);

/*
 * A reason as readable text: "too large".
 *
 * reason: an enum ue_loss.
 *
 * Returns a static string; "unknown" for an unknown reason. Any thread, signal handlers
 * too. Since 0.1.
 */
UE__PUBLIC const char *ue_loss_name(enum ue_loss reason);

#ifdef __cplusplus
}
#endif

#endif
