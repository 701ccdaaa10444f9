/* SPDX-License-Identifier: MIT */
/*
 * Open, control and read a capture. kernel/capture_page.h explains the protocol, and
 * receive.c receives the packets.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <userevents/loss.h>

#include "receive.h"
#include "ring/rules.h"
#include "util/errno_guard.h"
#include "read/cursor.h"
#include "util/sized_struct.h"

#define FLAGS (UE_CAPTURE_WAIT | UE_CAPTURE_DISABLED | UE_CAPTURE_NAMES)
#define BUFFER_DEFAULT (16u << 20)
#define PAGE_BYTES sizeof(struct ue__capture_page)
#define GLOB_MAX 255

/* Open */

static int check_opts(const struct ue_capture_opts *opts)
{
	if (opts->size < sizeof(*opts))
		return -EINVAL;
	if (ue__has_tail(opts, sizeof(*opts), opts->size))
		return -E2BIG;
	return opts->flags & ~FLAGS ? -EINVAL : 0;
}

/* Root may have more than the system's limit. */
static void set_buffer(int fd, uint32_t size)
{
	int bytes = size < INT32_MAX ? (int)size : INT32_MAX;

	if (setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &bytes, sizeof(bytes)))
		setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof(bytes));
}

static int open_sockets(struct ue_capture *capture, const struct ue_capture_opts *opts)
{
	int ends[2], yes = 1;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		return -errno;
	capture->reader = ends[0];
	capture->writer = ends[1];
	set_buffer(capture->writer, opts->buffer ? opts->buffer : BUFFER_DEFAULT);
	if (setsockopt(capture->reader, SOL_SOCKET, SO_PASSCRED, &yes, sizeof(yes)))
		return -errno;
	if (!(opts->flags & UE_CAPTURE_WAIT) &&
	    fcntl(capture->writer, F_SETFL, O_NONBLOCK))
		return -errno;
	return 0;
}

static int map_page(struct ue_capture *capture, uint32_t flags, int memory)
{
	void *page;

	if (ftruncate(memory, PAGE_BYTES) ||
	    fcntl(memory, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL))
		return -errno;
	page = mmap(NULL, PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
	if (page == MAP_FAILED)
		return -errno;
	capture->page = page;
	capture->page->magic = UE__CAPTURE_MAGIC;
	capture->page->version = UE__CAPTURE_VERSION;
	capture->page->wants_names = !!(flags & UE_CAPTURE_NAMES);
	return 0;
}

/* The packet that waits for every session, with the page's descriptor. */
static int send_page(const struct ue_capture *capture, int memory)
{
	union {
		struct cmsghdr header;
		char room[CMSG_SPACE(sizeof(int))];
	} control = { .header = {
		.cmsg_len = CMSG_LEN(sizeof(int)),
		.cmsg_level = SOL_SOCKET,
		.cmsg_type = SCM_RIGHTS,
	} };
	uint32_t magic = UE__CAPTURE_MAGIC;
	struct iovec piece = { &magic, sizeof(magic) };
	struct msghdr message = {
		.msg_iov = &piece,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control),
	};

	memcpy(CMSG_DATA(&control.header), &memory, sizeof(memory));
	return sendmsg(capture->reader, &message, MSG_NOSIGNAL) < 0 ? -errno : 0;
}

