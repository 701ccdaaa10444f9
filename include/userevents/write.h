/* SPDX-License-Identifier: MIT */
/*
 * Writing an event whose payload the caller has packed.
 */
#ifndef USEREVENTS_WRITE_H
#define USEREVENTS_WRITE_H

#include <stddef.h>
#include <stdint.h>

#include <userevents/abi/event_state.h>

#include <userevents/abi/hide_names.h>

#ifdef __cplusplus
extern "C" {
#endif

struct iovec; /* <sys/uio.h> */

/*
 * Write an event.
 *
 * fd: the session on which the event is registered.
 * event: initialised. If it is disabled, or was never registered, nothing happens.
 * data: the payload: the fields of the definition, packed. May be NULL when
 *   length is 0.
 * length: of the payload in bytes, at most ue_payload_max(fd). Bytes beyond the
 *   fields are recorded too.
 *
 * Returns 0 if the event was written or is disabled, or
 *   -EXDEV     the event is registered on another session;
 *   -EBADF     the event's session was closed, or the descriptor behind it, and no other
 *              file has its number yet;
 *   -EMSGSIZE  larger than every listener could receive; nothing is written;
 *   -ENOMEM    many large pieces, and no memory to join them;
 *   -EINVAL    shorter than the fields of the definition;
 *   -EFAULT    data is NULL with a length, or a location field points outside of the
 *              payload or to a text without NUL at its end (checked by the kernel);
 *   -EPERM, -EACCES  a security policy forbids it;
 *   -ENOBUFS   the capture or ring is full: the event is lost (capture.h, ring.h).
 *
 * data must be readable: the library copies most of it. A failed write of an enabled
 * event is counted (loss.h). A write that races with ue_unregister() or ue_close()
 * arrives or does nothing.
 *
 * Any thread; signal handlers too; no cancellation point. Leaves errno alone.
 * Since 0.1.
 */
UE__PUBLIC int ue_write(int fd, struct ue_event *event, const void *data,
		    size_t length);

/*
 * As ue_write(), with the payload in pieces.
 *
 * iov, count: the pieces, in order; count from 0 to 1024. The library gathers
 *   small ones, so that the kernel gets at most 8.
 *
 * Returns as ue_write(), and -EINVAL for a count out of range. Threads and signals as
 * ue_write(). Since 0.1.
 */
UE__PUBLIC int ue_writev(int fd, struct ue_event *event,
		     const struct iovec *iov, int count);

#ifdef __cplusplus
}
#endif

#include <userevents/abi/restore_names.h>
#endif
