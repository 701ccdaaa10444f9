/* SPDX-License-Identifier: MIT */
/*
 * What was written and did not go out. "userevents losses" shows the same of programs that
 * run, and abi/process_note.h tells how it finds the counts.
 */
#ifndef USEREVENTS_LOSS_H
#define USEREVENTS_LOSS_H

#include <stdint.h>

#include <userevents/abi/event_state.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Why. Every write that returns an error while somebody listens is counted once, in its
 * event and in the descriptor that was written to, if that is a session. What the kernel
 * takes and drops later, it counts itself: the files per_cpu/cpu*\/stats of tracefs, the
 * lost records of perf.
 */
enum ue_loss {
	UE_LOSS_TOO_LARGE,    /* for some listener: -EMSGSIZE */
	UE_LOSS_NO_RIGHTS,    /* -EPERM, -EACCES */
	UE_LOSS_CAPTURE_FULL, /* whoever reads is behind: -EAGAIN, -ENOBUFS, -ENOSPC */
	UE_LOSS_INTERRUPTED,  /* by a signal, in a write that waited: -EINTR */
	UE_LOSS_OTHER,	      /* a wrong payload or descriptor, a session that was closed */
	UE_LOSS_REASONS,      /* how many there are */
};

/*
 * How often an event was lost, for one reason.
 *
 * event: initialised. Its counts begin with its initialisation and go on over
 *   sessions; they wrap around after 2^32.
 * reason: an enum ue_loss.
 *
 * Returns the count; 0 for an unknown reason. Any thread, signal handlers too. Leaves
 * errno alone. Since 0.1.
 */
UE__PUBLIC uint32_t ue_event_losses(const struct ue_event *event, enum ue_loss reason);

/*
 * How often an event was lost on a session, for one reason; for all of its events, those
 * unregistered since included.
 *
 * fd: from ue_open().
 * reason: an enum ue_loss.
 *
 * Returns the count, 0 for an unknown reason, or -EBADF when fd is not a session. Any
 * thread, signal handlers too. Leaves errno alone. Since 0.1.
 */
UE__PUBLIC int64_t ue_session_losses(int fd, enum ue_loss reason);

/*
 * A reason in a word or two, for a person: "too large".
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
