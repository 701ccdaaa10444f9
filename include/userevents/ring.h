/* SPDX-License-Identifier: MIT */
/*
 * Rings: files of shared memory in the place of the kernel's user_events. Programs write
 * their events there without a system call, without root, and without a reader.
 *
 *	USEREVENTS_RING=shop.ring ./shop	keeps the last events in the file
 *	userevents decode shop.ring		reads them, also after a crash
 *
 * doc/ring.md has the layout, and what is promised after a crash. Creating and opening for
 * writing are in libuserevents; capture.h reads rings (libuserevents-decode).
 */
#ifndef USEREVENTS_RING_H
#define USEREVENTS_RING_H

#include <stddef.h>
#include <stdint.h>

#include <userevents/abi/event_state.h>
#include <userevents/loss.h>

#include <userevents/abi/hide_names.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The environment variable that names a ring file. */
#define UE_ENVIRONMENT_RING "USEREVENTS_RING"
/*
 * The one that names the socket of a collector, which is offered a ring in memory. It
 * is an absolute path, as a program may change its directory before its next offer.
 */
#define UE_ENVIRONMENT_SOCKET "USEREVENTS_SOCKET"
/* The size of either, unless the file exists: in bytes, or with k or M behind it. */
#define UE_ENVIRONMENT_RING_SIZE "USEREVENTS_RING_SIZE"

/* A new event, when the ring is full: */
enum ue_ring_mode {
	UE_RING_DROP = 1,      /* it is dropped and counted */
	UE_RING_WAIT = 2,      /* its writer waits for the reader; without one, as DROP */
	UE_RING_OVERWRITE = 3, /* it takes the place of the oldest events */
};

enum ue_ring_flags {
	/* Events are disabled until a reader enables them; otherwise, all are enabled. */
	UE_RING_DISABLED = 1 << 0,
	/* If there is a ring at the path, use it as it is. */
	UE_RING_MAY_EXIST = 1 << 1,
};

#define UE_RING_BYTES_LEAST (256u << 10)
#define UE_RING_BYTES_DEFAULT (16u << 20)
#define UE_RING_BYTES_MOST (UINT64_C(1) << 36)

/* Zero it, set size, set what you need. */
struct ue_ring_opts {
	size_t size;	/* sizeof(struct ue_ring_opts) */
	uint64_t bytes; /* of the whole file, rounded down to 4096; 0: UE_RING_BYTES_DEFAULT */
	uint32_t mode;	/* enum ue_ring_mode; 0: UE_RING_OVERWRITE */
	uint32_t flags; /* UE_RING_* */
};

/*
 * Create a ring.
 *
 * path: the file, which appears complete or not at all, and is readable and writable for
 *   its owner alone. All of its space is allocated. NULL: a sealed memfd, without a name,
 *   whose memory is used as events come.
 * opts: NULL for the defaults.
 *
 * Returns a descriptor (close-on-exec), for UE_OPEN_FD, or to be closed with close(2). Or
 *   -EINVAL   opts: size too small, unknown mode or flag, bytes out of bounds;
 *   -E2BIG    opts are of a later version and use members that this one lacks;
 *   -EEXIST   the path exists (with UE_RING_MAY_EXIST: it is a link that leads nowhere);
 *   -ENOSPC   the file system has no room;
 *   -EOPNOTSUPP  the file system cannot allocate space, or has no links (link(2));
 *   -EFBIG    bytes exceed RLIMIT_FSIZE;
 *   with UE_RING_MAY_EXIST, the errors of ue_ring_info();
 *   and errors of open(2), linkat(2), posix_fallocate(3) and memfd_create(2).
 * Any thread; not in signal handlers. Leaves errno alone. Since 0.1.
 */
UE__PUBLIC int ue_ring_create(const char *path, const struct ue_ring_opts *opts);

/* The state of a ring. */
struct ue_ring_info {
	size_t size; /* of the part that the library set */
	uint64_t bytes; /* of the whole file */
	uint32_t mode;	/* enum ue_ring_mode */
	uint32_t is_tsc; /* the clock is the processor's counter, not CLOCK_MONOTONIC */
	int64_t created; /* nanoseconds since 1970, UTC */
	/* all; those with events, read or not; bytes of a large one */
	uint64_t pages, pages_used, page_bytes;
	uint32_t processes;  /* that write */
	uint32_t has_reader; /* one that takes events out */
	uint64_t events, events_max; /* registered; places for registrations */
	uint64_t enabled; /* of them */
	uint64_t lost[8]; /* events of all processes that were not written, by enum ue_loss */
	uint64_t overwritten; /* events that newer ones replaced */
	uint64_t cut_off;     /* events whose writers died in the middle of the write */
	/* events in it that no reader has taken out; of a ring that overwrites, all */
	uint64_t unread;
	/* of the processes: those without a lock; a hostile program may store any number */
	uint64_t unlocked;
	/* the small ones of the pages */
	uint64_t small_pages, small_pages_used, small_page_bytes;
	/*
	 * of the pages in use: those that nobody can use again, as a process that lives
	 * is amid an event of each; and one of these processes
	 */
	uint64_t held;
	uint64_t holder;
	/* when a reader that takes events out last looked, by the ring's clock; 0: none did */
	uint64_t looked;
};

