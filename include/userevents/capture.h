/* SPDX-License-Identifier: MIT */
/*
 * Capture: receive events without the kernel, in a test of the program that writes them or
 * in a tool that starts it. It needs no privileges and no kernel support. The functions are
 * in libuserevents-decode.
 *
 *	struct ue_capture *capture;
 *	struct ue_open_opts opts = { .size = sizeof(opts), .flags = UE_OPEN_FD };
 *
 *	ue_capture_open(NULL, &capture);
 *	opts.fd = ue_capture_writer_fd(capture);
 *	fd = ue_open(&opts);		then the program's own code with fd
 *	...
 *	assert(!strcmp(ue_capture_line(capture), "user_events:tick count=1"));
 *	ue_capture_close(capture);
 *
 * ue_open(NULL) finds the descriptor if its number is in the environment variable
 * UE_ENVIRONMENT_FD. examples/06_test_events.c is a complete test.
 *
 * Tests that run at the same time in threads of one process share its events, and an
 * event has one session: ue_register_all() returns -EXDEV while another test has them.
 * Let such tests run in a process each, or hold a mutex from ue_register_all() to
 * ue_close().
 *
 * Events arrive whole, and in the order of their times. Programs write them into memory
 * that they share with the reader (a ring, ring.h), so a write needs no system call, except
 * to wake a reader that waits.
 *
 * Unlike a kernel, a capture does not check the payload of ue_write() and ue_writev()
 * against the definition (-EINVAL, -EFAULT). The reader shows malformed payloads.
 *
 * Unread events stay in that memory. When it is full, a write is counted as lost
 * (UE_LOSS_CAPTURE_FULL) and returns -ENOBUFS, or waits with UE_CAPTURE_WAIT.
 */
#ifndef USEREVENTS_CAPTURE_H
#define USEREVENTS_CAPTURE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <userevents/abi/event_state.h>
#include <userevents/decode/reader.h>
#include <userevents/decode/record.h>

#include <userevents/abi/hide_names.h>