static int open_page(struct ue_capture *capture, uint32_t flags)
{
	int result, memory = memfd_create("userevents-capture",
					  MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (memory < 0)
		return -errno;
	result = map_page(capture, flags, memory);
	if (!result)
		result = send_page(capture, memory);
	close(memory);
	return result;
}

static int change_rules(struct ue_capture *capture, char sign, const char *glob)
{
	struct ue__capture_page *page = capture->page;
	char rules[UE__CAPTURE_RULES];
	int length;

	memcpy(rules, capture->rules, capture->rules_length);
	length = ue__rules_add(rules, capture->rules_length, sizeof(rules), sign,
				      glob);
	if (length < 0)
		return length;
	memcpy(capture->rules, rules, (size_t)length);
	capture->rules_length = (uint32_t)length;
	__atomic_fetch_add(&page->rules_turn, 1, __ATOMIC_ACQ_REL);
	memcpy(page->rules, rules, (size_t)length);
	__atomic_store_n(&page->rules_length, (uint32_t)length, __ATOMIC_RELAXED);
	__atomic_fetch_add(&page->rules_turn, 1, __ATOMIC_RELEASE);
	return 0;
}

static int start(struct ue_capture *capture, const struct ue_capture_opts *opts)
{
	const char sign = opts->flags & UE_CAPTURE_DISABLED ? '-' : '+';
	int result = open_sockets(capture, opts);

	if (!result)
		result = open_page(capture, opts->flags);
	return result ? result : change_rules(capture, sign, "*");
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
	made = calloc(1, sizeof(*made));
	if (!made)
		return -ENOMEM;
	made->reader = made->writer = -1;
	result = start(made, opts);
	if (result)
		ue_capture_close(made);
	else
		*capture = made;
	return result;
}

/* Close */

static void close_end(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

UE__PUBLIC void ue_capture_close(struct ue_capture *capture)
{
	UE__KEEP_ERRNO;
	if (!capture)
		return;
	close_end(&capture->writer);
	close_end(&capture->reader);
	if (capture->page)
		munmap(capture->page, PAGE_BYTES);
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
	return capture->reader;
}

/* Enable */

static int change(struct ue_capture *capture, char sign, const char *glob)
{
	size_t length = strlen(glob);
	int result;

	if (!length || length > GLOB_MAX || strchr(glob, '\n'))
		return -EINVAL;
	result = change_rules(capture, sign, glob);
	if (!result)
		result = ue__capture_keep_all(capture);
	for (uint32_t i = 0; !result && i < capture->sources_max; i++)
		if (capture->sources[i])
			ue__capture_apply_rules(capture, i);
	return result;
}

UE__PUBLIC int ue_capture_enable(struct ue_capture *capture, const char *glob)
{
	UE__KEEP_ERRNO;

	return change(capture, '+', glob);
}

UE__PUBLIC int ue_capture_disable(struct ue_capture *capture, const char *glob)
{
	UE__KEEP_ERRNO;

	return change(capture, '-', glob);
}

/* Read */

UE__PUBLIC int ue_capture_next_sized(struct ue_capture *capture,
				     struct ue_captured *event, size_t size)
{
	UE__KEEP_ERRNO;
	struct ue_captured captured;
	struct ue__received packet;
	int result = ue__capture_take(capture, &packet, UE__CAPTURE_LATER);

	if (result != 1)
		return result;
	capture->events++;
	captured = (struct ue_captured){
		.size = size < sizeof(captured) ? size : sizeof(captured),
		.format = &capture->sources[packet.bytes[0]]->format,
		.definition = capture->sources[packet.bytes[0]]->definition,
		.bytes = packet.bytes + 1,
		.length = packet.length - sizeof(uint32_t),
		.pid = packet.pid,
		.index = packet.bytes[0],
	};
	ue__hand_out(event, size, &captured, sizeof(captured));
	return 1;
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

UE__PUBLIC int ue_capture_skip(struct ue_capture *capture)
{
	UE__KEEP_ERRNO;
	const uint64_t now = ue__capture_now(capture);
	struct ue__received packet;
	int result, count = 0;

	while ((result = ue__capture_take(capture, &packet, now)) == 1)
		count++;
	capture->events += (uint64_t)count;
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

UE__PUBLIC const char *ue_capture_unregistered(const struct ue_capture *capture,
					       const char *after)
{
	const struct ue__capture_name *name = capture->first_name;

	if (after)
		name = ((const struct ue__capture_name *)
				(after - offsetof(struct ue__capture_name, name)))->next;
	while (name && name->is_registered)
		name = name->next;
	return name ? name->name : NULL;
}

UE__PUBLIC void ue_capture_count_sized(const struct ue_capture *capture,
				       struct ue_capture_counts *counts, size_t size)
{
	struct ue_capture_counts found = {
		.size = size < sizeof(found) ? size : sizeof(found),
		.registered = capture->registered,
		.events = capture->events,
		.malformed = capture->malformed,
	};
	for (unsigned i = 0; i < UE_LOSS_REASONS; i++)
		found.lost[i] =
			__atomic_load_n(&capture->page->lost[i], __ATOMIC_RELAXED);
	ue__hand_out(counts, size, &found, sizeof(found));
}
