/* SPDX-License-Identifier: MIT */
/*
 * Open, control and read a capture. receive.c takes its events out of the ring, and
 * kernel/capture_socket.h explains the socket.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <userevents/loss.h>

#include "kernel/capture_socket.h"
#include "receive.h"
#include "ring/events.h"
#include "ring/ring_clock.h"
#include "ring/ring_lock.h"
#include "ring/ring_memory.h"
#include "ring/rules.h"
#include "socket/descriptor_packet.h"
#include "util/errno_guard.h"
#include "read/cursor.h"
#include "util/sized_struct.h"

#define FLAGS (UE_CAPTURE_WAIT | UE_CAPTURE_DISABLED | UE_CAPTURE_NAMES)
#define BUFFER_DEFAULT (64u << 20)
#define NAMES_BUFFER (1 << 20)
/* The size in 0.1. */
#define OPTS_SIZE_MIN UE__SIZE_UP_TO(struct ue_capture_opts, buffer)

/* Open */

static int check_opts(const struct ue_capture_opts *opts)
{
	if (opts->size < OPTS_SIZE_MIN)
		return -EINVAL;
	if (ue__has_tail(opts, sizeof(*opts), opts->size))
		return -E2BIG;
	return opts->flags & ~FLAGS ? -EINVAL : 0;
}

/* The system limits the socket's size: larger ones take more names at once. */
static int open_sockets(struct ue_capture *capture, uint32_t flags)
{
	const int size = NAMES_BUFFER;
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		return -errno;
	capture->socket = ends[0];
	capture->writer = ends[1];
	if (flags & UE_CAPTURE_NAMES)
		setsockopt(capture->writer, SOL_SOCKET, SO_SNDBUF, &size, sizeof(size));
	/* A name that does not fit would be forgotten. */
	if (!(flags & UE_CAPTURE_NAMES) && fcntl(capture->writer, F_SETFL, O_NONBLOCK))
		return -errno;
	return 0;
}

static int watch(int epoll, int fd)
{
	struct epoll_event event = { .events = EPOLLIN };

	return epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) ? -errno : 0;
}

static int open_poll(struct ue_capture *capture)
{
	int result;

	capture->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (capture->timer < 0)
		return -errno;
	capture->poll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (capture->poll_fd < 0)
		return -errno;
	result = watch(capture->poll_fd, capture->socket);
	return result ? result : watch(capture->poll_fd, capture->timer);
}

/* The packet that waits for every session, with the ring's descriptor. */
static int send_ring(const struct ue_capture *capture, int memory)
{
	const uint32_t magic = UE__CAPTURE_MAGIC;

	return ue__send_descriptor(capture->socket, &magic, sizeof(magic), memory);
}

/* A file beyond its limit would cost a signal, SIGXFSZ. 0: the least is too much. */
static uint64_t choose_size(uint32_t wanted)
{
	struct rlimit limit;
	uint64_t size = wanted ? wanted : BUFFER_DEFAULT;

	if (size < UE__RING_LEAST)
		size = UE__RING_LEAST;
	if (!getrlimit(RLIMIT_FSIZE, &limit) && size > limit.rlim_cur)
		size = limit.rlim_cur;
	return size < UE__RING_LEAST ? 0 : size;
}

static int begin_ring(struct ue_capture *capture, const struct ue_capture_opts *opts,
		      int memory)
{
	const struct ue__ring_plan plan = {
		.size = choose_size(opts->buffer),
		.mode = opts->flags & UE_CAPTURE_WAIT ? UE__RING_WAIT : UE__RING_DROP,
		.wants_names = !!(opts->flags & UE_CAPTURE_NAMES),
	};
	int result = plan.size ? ue__ring_format(memory, &plan, 1) : -EFBIG;

	if (!result && fcntl(memory, F_ADD_SEALS, UE__CAPTURE_SEALS | F_SEAL_SEAL))
		result = -errno;
	if (!result)
		result = ue__ring_reader_begin(&capture->ring, memory, 1);
	if (!result)
		result = ue__ring_add_rule(&capture->ring.memory,
					   opts->flags & UE_CAPTURE_DISABLED ? '-' : '+', "*");
	return result ? result : send_ring(capture, memory);
}

