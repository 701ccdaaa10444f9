/* SPDX-License-Identifier: MIT */
/*
 * A session: a descriptor through which events are registered and written.
 */
#ifndef USEREVENTS_SESSION_H
#define USEREVENTS_SESSION_H

#include <stddef.h>
#include <stdint.h>

#include <userevents/abi/event_state.h>

#include <userevents/abi/hide_names.h>

#ifdef __cplusplus
extern "C" {
#endif

enum ue_open_flags {
	/* Use ue_open_opts.fd. Without it the field is ignored, so that 0 may be one. */
	UE_OPEN_FD = 1 << 0,
	/* Do not look at the environment. */
	UE_OPEN_NO_ENVIRONMENT = 1 << 1,
};

/* The environment variable that names an inherited descriptor. */
#define UE_ENVIRONMENT_FD "USEREVENTS_FD"

/*
 * The largest payload, in bytes, that perf delivers: one record is at most
 * PERF_MAX_TRACE_SIZE = 8192 bytes, with 8 bytes of common fields before the
 * payload (Linux 6.1 and 6.12, kernel/trace/trace_event_perf.c).
 */
#define UE_PAYLOAD_MAX_PERF 8184u

/*
 * The smallest limit that a session can set. Kernels may have delivered no more than this,
 * and events that are known to be smaller need not ask.
 */
#define UE_PAYLOAD_MAX_LEAST 2048u

/* Options of ue_open(). Zero it, set size, then the members that you need. */
struct ue_open_opts {
	size_t size;	      /* sizeof(struct ue_open_opts) */
	const char *path;     /* a user_events_data file or a ring; NULL: find it */
	int fd;		      /* with UE_OPEN_FD: an open user_events_data, ring, capture */
	uint32_t flags;	      /* UE_OPEN_* */
	uint32_t payload_max; /* bytes; 0: what every listener can receive */
	uint32_t spare;	      /* 0 */
};

/* The kernel's interface, of which there are two, or what is in the kernel's place. */
enum ue_abi {
	UE_ABI_STATUS_PAGE = 1,	   /* Linux 6.1 to 6.3 */
	UE_ABI_ENABLE_ADDRESS = 2, /* Linux 6.4 and later */
	UE_ABI_CAPTURE = 3,	   /* capture.h, or "userevents run" */
	UE_ABI_RING = 4,	   /* ring.h */
};

/*
 * Open a session.
 *
 * opts: NULL for the defaults. Otherwise the first of these that applies:
 *   - UE_OPEN_FD: a duplicate of opts->fd, which stays the caller's; it was
 *     inherited, or received over a socket, from a process with more rights, or is
 *     the descriptor of a capture (ue_capture_writer_fd()) or of a ring (ring.h);
 *   - opts->path;
 *   - unless UE_OPEN_NO_ENVIRONMENT, a duplicate of the descriptor whose number
 *     is in the environment variable USEREVENTS_FD (ignored in a set-user-id
 *     program, secure_getenv(3));
 *   - unless UE_OPEN_NO_ENVIRONMENT, the ring whose path is in the environment variable
 *     USEREVENTS_RING (ignored in a set-user-id program, too). If there is no such file,
 *     it is created, as ue_ring_create(path, NULL) does, or of the size that
 *     USEREVENTS_RING_SIZE says;
 *   - unless UE_OPEN_NO_ENVIRONMENT, a new ring in memory, which is offered to the
 *     collector whose socket is in the environment variable USEREVENTS_SOCKET (an absolute
 *     path, ignored in a set-user-id program, too). It is offered whenever no collector
 *     looks at it: the collector may begin later, and may be restarted. No call waits for
 *     it. The ring has 4 MiB, or as much as USEREVENTS_RING_SIZE says: 256k to 64M; when it
 *     is full, events are dropped and counted;
 *   - /sys/kernel/tracing/user_events_data;
 *   - the same file on any other mounted tracefs, then under any debugfs, as
 *     /proc/self/mounts lists them.
 * Nothing is ever mounted. A failure is not remembered: a later call tries
 * again.
 *
 * opts->payload_max is the largest payload that a write accepts, in bytes. The
 * default is what ftrace buffers of one page and perf both deliver (4064 with
 * pages of 4 KiB); larger payloads would vanish without an error for one of
 * them. At least UE_PAYLOAD_MAX_LEAST, at most UE_PAYLOAD_MAX_PERF.
 *
 * A process may have several sessions, but an event has one: ue_register_all() for a
 * second session returns -EXDEV while the first one has the events.
 *
 * Threads: registrations belong to the process, whichever thread made them. The library
 * tries to reach user_events_data as soon as it is loaded. If there are other threads when
 * it first succeeds, it keeps a thread of its own from then on (Linux 6.4 and later).
 *
 * A process that drops privileges, or leaves its root directory or namespaces, can go on
 * using open sessions. All threads that use a session must share its descriptor: not after
 * unshare(CLONE_FILES). doc/security.md has the whole list.
 *
 * Returns a descriptor (close-on-exec), to be closed with ue_close() and nothing else:
 * a write cannot tell when another file has got its number. To make that unlikely, the
 * number is 200 or higher, where RLIMIT_NOFILE and the open files allow it, else 64 or
 * higher, else 3 or higher. Or
 *   -EAGAIN      no thread could be made; or the library needs one and can be unloaded
 *                (doc/lifetime.md);
 *   -ENODEV      neither tracefs nor debugfs is mounted;
 *   -ENOENT      tracefs is there, but has no user_events_data: the kernel has no
 *                CONFIG_USER_EVENTS, or is locked down; or no such opts->path;
 *   -EACCES      no right to reach the file or to write to it, or a descriptor
 *                that is not open for writing; or no right to connect to USEREVENTS_SOCKET;
 *   -EBADF       opts->fd or USEREVENTS_FD is not an open descriptor;
 *   -ENOTTY      the file or descriptor is neither user_events_data nor a capture nor a ring,
 *                or USEREVENTS_SOCKET is a socket of another kind;
 *   -EPROTONOSUPPORT  the ring is of another version or byte order;
 *   -EBADMSG     the ring is damaged, or a memfd that is not sealed against shrinking, but
 *                could be;
 *   -ENOSPC, -EDQUOT  no room for a new ring;
 *   -EFBIG       a new ring would exceed RLIMIT_FSIZE;
 *   -EEXIST      USEREVENTS_RING is a symbolic link that leads nowhere;
 *   -EOPNOTSUPP  a 32-bit process on a 64-bit kernel, which has no such entry; or Linux
 *                5.18 to 6.0, whose interface with a byte for each event was withdrawn; or
 *                the file system cannot hold rings (ue_ring_create());
 *   -EINVAL      opts: size too small, unknown flag, path and UE_OPEN_FD both,
 *                payload_max out of bounds; or USEREVENTS_FD is no number,
 *                USEREVENTS_RING_SIZE no size, or USEREVENTS_SOCKET no absolute path;
 *   -E2BIG       opts comes from a later version and uses what this one lacks;
 *   -EROFS       tracefs is mounted read-only;
 *   -EPERM, -ENOSYS  a security policy or a sandbox denies a system call (or -EACCES, or
 *                another error of its choice);
 *   -EMFILE      RLIMIT_NOFILE is reached: two free numbers are needed; or too many
 *                processes write to the ring;
 *   -ENOMEM, -ENFILE, and other errors of open(2) for opts->path and USEREVENTS_RING:
 *                -ENOTDIR, -EISDIR, -ELOOP, -ENAMETOOLONG, -ENXIO, -ETXTBSY; and of
 *                connect(2) for USEREVENTS_SOCKET: -ENAMETOOLONG with more than 107 bytes.
 * ue_explain(UE_CALL_OPEN, error) explains each in a sentence.
 *
 * Any thread; not in signal handlers; no cancellation point. Leaves errno alone.
 * Since 0.1.
 */
UE__PUBLIC int ue_open(const struct ue_open_opts *opts);

/*
 * Unregister every event of the session, then close it.
 *
 * fd: from ue_open(). Other threads may be writing to it: each such write arrives, or
 * does nothing and returns -EBADF; none goes to a file that gets the number later. The
 * call waits for writes that are under way, at most some 0.2 s. If a writer is stuck, a
 * later ue_open() or ue_close() frees the number, which leads nowhere meanwhile.
 *
 * Returns 0, -EBADF when fd is not a session, or the error of the first event
 * that could not be unregistered (ue_unregister()); the descriptor is closed
 * all the same. -EBADF also when the program closed the descriptor in another way;
 * a file that has the number now is left alone, and the events are unregistered if another
 * user_events_data can be opened.
 *
 * Any thread; not in signal handlers; no cancellation point. Leaves errno alone.
 * Since 0.1.
 */
UE__PUBLIC int ue_close(int fd);

/*
 * The interface of the kernel behind a session.
 *
 * fd: from ue_open().
 *
 * Returns an enum ue_abi, or -EBADF when fd is not a session. Any thread; not
 * in signal handlers. Leaves errno alone. Since 0.1.
 */
UE__PUBLIC int ue_abi(int fd);

/*
 * The largest payload that a write to the session accepts, in bytes.
 *
 * fd: from ue_open().
 *
 * Returns the size, or -EBADF when fd is not a session. Any thread; not in
 * signal handlers. Leaves errno alone. Since 0.1.
 */
UE__PUBLIC int ue_payload_max(int fd);

/* The calls that ue_explain() knows. */
enum ue_call {
	UE_CALL_OPEN,
	UE_CALL_CLOSE,
	UE_CALL_REGISTER,
	UE_CALL_UNREGISTER,
	UE_CALL_DELETE,
	UE_CALL_WRITE,
	UE_CALL_BUILD, /* ue_payload_...() and ue_builder_...() */
};

/*
 * Explain an error in a sentence for a person: the cause and the fix.
 *
 * call: the function that failed.
 * error: what it returned, -errno.
 *
 * Returns a static string, never NULL. Any thread, signal handlers too. Since
 * 0.1.
 */
UE__PUBLIC const char *ue_explain(enum ue_call call, int error);

/* The kinds of names that ue_name() gives. */
enum ue_named {
	UE_NAME_LOSS,	      /* enum ue_loss, for a person: "too large" */
	UE_NAME_FAULT,	      /* enum ue_fault, for machines: "string_unterminated" */
	UE_NAME_FAULT_REASON, /* the same as a sentence for a person */
	UE_NAME_FEATURE,      /* enum ue_feature, for machines: "multi_format" */
};

/*
 * Name a value of an enumeration.
 *
 * kind: the enumeration.
 * value: one of its enumerators, or any other number.
 *
 * Returns a static string, never NULL; "unknown", or a sentence, for a value without a
 * name. Any thread, signal handlers too. Since 0.1.
 */
UE__PUBLIC const char *ue_name(enum ue_named kind, uint32_t value);

#ifdef __cplusplus
}
#endif

#include <userevents/abi/restore_names.h>
#endif
