/* SPDX-License-Identifier: MIT */
/*
 * The reader's side of a capture; see capture_page.h.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <userevents/capture.h>

#include "capture_page.h"
#include "errno_guard.h"
#include "sized_struct.h"

#define FLAGS (UE_CAPTURE_WAIT | UE_CAPTURE_DISABLED)
#define BUFFER_DEFAULT (16u << 20)
#define PAGE_BYTES sizeof(struct ue__capture_page)
#define GLOB_MAX 255

/* No packet of the library is larger: an index and UE_PAYLOAD_MAX_PERF bytes. */
#define PACKET_MAX 16384

/* A registered event; fields are counted before there is memory for them. */
struct source {
	struct ue_record_format format;
	struct ue_record_field *fields;
	char *definition;
};

/* A packet that was read before anybody asked for it. */
struct kept {
	struct kept *next;
	pid_t pid;
	size_t length;
	uint32_t bytes[];
};

struct ue_capture {
	int reader;
	int writer; /* -1 once closed */
	struct ue__capture_page *page;
	struct source **sources; /* by index */
	uint32_t sources_max;
	uint32_t rules_length;
	char rules[UE__CAPTURE_RULES]; /* those of the page, where others may write */
	struct kept *first_kept, *last_kept;
	struct kept *current; /* of the event that was handed out */
	uint64_t registered, events, malformed;
	char *line;
	size_t line_size;
	uint32_t packet[PACKET_MAX / sizeof(uint32_t)];
};

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

static int map_page(struct ue_capture *capture, int memory)
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