/*
 * Describe a ring.
 *
 * fd: of its file, open for reading.
 * info: overwritten on success.
 *
 * Returns 0 or
 *   -ENOTTY           it is no ring;
 *   -EPROTONOSUPPORT  it is of another version, or a machine of another byte order;
 *   -EBADMSG          it is damaged, or the file was cut;
 *   and errors of fstat(2) and mmap(2).
 * Any thread; not in signal handlers. Leaves errno alone. Since 0.1.
 */
UE__PUBLIC int ue_ring_info_sized(int fd, struct ue_ring_info *info, size_t size);

/* g++ warns of a function that has the name of a struct, as it hides the constructor. */
#ifdef __cplusplus
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
#endif
static inline int ue_ring_info(int fd, struct ue_ring_info *info)
{
	return ue_ring_info_sized(fd, info, sizeof(*info));
}
#ifdef __cplusplus
#pragma GCC diagnostic pop
#endif

/*
 * Enable or disable events of a ring, as ue_capture_enable() does, whether or not it has a
 * reader. The ring keeps the change, and loses none of callers at the same time.
 *
 * fd: of its file, open for reading and writing.
 *
 * Returns 0, an error of ue_ring_info(), or
 *   -EACCES  fd is not open for writing;
 *   -EINVAL  the glob is empty, longer than 255 bytes, or has a newline;
 *   -ENOSPC  too many different globs: they have 8128 bytes. "*" makes room.
 * Any thread; not in signal handlers. Leaves errno alone. Since 0.1.
 */
static inline int ue_ring_enable(int fd, const char *glob);
static inline int ue_ring_disable(int fd, const char *glob);

/*
 * Ask for the stacks of events, which writers follow by frame pointers: of each function
 * that is compiled with -fno-omit-frame-pointer, on x86-64 and aarch64. Elsewhere, and
 * where a sandbox forbids process_vm_readv(2) of the own process, a stack has one frame.
 * It costs the other events of the ring some instructions, and no event if no stack is
 * asked for. Processes also write events with the name "ue_mapping": what code they have
 * mapped where. These are no events of the program, and no count has them. A seccomp
 * filter that ends a process for process_vm_readv, getpid, openat, read or close ends it
 * at its next event with a stack.
 *
 * fd: of its file, open for reading and writing.
 * glob: as of ue_ring_enable(). This does not enable events.
 * frames: at most so many of the program in each stack, 1 to 127, also of stacks that
 *   were asked for before; up to 5 frames of the library may come first (frames_asked of
 *   ue_captured). 0: no stacks of events that glob matches.
 *
 * Returns 0, -EINVAL, also if there are more frames, or another error of ue_ring_enable().
 * Any thread; not in signal handlers. Leaves errno alone. Since 0.1.
 */
static inline int ue_ring_stack(int fd, const char *glob, uint32_t frames);

/* Always enough for ue_ring_rules(). */
#define UE_RING_RULES_BYTES 8192

/*
 * What was asked for with the functions above: lines, each of a sign and a glob, in their
 * order. "+" enables events, "-" disables them, "s" asks for their stacks, "n" for none. Of
 * the lines about enabling, the last that matches an event counts, and of those about stacks.
 *
 * fd: of its file, open for reading.
 * text: overwritten on success, with a NUL at the end; a hostile program may store anything
 *   in it. room: its bytes.
 *
 * Returns the length without the NUL, an error of ue_ring_info(), or
 *   -ENOSPC  there is no room for it.
 * Any thread; not in signal handlers. Leaves errno alone. Since 0.1.
 */
UE__PUBLIC int ue_ring_rules(int fd, char *text, size_t room);

/*
 * Disable all events of a ring that its creator ends. Unlike ue_ring_disable(), it never
 * waits for a process that is changing the rules, as one that has the ring may keep the
 * creator waiting for a second. A change by such a process may be lost, or undo this one.
 *
 * fd: of its file, open for reading and writing.
 *
 * Returns 0, an error of ue_ring_info(), or
 *   -EACCES  fd is not open for writing.
 * Any thread; not in signal handlers. Leaves errno alone. Since 0.1.
 */
UE__PUBLIC int ue_ring_end(int fd);

/* Everything below is internal. */

/* Add a rule, with a sign of ue_ring_rules(). frames: with 's'; 0 makes it 'n'. */
UE__PUBLIC int ue__ring_rule(int fd, char sign, const char *glob, uint32_t frames);

static inline int ue_ring_enable(int fd, const char *glob)
{
	return ue__ring_rule(fd, '+', glob, 0);
}

static inline int ue_ring_disable(int fd, const char *glob)
{
	return ue__ring_rule(fd, '-', glob, 0);
}

static inline int ue_ring_stack(int fd, const char *glob, uint32_t frames)
{
	return ue__ring_rule(fd, 's', glob, frames);
}

#ifdef __cplusplus
}
#endif

#include <userevents/abi/restore_names.h>
#endif