static int open_ring(struct ue_capture *capture, const struct ue_capture_opts *opts)
{
	int result, memory = memfd_create("userevents-capture",
					  MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (memory < 0)
		return -errno;
	result = begin_ring(capture, opts, memory);
	close(memory);
	return result;
}

static int start(struct ue_capture *capture, const struct ue_capture_opts *opts)
{
	int result = open_sockets(capture, opts->flags);

	if (!result)
		result = open_poll(capture);
	if (!result)
		result = open_ring(capture, opts);
	if (!result)
		ue__capture_fall_asleep(capture);
	return result;
}

static struct ue_capture *allocate(void)
{
	struct ue_capture *made = calloc(1, sizeof(*made));

	if (made) {
		made->socket = made->writer = made->poll_fd = made->timer = -1;
		made->owner = getpid();
	}
	return made;
}

/* Close a capture that could not be opened; its result. */
static int finish_opening(struct ue_capture *made, int result, struct ue_capture **capture)
{
	if (result)
		ue_capture_close(made);
	else
		*capture = made;
	return result;
}

UE__PUBLIC int ue_capture_open(const struct ue_capture_opts *opts,
			   struct ue_capture **capture)
{
	UE__KEEP_ERRNO;
	static const struct ue_capture_opts defaults = { .size = sizeof(defaults) };
	struct ue_capture *made;
	int result;

	if (!opts)
		opts = &defaults;
	result = check_opts(opts);
	if (result)
		return result;
	made = allocate();
	return made ? finish_opening(made, start(made, opts), capture) : -ENOMEM;
}

UE__PUBLIC int ue_capture_open_ring(int fd, uint32_t flags, struct ue_capture **capture)
{
	UE__KEEP_ERRNO;
	const int takes = !!(flags & UE_CAPTURE_TAKE), holds = !!(flags & UE_CAPTURE_HOLD);
	struct ue_capture *made;
	int result;

	if (flags & ~(UE_CAPTURE_TAKE | UE_CAPTURE_HOLD) || (holds && !takes))
		return -EINVAL;
	made = allocate();
	if (!made)
		return -ENOMEM;
	result = ue__ring_reader_begin(&made->ring, fd, takes);
	if (!result && takes && !made->ring.memory.is_writable)
		result = -EACCES;
	made->ring.is_holding = holds && made->ring.is_consumer;
	return finish_opening(made, result, capture);
}

/* Close */

static void close_end(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/*
 * The next reader gets the events kept here; of a file that was cut nothing is touched.
 */
static void end_last_event(struct ue_capture *capture)
{
	struct stat file;

	if (!capture->is_kept && !capture->is_page_kept && capture->ring.pid == getpid() &&
	    !fstat(capture->ring.fd, &file) &&
	    (uint64_t)file.st_size >= capture->ring.memory.size)
		ue__ring_let_go(&capture->ring);
}

/*
 * The programs' events are disabled: they need not find out that nobody reads them. The lock
 * says that there is a reader, also as long as a child has a copy of its descriptor.
 */
static void end_ring(struct ue_capture *capture)
{
	end_last_event(capture);
	if (capture->socket >= 0 && capture->ring.memory.ring && capture->owner == getpid()) {
		ue__ring_add_rule(&capture->ring.memory, '-', "*");
		ue__ring_unlock(capture->ring.fd, UE__RING_READER_LOCK);
	}
	ue__ring_reader_end(&capture->ring);
}

UE__PUBLIC void ue_capture_close(struct ue_capture *capture)
{
	UE__KEEP_ERRNO;
	if (!capture)
		return;
	end_ring(capture);
	close_end(&capture->writer);
	close_end(&capture->socket);
	close_end(&capture->poll_fd);
	close_end(&capture->timer);
	ue__capture_forget(capture);
	free(capture->line);
	free(capture);
}

UE__PUBLIC int ue_capture_writer_fd(const struct ue_capture *capture)
{
	return capture->writer < 0 ? -EBADF : capture->writer;
}

UE__PUBLIC int ue_capture_close_writer(struct ue_capture *capture)
{
	UE__KEEP_ERRNO;

	if (capture->writer < 0)
		return -EBADF;
	close_end(&capture->writer);
	return 0;
}

UE__PUBLIC int ue_capture_poll_fd(const struct ue_capture *capture)
{
	return capture->poll_fd < 0 ? -EBADF : capture->poll_fd;
}

UE__PUBLIC int ue_capture_wait(struct ue_capture *capture, int milliseconds)
{
	UE__KEEP_ERRNO;
	struct pollfd events = { .fd = capture->poll_fd, .events = POLLIN };

	if (capture->socket >= 0)
		poll(&events, 1, milliseconds);
	else if (!capture->is_kept)
		ue__ring_sleep(&capture->ring, milliseconds);
	return 0;
}

/* Enable */

UE__PUBLIC int ue__capture_rule(struct ue_capture *capture, char sign, const char *glob,
				uint32_t frames)
{
	UE__UNDISTURBED;

	if (frames > UE__RING_FRAMES_ASKED)
		return -EINVAL;
	if (!capture->ring.memory.is_writable)
		return -EACCES;
	return ue__ring_change_rules(&capture->ring.memory, capture->ring.fd, sign, glob,
				     frames);
}

/* Read */

UE__PUBLIC int ue_capture_next_sized(struct ue_capture *capture,
				     struct ue_captured *event, size_t size)
{
	UE__KEEP_ERRNO;
	const struct ue__ring_event *found = &capture->event;
	struct ue__capture_source *source;
	struct ue_captured captured;
	int result = ue__capture_take(capture, UE__CAPTURE_LATER, &source);

	if (result != 1)
		return result == -EAGAIN ? 0 : result;
	capture->events += !found->describes;
	captured = (struct ue_captured){
		.size = size < sizeof(captured) ? size : sizeof(captured),
		.format = &source->format,
		.definition = source->definition,
		.bytes = found->payload,
		.length = found->length,
		.pid = (pid_t)found->pid,
		.index = found->index,
		.tid = (pid_t)found->tid,
		.cpu = found->cpu,
		.lost = found->lost,
		.time = found->time,
		.real_time = found->real_time,
		.process = found->process,
		.thread = found->thread,
		.stack = found->stack,
		.frames = found->frames,
		.is_stack_cut = found->is_stack_cut,
		.frames_asked = found->frames_asked,
		.writer = found->owner,
	};
	ue__hand_out(event, size, &captured, sizeof(captured));
	return 1;
}

/* Records that have no definition are left out, and may claim to describe code. */
static uint32_t events_of_page(const struct ue_capture *capture)
{
	const uint32_t all = capture->page.event_count;
	const uint32_t descriptions = capture->ring.descriptions;

	return descriptions < all ? all - descriptions : 0;
}

UE__PUBLIC int ue_capture_next_page_sized(struct ue_capture *capture,
					  struct ue_captured_page *page, size_t size)
{
	UE__KEEP_ERRNO;
	const int result = capture->ring.is_holding ? -EINVAL :
						      ue__capture_take_page(capture);
	struct ue_captured_page *found = &capture->page;

	if (result != 1)
		return result == -EAGAIN ? 0 : result;
	capture->events += events_of_page(capture);
	found->size = size < sizeof(*found) ? size : sizeof(*found);
	ue__hand_out(page, size, found, sizeof(*found));
	return 1;
}

UE__PUBLIC void ue_capture_release(struct ue_capture *capture)
{
	UE__KEEP_ERRNO;

	if (!capture->is_kept)
		ue__ring_let_go(&capture->ring);
	ue__ring_release(&capture->ring);
}

static int make_line_room(struct ue_capture *capture, size_t size)
{
	char *line;

	if (size <= capture->line_size)
		return 0;
	line = realloc(capture->line, size);
	if (!line)
		return -ENOMEM;
	capture->line = line;
	capture->line_size = size;
	return 0;
}

UE__PUBLIC const char *ue_capture_line(struct ue_capture *capture)
{
	UE__KEEP_ERRNO;
	static const struct ue_render_opts opts = {
		.size = sizeof(opts), .flags = UE_RENDER_TAGS, .meta = UE_META_N
	};
	struct ue_captured event;
	ptrdiff_t needed;

	if (ue_capture_next(capture, &event) != 1)
		return "";
	needed = ue_record_to_text(event.format, event.bytes, event.length, &opts, NULL, 0);
	if (make_line_room(capture, (size_t)needed + 1))
		return "";
	ue_record_to_text(event.format, event.bytes, event.length, &opts, capture->line,
			  capture->line_size);
	return capture->line;
}

/*
 * No ring has more records at once. Programs that go on storing old times, or nothing but
 * malformed records, would keep a reader without this limit.
 */
static uint64_t records_of_a_ring(const struct ue_capture *capture)
{
	return capture->ring.memory.size / ue__ring_record_size(sizeof(uint32_t));
}

UE__PUBLIC int ue_capture_skip(struct ue_capture *capture)
{
	UE__KEEP_ERRNO;
	const uint64_t now = ue__ring_time(capture->ring.memory.clock);
	const uint64_t most = records_of_a_ring(capture) + capture->malformed;
	struct ue__capture_source *source;
	uint64_t taken = 0;
	int result, count = 0;

	do {
		result = ue__capture_take(capture, now, &source);
		taken += result == 1;
		count += result == 1 && !capture->event.describes;
	} while ((result == 1 || result == -EAGAIN) &&
		 taken + capture->malformed < most);
	capture->events += (uint64_t)count;
	if (capture->ring.memory.is_writable)
		ue__ring_ask_for_code(&capture->ring.memory);
	return result == -ENOMEM ? result : count;
}

static int find_in_eventheader(const struct ue_captured *event, const char *name,
			       struct ue_item *item, size_t size)
{
	struct ue__reader reader;
	int kind = ue__reader_begin(&reader, event->format->name,
				   event->format->name_length, event->bytes,
				   event->length, NULL);

	if (!kind)
		kind = ue__reader_find(&reader, name);
	if (kind > 0)
		ue__hand_out(item, size, &reader.item, sizeof(reader.item));
	return kind ? kind : -ENOENT;
}

UE__PUBLIC int ue_captured_field_sized(const struct ue_captured *event, const char *name,
				       struct ue_item *item, size_t size)
{
	const struct ue_record_layout *format = event->format;
	struct ue_item found;

	if (format->is_eventheader)
		return find_in_eventheader(event, name, item, size);
	for (uint32_t i = 0; i < format->field_count; i++) {
		int kind = ue_record_item(format, i, event->bytes, event->length, &found);

		if (!ue__item_is_named(&found, name))
			continue;
		if (kind > 0)
			ue__hand_out(item, size, &found, sizeof(found));
		return kind;
	}
	return -ENOENT;
}

static const char *next_listed(const struct ue_capture *capture, const char *after,
			       int is_registered)
{
	const struct ue__capture_listed *one = capture->first_listed;

	if (after)
		one = ((const struct ue__capture_listed *)
			       (after - offsetof(struct ue__capture_listed, definition)))->next;
	while (one && one->is_registered != is_registered)
		one = one->next;
	return one ? one->definition : NULL;
}

UE__PUBLIC const char *ue_capture_unregistered(const struct ue_capture *capture,
					       const char *after)
{
	return next_listed(capture, after, 0);
}

UE__PUBLIC const char *ue_capture_registered(const struct ue_capture *capture,
					     const char *after)
{
	return next_listed(capture, after, 1);
}

UE__PUBLIC const char *ue_capture_namesake(const struct ue_capture *capture,
					   const char *definition)
{
	const char *other = ue__capture_registered(capture, definition);

	return other && strcmp(other, definition) ? other : NULL;
}

UE__PUBLIC void ue_capture_count_sized(const struct ue_capture *capture,
				       struct ue_capture_counts *counts, size_t size)
{
	struct ue_capture_counts found = {
		.size = size < sizeof(found) ? size : sizeof(found),
		.registered = capture->registered,
		.events = capture->events,
		.malformed = capture->malformed + capture->ring.malformed,
		.overwritten = ue__ring_missed(&capture->ring),
		.is_short = (uint64_t)ue__ring_is_short(&capture->ring),
	};
	for (unsigned i = 0; i < UE_LOSS_REASONS; i++)
		found.lost[i] = __atomic_load_n(&capture->ring.memory.ring->lost[i],
						__ATOMIC_RELAXED);
	ue__hand_out(counts, size, &found, sizeof(found));
}