static int open_page(struct ue_capture *capture)
{
	int result, memory = memfd_create("userevents-capture",
					  MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (memory < 0)
		return -errno;
	result = map_page(capture, memory);
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
	length = ue__capture_add_rule(rules, capture->rules_length, sizeof(rules), sign,
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
	int result = open_sockets(capture, opts);

	if (!result)
		result = open_page(capture);
	return result ? result :
			change_rules(capture, opts->flags & UE_CAPTURE_DISABLED ? '-' : '+',
				     "*");
}

UE_API int ue_capture_open(const struct ue_capture_opts *opts,
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

static void free_source(struct source *source)
{
	if (!source)
		return;
	free(source->fields);
	free(source->definition);
	free(source);
}

static struct kept *take_kept(struct ue_capture *capture)
{
	struct kept *kept = capture->first_kept;

	if (kept)
		capture->first_kept = kept->next;
	if (!capture->first_kept)
		capture->last_kept = NULL;
	return kept;
}

static void close_end(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

UE_API void ue_capture_close(struct ue_capture *capture)
{
	UE__KEEP_ERRNO;
	struct kept *kept;

	if (!capture)
		return;
	close_end(&capture->writer);
	close_end(&capture->reader);
	if (capture->page)
		munmap(capture->page, PAGE_BYTES);
	while ((kept = take_kept(capture)))
		free(kept);
	for (uint32_t i = 0; i < capture->sources_max; i++)
		free_source(capture->sources[i]);
	free(capture->sources);
	free(capture->current);
	free(capture->line);
	free(capture);
}

UE_API int ue_capture_fd(const struct ue_capture *capture)
{
	return capture->writer < 0 ? -EBADF : capture->writer;
}

UE_API int ue_capture_close_fd(struct ue_capture *capture)
{
	UE__KEEP_ERRNO;

	if (capture->writer < 0)
		return -EBADF;
	close_end(&capture->writer);
	return 0;
}

UE_API int ue_capture_wait_fd(const struct ue_capture *capture)
{
	return capture->reader;
}

/* Registrations */

static int make_room(struct ue_capture *capture, uint32_t index)
{
	uint32_t max = capture->sources_max ? capture->sources_max : 64;
	struct source **sources;

	while (max <= index)
		max *= 2;
	if (max == capture->sources_max)
		return 0;
	sources = realloc(capture->sources, max * sizeof(struct source *));
	if (!sources)
		return -ENOMEM;
	memset(sources + capture->sources_max, 0,
	       (max - capture->sources_max) * sizeof(struct source *));
	capture->sources = sources;
	capture->sources_max = max;
	return 0;
}

/* The definition is checked by this: -EINVAL for one that is none. */
static int describe(struct source *source, const char *definition)
{
	int count = ue_record_format_define(&source->format, "user_events", definition,
					    NULL, 0, 0);

	if (count < 0)
		return count;
	source->definition = strdup(definition);
	source->fields = calloc((size_t)count + 1, sizeof(*source->fields));
	if (!source->definition || !source->fields)
		return -ENOMEM;
	ue_record_format_define(&source->format, "user_events", source->definition,
				source->fields, (size_t)count, 0);
	return 0;
}

static int make_source(struct ue_capture *capture, uint32_t index,
		       const char *definition)
{
	struct source *source = calloc(1, sizeof(*source));
	int result = source ? describe(source, definition) : -ENOMEM;

	if (!result)
		result = make_room(capture, index);
	if (!result && capture->sources[index])
		result = -EINVAL;
	if (result)
		free_source(source);
	else
		capture->sources[index] = source;
	return result;
}

/* Its bit as the rules are now: they may have changed since it was registered. */
static void apply_rules(struct ue_capture *capture, uint32_t index)
{
	const struct ue_record_format *format = &capture->sources[index]->format;

	ue__capture_set_bit(capture->page, index,
			    ue__capture_rule(capture->rules, capture->rules_length,
					     format->name,
					     (uint32_t)format->name_length));
}

/* 0 or -ENOMEM. */
static int take_control(struct ue_capture *capture, const uint32_t *bytes, size_t length)
{
	const struct ue__capture_packet *packet = (const void *)bytes;
	size_t head = offsetof(struct ue__capture_packet, definition);
	int result = -EINVAL;

	if (length > head && length <= sizeof(*packet) &&
	    packet->kind == UE__CAPTURE_REGISTER &&
	    packet->index < UE__CAPTURE_EVENTS &&
	    strnlen(packet->definition, length - head) == length - head - 1)
		result = make_source(capture, packet->index, packet->definition);
	if (!result) {
		capture->registered++;
		apply_rules(capture, packet->index);
	} else if (result != -ENOMEM) {
		capture->malformed++;
	}
	return result == -ENOMEM ? result : 0;
}

/* Packets */

struct packet {
	const uint32_t *bytes;
	size_t length;
	pid_t pid;
};

static int has_source(const struct ue_capture *capture, uint32_t index)
{
	return index < capture->sources_max && capture->sources[index];
}

/* The sender, as the kernel says. 0, or -ENOENT: there is no packet at all. */
static int sender_of(struct msghdr *message, pid_t *pid)
{
	struct cmsghdr *header = CMSG_FIRSTHDR(message);
	struct ucred sender;

	for (; header; header = CMSG_NXTHDR(message, header)) {
		if (header->cmsg_level != SOL_SOCKET ||
		    header->cmsg_type != SCM_CREDENTIALS)
			continue;
		memcpy(&sender, CMSG_DATA(header), sizeof(sender));
		*pid = sender.pid;
		return 0;
	}
	return -ENOENT;
}

/*
 * The writers' end always has a packet that is not taken. The last of them to close it
 * leaves that as an error, once, before what is still to be read.
 */
static ssize_t read_packet(int fd, struct msghdr *message)
{
	ssize_t got = recvmsg(fd, message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);

	if (got < 0 && errno == ECONNRESET)
		got = recvmsg(fd, message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	return got;
}

/*
 * 1 with a packet, 0 or -EPIPE. A length of 0 is the end, or an empty packet, which has
 * a sender. Descriptors that somebody sends are not taken.
 */
static int receive(struct ue_capture *capture, struct packet *packet)
{
	union {
		struct cmsghdr header;
		char room[CMSG_SPACE(sizeof(struct ucred))];
	} control;
	struct iovec piece = { capture->packet, sizeof(capture->packet) };
	struct msghdr message = {
		.msg_iov = &piece,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control),
	};
	ssize_t got = read_packet(capture->reader, &message);

	*packet = (struct packet){ .bytes = capture->packet };
	if (got < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -EPIPE;
	if (sender_of(&message, &packet->pid) && !got)
		return -EPIPE;
	if (!(message.msg_flags & MSG_TRUNC))
		packet->length = (size_t)got;
	return 1;
}

/*
 * The next event from the socket: 1, 0, -EPIPE or -ENOMEM. What is no event is dealt
 * with on the way.
 */
static int next_packet(struct ue_capture *capture, struct packet *packet)
{
	int result;

	while ((result = receive(capture, packet)) == 1) {
		if (packet->length < sizeof(uint32_t)) {
			capture->malformed++;
			continue;
		}
		if (packet->bytes[0] == UE__CAPTURE_CONTROL) {
			result = take_control(capture, packet->bytes, packet->length);
			if (result)
				return result;
			continue;
		}
		if (has_source(capture, packet->bytes[0]))
			return 1;
		capture->malformed++;
	}
	return result;
}

static int keep(struct ue_capture *capture, const struct packet *packet)
{
	struct kept *kept = malloc(sizeof(*kept) + packet->length);

	if (!kept)
		return -ENOMEM;
	*kept = (struct kept){ .pid = packet->pid, .length = packet->length };
	memcpy(kept->bytes, packet->bytes, packet->length);
	if (capture->last_kept)
		capture->last_kept->next = kept;
	else
		capture->first_kept = kept;
	capture->last_kept = kept;
	return 0;
}

/* Read all there is, so that every registered event is known. */
static int keep_all(struct ue_capture *capture)
{
	struct packet packet;
	int result;

	while ((result = next_packet(capture, &packet)) == 1) {
		result = keep(capture, &packet);
		if (result)
			break;
	}
	return result == -ENOMEM ? result : 0;
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
		result = keep_all(capture);
	for (uint32_t i = 0; !result && i < capture->sources_max; i++)
		if (capture->sources[i])
			apply_rules(capture, i);
	return result;
}

UE_API int ue_capture_enable(struct ue_capture *capture, const char *glob)
{
	UE__KEEP_ERRNO;

	return change(capture, '+', glob);
}

UE_API int ue_capture_disable(struct ue_capture *capture, const char *glob)
{
	UE__KEEP_ERRNO;

	return change(capture, '-', glob);
}

/* Read */

static int take(struct ue_capture *capture, struct packet *packet)
{
	struct kept *kept = take_kept(capture);

	free(capture->current);
	capture->current = kept;
	if (!kept)
		return next_packet(capture, packet);
	*packet = (struct packet){ kept->bytes, kept->length, kept->pid };
	return 1;
}

UE_API int ue_capture_next(struct ue_capture *capture, struct ue_captured *event)
{
	UE__KEEP_ERRNO;
	struct packet packet;
	int result = take(capture, &packet);

	if (result != 1)
		return result;
	capture->events++;
	*event = (struct ue_captured){
		.format = &capture->sources[packet.bytes[0]]->format,
		.bytes = packet.bytes + 1,
		.length = packet.length - sizeof(uint32_t),
		.pid = packet.pid,
		.index = packet.bytes[0],
	};
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

UE_API const char *ue_capture_line(struct ue_capture *capture)
{
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

UE_API int ue_capture_skip(struct ue_capture *capture)
{
	struct ue_captured event;
	int result, count = 0;

	while ((result = ue_capture_next(capture, &event)) == 1)
		count++;
	return result == -ENOMEM ? result : count;
}

static int is_named(const struct ue_item *item, const char *name)
{
	return item->name_length == strlen(name) &&
	       !memcmp(item->name, name, item->name_length);
}

static int find_in_eventheader(const struct ue_captured *event, const char *name,
			       struct ue_item *item)
{
	struct ue_reader reader;
	int kind = ue_reader_begin(&reader, event->format->name,
				   event->format->name_length, event->bytes,
				   event->length, NULL);

	if (kind)
		return kind;
	while ((kind = ue_reader_next_sibling(&reader)) > 0)
		if (is_named(&reader.item, name)) {
			*item = reader.item;
			return kind;
		}
	return kind ? kind : -ENOENT;
}

UE_API int ue_captured_field(const struct ue_captured *event, const char *name,
			     struct ue_item *item)
{
	const struct ue_record_format *format = event->format;
	struct ue_item found;

	if (format->is_eventheader)
		return find_in_eventheader(event, name, item);
	for (uint32_t i = 0; i < format->field_count; i++) {
		int kind = ue_record_item(format, i, event->bytes, event->length, &found);

		if (!is_named(&found, name))
			continue;
		if (kind > 0)
			*item = found;
		return kind;
	}
	return -ENOENT;
}

UE_API void ue_capture_count(const struct ue_capture *capture,
			     struct ue_capture_counts *counts)
{
	*counts = (struct ue_capture_counts){
		.registered = capture->registered,
		.events = capture->events,
		.lost = __atomic_load_n(&capture->page->lost, __ATOMIC_RELAXED),
		.malformed = capture->malformed,
	};
}
