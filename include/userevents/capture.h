/* SPDX-License-Identifier: MIT */
/*
 * Capture: receive events without the kernel's help, in a test of the program that
 * writes them or in a tool that starts it. Needs no rights and no kernel support.
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
 * Code that calls ue_open(NULL) finds the descriptor when its number is in the
 * environment, as UE_ENVIRONMENT_FD. examples/06_test_events.c is a whole test.
 *
 * Events arrive whole and in the order in which they were written. Nothing but the
 * enabled events' writes costs the program anything: one packet a write.
 *
 * A payload that is given ready-made, to ue_write() or ue_writev(), is not checked against
 * the definition, as a kernel would (-EINVAL, -EFAULT): the reader shows what is wrong.
 *
 * What is not yet read waits in the socket. When that is full, a write is counted as
 * lost (UE_LOSS_CAPTURE_FULL) and returns -EAGAIN, or waits with UE_CAPTURE_WAIT. How
 * much fits, the system limits for users other than root (/proc/sys/net/core/wmem_max):
 * with what Debian 12 has, about 500 small events.
 */
#ifndef USEREVENTS_CAPTURE_H
#define USEREVENTS_CAPTURE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <userevents/abi/event_state.h>
#include <userevents/decode/reader.h>
#include <userevents/decode/record.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A write waits until there is room, and so does ue_register(). Not in a program that
 * reads its own events in the thread that writes them: it would wait for itself. A
 * signal whose handler has no SA_RESTART ends the waiting of a write with -EINTR.
 */
#define UE_CAPTURE_WAIT (1u << 0)
/* Events are disabled until ue_capture_enable(); otherwise, all are enabled. */
#define UE_CAPTURE_DISABLED (1u << 1)

/* Zero it, set size, set what you need. */
struct ue_capture_opts {
	size_t size;	 /* sizeof(struct ue_capture_opts) */
	uint32_t flags;	 /* UE_CAPTURE_* */
	uint32_t buffer; /* of the socket, in bytes; 0: 16 MiB; less if the system wants */
};

struct ue_capture;

/* One event as it was written. Valid until the next call for its capture. */
struct ue_captured {
	size_t size; /* of what the library set of this struct */
	const struct ue_record_layout *format; /* system "user_events" */
	const char *definition; /* with which it was registered, as a kernel gets it */
	const void *bytes;		       /* what was written, less the write index */
	size_t length;			       /* in bytes */
	pid_t pid; /* that wrote it, as the reader's pid namespace has it; 0: unknown */
	uint32_t index; /* the same for all writes through one registration */
};

/* What became of all packets so far. */
struct ue_capture_counts {
	size_t size; /* of what the library set of this struct */
	uint64_t registered; /* events that were registered, as far as that was read */
	uint64_t events; /* that were read */
	uint64_t lost[8]; /* writes of any process, by enum ue_loss; each modulo 2^32 */
	uint64_t malformed; /* packets that the library does not write */
};

/*
 * Open a capture.
 *
 * opts: NULL for the defaults.
 * capture: set on success; to be closed with ue_capture_close().
 *
 * Returns 0 or
 *   -EINVAL   opts: size too small, unknown flag;
 *   -E2BIG    opts come from a later version and use what this one lacks;
 *   -ENOMEM, -EMFILE, -ENFILE, -ENOSYS  as of socketpair(2) and memfd_create(2);
 *   -ETOOMANYREFS  this user has more descriptors lying in sockets, of which each capture
 *             is one, than a process may have open (unix(7)).
 * Any thread; not in signal handlers. Leaves errno alone. Since 0.1.
 */
UE__PUBLIC int ue_capture_open(const struct ue_capture_opts *opts,
			   struct ue_capture **capture);

/*
 * Close a capture. Sessions that were opened with its descriptor stay open: close them
 * first. Else the next write to one returns -EPIPE or -ECONNRESET, without a signal, is
 * counted as lost, and disables all events of the capture, in every process.
 *
 * capture: from ue_capture_open(), or NULL.
 *
 * One thread; not in signal handlers. Leaves errno alone. Since 0.1.
 */
UE__PUBLIC void ue_capture_close(struct ue_capture *capture);

/*
 * The descriptor to write to: for UE_OPEN_FD, or for a program to inherit, with its
 * number in UE_ENVIRONMENT_FD. It is close-on-exec, and remains the capture's.
 *
 * Returns the descriptor, or -EBADF after ue_capture_close_writer(). Any thread, signal
 * handlers too. Since 0.1.
 */
UE__PUBLIC int ue_capture_writer_fd(const struct ue_capture *capture);

/*
 * Close that descriptor here, so that ue_capture_next() sees when the last process that
 * inherited it has closed it.
 *
 * Returns 0, or -EBADF when that was done before. One thread; not in signal handlers.
 * Leaves errno alone. Since 0.1.
 */
UE__PUBLIC int ue_capture_close_writer(struct ue_capture *capture);

/*
 * The descriptor to wait for events with, by poll(2) for POLLIN. Nothing else may be
 * done with it.
 *
 * Returns the descriptor. Any thread, signal handlers too. Since 0.1.
 */
UE__PUBLIC int ue_capture_poll_fd(const struct ue_capture *capture);

/*
 * Enable or disable events: ue_enabled() says so in every process that writes to the
 * capture, at once. Events that are registered later follow the last call whose glob
 * matches their name.
 *
 * capture: one thread at a time.
 * glob: for the name, as of fnmatch(3): "*", "shop_*", "MyCompany_Shop_L[1-4]K*"; at
 *   most 255 bytes, without newline.
 *
 * Returns 0 or
 *   -EINVAL  the glob is empty, too long, or has a newline;
 *   -ENOSPC  too many different globs: they have 8160 bytes. "*" makes room;
 *   -ENOMEM  no memory for what had to be read to learn of all events.
 * Not in signal handlers. Leaves errno alone. Since 0.1.
 */
UE__PUBLIC int ue_capture_enable(struct ue_capture *capture, const char *glob);
UE__PUBLIC int ue_capture_disable(struct ue_capture *capture, const char *glob);

/*
 * Read the next event, if there is one; never waits.
 *
 * capture: one thread at a time.
 * event: overwritten when 1 is returned.
 *
 * Returns 1 with an event, 0 when there is none now, or
 *   -EPIPE   nor will there be: nobody has the descriptor open any more;
 *   -ENOMEM  no memory to remember an event that was registered.
 * Not in signal handlers. Leaves errno alone. Since 0.1.
 */
UE__PUBLIC int ue_capture_next_sized(struct ue_capture *capture,
				     struct ue_captured *event, size_t size);

static inline int ue_capture_next(struct ue_capture *capture, struct ue_captured *event)
{
	return ue_capture_next_sized(capture, event, sizeof(*event));
}

/*
 * The next event as a line of text, as ue_record_to_text() writes it with UE_META_N:
 *
 *	user_events:request_done status=200 path="/"
 *	MyCompany_Shop:OrderPlaced order=17
 *
 * Returns the line, valid until the next call for the capture, or "" when there is no
 * event, or no memory. Other things as of ue_capture_next(). Since 0.1.
 */
UE__PUBLIC const char *ue_capture_line(struct ue_capture *capture);

/*
 * Forget what was written and not yet read when this is called, for the next test. What
 * others write meanwhile is there afterwards.
 *
 * capture: one thread at a time.
 *
 * Returns how many events that were, or -ENOMEM as of ue_capture_next(). Not in signal
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
 * What became of the packets.
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

#ifdef __cplusplus
}
#endif

#endif