#ifdef __cplusplus
extern "C" {
#endif

enum ue_capture_flags {
	/*
	 * Writes wait until there is room, as long as the capture is open. A program
	 * that reads its events in the thread that writes them would wait for itself.
	 * Signal handlers run meanwhile, and the write goes on waiting.
	 */
	UE_CAPTURE_WAIT = 1 << 0,
	/* Events are disabled until ue_capture_enable(); otherwise, all are enabled. */
	UE_CAPTURE_DISABLED = 1 << 1,
	/*
	 * Programs report the definition of each event that their macros define, when
	 * they are loaded: for ue_capture_unregistered(). Definitions go through a
	 * socket, and programs wait for room there.
	 */
	UE_CAPTURE_NAMES = 1 << 2,
	/*
	 * For ue_capture_open_ring() alone: take events out of the ring; otherwise they
	 * stay there for others. An event, or a page of them, is taken out when the
	 * caller asks for the next one, or closes; so if a reader is killed, the next one
	 * reads what it had in hand once more.
	 */
	UE_CAPTURE_TAKE = 1 << 3,
	/*
	 * With UE_CAPTURE_TAKE: events that were read stay in the ring, and keep their
	 * space there, until ue_capture_release(): meanwhile programs lose events, or wait,
	 * if there is no other space (ue_capture_counts.is_short). If the reader is killed
	 * before that, or closes, the next one reads them once more. A ring that overwrites
	 * keeps none.
	 */
	UE_CAPTURE_HOLD = 1 << 4,
};

/* Zero it, set size, set what you need. */
struct ue_capture_opts {
	size_t size;	 /* sizeof(struct ue_capture_opts) */
	uint32_t flags;	 /* UE_CAPTURE_* */
	/*
	 * Bytes for unread events, with some tables; 0: 64 MiB. Less than 256 KiB becomes that,
	 * and more than RLIMIT_FSIZE becomes the limit. Memory is used as events come, and
	 * stays in use until the capture is closed.
	 */
	uint32_t buffer;
};

struct ue_capture;

/* One event as it was written. Valid until the next call for its capture. */
struct ue_captured {
	size_t size; /* of the part that the library set */
	const struct ue_record_layout *format; /* system "user_events" */
	const char *definition; /* it was registered with, as a kernel gets it */
	const void *bytes;		       /* the payload, without the write index */
	size_t length;			       /* in bytes */
	pid_t pid; /* of the writer, as it sees itself */
	uint32_t index; /* the same for all writes through equal registrations */
	pid_t tid;
	uint32_t cpu; /* the processor that it ran on; without rseq(2), see doc/ring.md */
	uint32_t lost; /* events that the process lost on this processor right before */
	int64_t time;	   /* of the write: CLOCK_MONOTONIC, in nanoseconds */
	int64_t real_time; /* the same in nanoseconds since 1970, UTC */
	const char *process, *thread; /* names, "" if not known */
	/*
	 * The stack of the thread, if it was asked for: return addresses, the innermost
	 * first. The first ones may be of the library: of its functions, and of those
	 * that macros make.
	 */
	const uint64_t *stack;
	uint32_t frames; /* how many; 0: none */
	uint32_t is_stack_cut; /* the process may not read its memory: there is one frame */
	uint32_t frames_asked; /* the program's; up to 5 more are for the library */
	/*
	 * The process: in one ring, another one that has the same pid, in another pid
	 * namespace or later, has another number here. 0: not known.
	 */
	uint32_t writer;
};

/* An event of a page. No later version changes this struct. */
struct ue_page_event {
	const void *bytes;	/* the payload, without the write index */
	const char *definition; /* it was registered with */
	uint64_t clock;		/* of the write, by the ring's clock */
	uint32_t length;	/* of the payload, in bytes */
	uint32_t index;		/* as that of ue_captured; less than 65536 */
	uint32_t thread;	/* the one of the page's threads that wrote it */
	uint16_t frames;	/* of its stack, ue_captured.stack; 0: none */
	uint8_t is_stack_cut;	/* both have the meaning of ue_captured's */
	uint8_t frames_asked;
};

/*
 * The stack of an event of a page.
 *
 * event: of a page from ue_capture_next_page().
 *
 * Returns event->frames addresses, as those of ue_captured.stack, or NULL if there are none.
 * Any thread, signal handlers too. Since 0.1.
 */
static inline const uint64_t *ue_page_event_stack(const struct ue_page_event *event)
{
	/* behind the write index and the payload */
	return event->frames ? UE__CAST(const uint64_t *, UE__CAST(const void *,
		UE__CAST(const char *, event->bytes) - 4 + ((event->length + 4 + 7) & ~7u))) :
			       UE__NULL;
}

/* A thread that wrote events of a page. No later version changes this struct. */
struct ue_page_thread {
	pid_t tid;
	char name[20]; /* "" if not known */
};

/*
 * Events that one process wrote on one processor, by time: what was new in one page of
 * the ring. Valid until the next call for its capture.
 *
 * The ring's clock is CLOCK_MONOTONIC in nanoseconds, or the counter of an x86
 * processor. Each page has a moment by this clock and by those of the system, and the
 * duration of a count, so an event was written (event.clock - page.opened) * page.rate
 * nanoseconds after page.time.
 */
struct ue_captured_page {
	size_t size; /* of the part that the library set */
	struct ue_page_event *events; /* which the caller may change */
	const struct ue_page_thread *threads;
	uint32_t event_count, thread_count;
	/* of the page in its ring; other events get it when these are read */
	uint32_t place;
	uint32_t number; /* of those that had the place: equal for events of one page */
	uint64_t pass;	 /* in which it was read; see ue_capture_next_page() */
	pid_t pid;	 /* of the process, as it sees itself */
	uint32_t cpu;	 /* the same number as ue_captured has */
	/* events that the process lost on this processor right before these */
	uint32_t lost;
	/* pages that have the same can be compared by the ring's clock */
	uint32_t clock_id;
	const char *process; /* its name, "" if not known */
	uint64_t opened;     /* the moment by the ring's clock */
	int64_t time;	     /* the same: CLOCK_MONOTONIC, in nanoseconds */
	int64_t real_time;   /* the same in nanoseconds since 1970, UTC */
	double rate;	     /* nanoseconds of a count; more than 0, and less than 1000 */
	uint32_t writer;     /* the same number as ue_captured has */
};

/* Counts of all events so far. */
struct ue_capture_counts {
	size_t size; /* of the part that the library set */
	/* Descriptions of code (ue_ring_stack()) are none of these. */
	uint64_t registered; /* events whose definition was read; equal ones count as one */
	uint64_t events; /* that were read */
	uint64_t lost[8]; /* writes of all processes since it was created, by enum ue_loss */
	uint64_t malformed; /* records, definitions, names that the library does not write */
	uint64_t overwritten; /* events of a ring that this capture came too late for */
	/*
	 * 1: half of a ring's space is in use, or a program waits for some. So release what
	 * UE_CAPTURE_HOLD keeps: an event of each of many processes takes more space than
	 * its bytes.
	 */
	uint64_t is_short;
};

/*
 * Open a capture.
 *
 * opts: NULL for the defaults.
 * capture: set on success; to be closed with ue_capture_close().
 *
 * Returns 0 or
 *   -EINVAL   opts: size too small, unknown flag;
 *   -E2BIG    opts are of a later version and use members that this one lacks;
 *   -ENOMEM, -EMFILE, -ENFILE, -ENOSYS  as of socketpair(2), memfd_create(2), mmap(2),
 *             epoll_create1(2) and timerfd_create(2);
 *   -EFBIG    RLIMIT_FSIZE allows no file of 256 KiB;
 *   -ETOOMANYREFS  the user has more descriptors in flight in sockets than a process may
 *             have open (unix(7)); each capture is one.
 * Any thread; not in signal handlers. Leaves errno alone. Since 0.1.
 */
UE__PUBLIC int ue_capture_open(const struct ue_capture_opts *opts,
			   struct ue_capture **capture);

/*
 * Read a ring (ring.h) as a capture. Such a capture has no descriptor to write to or to poll
 * (-EBADF); ue_capture_wait() waits for its events.
 *
 * fd: of the ring's file, open for reading; with UE_CAPTURE_TAKE for writing, too. It stays
 *   the caller's.
 * flags: 0, UE_CAPTURE_TAKE, or that and UE_CAPTURE_HOLD. A ring that overwrites needs
 *   none of them: its events stay until they are overwritten.
 * capture: set on success; to be closed with ue_capture_close(), which leaves the ring as it
 *   is.
 *
 * Returns 0, an error of ue_ring_info(), or
 *   -EINVAL  unknown flag, or UE_CAPTURE_HOLD without UE_CAPTURE_TAKE;
 *   -EBUSY   another reader takes events out of the ring;
 *   -EACCES  fd is not open for writing, with UE_CAPTURE_TAKE;
 *   -ENOMEM, -EMFILE.
 * Any thread; not in signal handlers. Leaves errno alone. Since 0.1.
 */
UE__PUBLIC int ue_capture_open_ring(int fd, uint32_t flags, struct ue_capture **capture);

/*
 * Wait until there may be an event to read.
 *
 * capture: one thread at a time.
 * milliseconds: at most so long; -1: no limit.
 *
 * Returns 0, within 50 ms of an event, or 20 ms if there was one in the second before;
 * within 250 ms for a caller of ue_capture_next_page() that takes events out. Also early
 * and without one: after a signal, and now and then to look after dead processes. So call
 * it in a loop with ue_capture_next(). Not in signal handlers. Leaves errno alone. Since
 * 0.1.
 */
UE__PUBLIC int ue_capture_wait(struct ue_capture *capture, int milliseconds);

/*
 * Close a capture. Events that were registered with it are disabled, in every process: so
 * sessions that are still open write nothing. In the child of a fork, only the child's copy
 * is closed.
 *
 * capture: from ue_capture_open(), or NULL.
 *
 * One thread; not in signal handlers. Leaves errno alone. Since 0.1.
 */
UE__PUBLIC void ue_capture_close(struct ue_capture *capture);

/*
 * The descriptor to write to: for UE_OPEN_FD, or for a program to inherit, with its
 * number in UE_ENVIRONMENT_FD. It is close-on-exec, and belongs to the capture.
 *
 * Returns the descriptor, or -EBADF after ue_capture_close_writer(). Any thread, signal
 * handlers too. Since 0.1.
 */
UE__PUBLIC int ue_capture_writer_fd(const struct ue_capture *capture);

/*
 * Close that descriptor here, so that ue_capture_next() can report that the last process
 * that inherited it has closed it.
 *
 * Returns 0, or -EBADF if it is closed already. One thread; not in signal handlers.
 * Leaves errno alone. Since 0.1.
 */
UE__PUBLIC int ue_capture_close_writer(struct ue_capture *capture);

/*
 * The descriptor to poll(2) for POLLIN. Do nothing else with it. It is readable when there
 * may be an event: always, until ue_capture_next() has returned 0, and then as soon as
 * ue_capture_wait() returns, as writers do not wake their reader unless the ring is half
 * full. It also becomes so without an event, so poll it in a loop with ue_capture_next().
 *
 * Returns the descriptor, or -EBADF for a capture of ue_capture_open_ring(). Any thread,
 * signal handlers too. Since 0.1.
 */
UE__PUBLIC int ue_capture_poll_fd(const struct ue_capture *capture);

/*
 * Enable or disable events: ue_enabled() changes at once, in every process that writes to
 * the capture. Events that are registered later follow the last call whose glob matches
 * their name.
 *
 * capture: one thread at a time.
 * glob: for the name, as of fnmatch(3): "*", "shop_*", "MyCompany_Shop_L[1-4]K*"; at
 *   most 255 bytes, without newline.
 *
 * Returns 0 or
 *   -EINVAL  the glob is empty, too long, or has a newline;
 *   -ENOSPC  too many different globs: they have 8128 bytes. "*" makes room;
 *   -EACCES  the descriptor of ue_capture_open_ring() is not open for writing.
 * Not in signal handlers. Leaves errno alone. Since 0.1.
 */
static inline int ue_capture_enable(struct ue_capture *capture, const char *glob);
static inline int ue_capture_disable(struct ue_capture *capture, const char *glob);

/*
 * Ask for the stacks of events, as ue_ring_stack() does for a ring.
 *
 * capture: one thread at a time.
 * glob: as of ue_capture_enable().
 * frames: at most so many of the program in each, 1 to 127; 0: no stacks of the events
 *   that glob matches.
 *
 * Returns 0, -EINVAL, also if there are more frames, or another error of ue_capture_enable().
 * Not in signal handlers. Leaves errno alone. Since 0.1.
 */
static inline int ue_capture_stack(struct ue_capture *capture, const char *glob,
				   uint32_t frames);

/*
 * Read the next event, if there is one; never waits.
 *
 * capture: one thread at a time.
 * event: overwritten when 1 is returned.
 *
 * Returns 1 with an event, 0 when there is none now, or when thousands of malformed
 *   records in a row were passed over (ue_capture_counts.malformed grows): call it again
 *   later; or
 *   -EPIPE   no process has the descriptor open any more: no event can follow;
 *   -ENOMEM  no memory for its definition, or for the order of events; call it again.
 * Not in signal handlers. Leaves errno alone. Since 0.1.
 */
UE__PUBLIC int ue_capture_next_sized(struct ue_capture *capture,
				     struct ue_captured *event, size_t size);

static inline int ue_capture_next(struct ue_capture *capture, struct ue_captured *event)
{
	return ue_capture_next_sized(capture, event, sizeof(*event));
}

/*
 * Read the next page with events, if there is one; never waits. For those who keep many
 * events and look at them later: this costs a fraction of ue_capture_next().
 *
 * Pages are in no order. But a reader goes through the ring again and again, and what it
 * finds in one pass is later than what it found in the pass before, except for events
 * whose writers were interrupted. So events of equal page->pass are to be put in order.
 *
 * capture: one thread at a time. Events are read by this call or by ue_capture_next(),
 * each
 *   once.
 * page: overwritten when 1 is returned.
 *
 * Returns 1 with a page, or as ue_capture_next(), or -EINVAL with UE_CAPTURE_HOLD. 0 also
 *   stands for the end of a pass, while programs write: wait as you would otherwise, so
 *   that the next one finds more.
 * Not in signal handlers. Leaves errno alone. Since 0.1.
 */
UE__PUBLIC int ue_capture_next_page_sized(struct ue_capture *capture,
					  struct ue_captured_page *page, size_t size);

static inline int ue_capture_next_page(struct ue_capture *capture,
				       struct ue_captured_page *page)
{
	return ue_capture_next_page_sized(capture, page, sizeof(*page));
}

/*
 * Take all events that were read so far out of a ring that was opened with
 * UE_CAPTURE_HOLD, as they are safe elsewhere by now. Of another capture it takes the last
 * one, which the next call would do.
 *
 * capture: one thread at a time. Its last event is not valid any more.
 *
 * Not in signal handlers. Leaves errno alone. Since 0.1.
 */
UE__PUBLIC void ue_capture_release(struct ue_capture *capture);

/*
 * The next event as a line of text, as ue_record_to_text() writes it with UE_META_N:
 *
 *	user_events:request_done status=200 path="/"
 *	MyCompany_Shop:OrderPlaced order=17
 *
 * Returns the line, valid until the next call for the capture, or "" if there is no event,
 * or no memory. Threads and signals as of ue_capture_next(). Since 0.1.
 */
UE__PUBLIC const char *ue_capture_line(struct ue_capture *capture);

/*
 * Discard the events that were written before this call and are not read yet, for the next
 * test. Events that are written during the call are kept. It discards no more events than
 * the ring has room for, whatever the programs store in it.
 *
 * capture: one thread at a time.
 *
 * Returns the number of events discarded, or -ENOMEM as of ue_capture_next(). Not in signal
 * handlers. Leaves errno alone. Since 0.1.
 */
UE__PUBLIC int ue_capture_skip(struct ue_capture *capture);

/*
 * A field of an event by its name.
 *
 * event: from ue_capture_next().
 * name: NUL-terminated; of EventHeader fields, those that are not within a struct, with
 *   their attributes.
 * item: overwritten on success; item->value is for ue_value_u64(), ue_value_to_text()
 *   and so on.
 *
 * Returns UE_ITEM_VALUE, UE_ITEM_ARRAY_BEGIN or UE_ITEM_STRUCT_BEGIN, or
 *   -ENOENT   the event has no such field;
 *   or an error of ue_reader_begin(), ue_reader_next() or ue_record_item().
 * Any thread, signal handlers too. Since 0.1.
 */
UE__PUBLIC int ue_captured_field_sized(const struct ue_captured *event, const char *name,
				       struct ue_item *item, size_t size);

static inline int ue_captured_field(const struct ue_captured *event, const char *name,
				    struct ue_item *item)
{
	return ue_captured_field_sized(event, name, item, sizeof(*item));
}

/*
 * The next event that a program has and that was never registered with this capture.
 *
 * Programs and shared objects report the events that macros define when they are loaded with
 * UE_ENVIRONMENT_FD in their environment, to a capture with UE_CAPTURE_NAMES; to others,
 * none. An event is its name and its fields, whichever process registered it. All that was
 * reported is known once ue_capture_next() has returned 0 or -EPIPE, so ask at the end; up to
 * 65,536 events are kept.
 *
 * capture: one thread at a time.
 * after: what the last call returned; NULL for the first event.
 *
 * Returns its definition, as a kernel gets it, or the name alone if its fields are malformed;
 * valid until ue_capture_close(). NULL if there is no other. Not in signal handlers. Leaves
 * errno alone. Since 0.1.
 */
UE__PUBLIC const char *ue_capture_unregistered(const struct ue_capture *capture,
					       const char *after);

/*
 * The next event that was registered with this capture, also if none was written. All
 * that were are known once ue_capture_next() has returned 0 or -EPIPE; up to 65,536 are
 * kept.
 *
 * capture: one thread at a time.
 * after: what the last call returned; NULL for the first event.
 *
 * Returns its definition, as a kernel gets it, valid until ue_capture_close(). NULL if
 * there is no other. Not in signal handlers. Leaves errno alone. Since 0.1.
 */
UE__PUBLIC const char *ue_capture_registered(const struct ue_capture *capture,
					     const char *after);

/*
 * The event that has the name of another one with other fields, and was registered: a program
 * can register one of them.
 *
 * capture: one thread at a time. definition: of ue_capture_unregistered().
 *
 * Returns its definition, valid until ue_capture_close(), or NULL. Not in signal handlers.
 * Leaves errno alone. Since 0.1.
 */
UE__PUBLIC const char *ue_capture_namesake(const struct ue_capture *capture,
					   const char *definition);

/*
 * The counts of events.
 *
 * capture: one thread at a time.
 * counts: overwritten.
 *
 * Not in signal handlers. Leaves errno alone. Since 0.1.
 */
UE__PUBLIC void ue_capture_count_sized(const struct ue_capture *capture,
				       struct ue_capture_counts *counts, size_t size);

static inline void ue_capture_count(const struct ue_capture *capture,
				    struct ue_capture_counts *counts)
{
	ue_capture_count_sized(capture, counts, sizeof(*counts));
}

/* Everything below is internal. */

/* The same as ue__ring_rule() of ring.h. */
UE__PUBLIC int ue__capture_rule(struct ue_capture *capture, char sign, const char *glob,
				uint32_t frames);

static inline int ue_capture_enable(struct ue_capture *capture, const char *glob)
{
	return ue__capture_rule(capture, '+', glob, 0);
}

static inline int ue_capture_disable(struct ue_capture *capture, const char *glob)
{
	return ue__capture_rule(capture, '-', glob, 0);
}

static inline int ue_capture_stack(struct ue_capture *capture, const char *glob,
				   uint32_t frames)
{
	return ue__capture_rule(capture, 's', glob, frames);
}

#ifdef __cplusplus
}
#endif

#include <userevents/abi/restore_names.h>
#endif
