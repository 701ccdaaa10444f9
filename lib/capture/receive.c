/* SPDX-License-Identifier: MIT */
/*
 * Receive the packets of a capture: remember registrations, return events.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "describe/definition.h"
#include "receive.h"
#include "ring/rules.h"

/* A packet that was read before anybody asked for it. */
struct ue__capture_kept {
	struct ue__capture_kept *next;
	pid_t pid;
	size_t length;
	uint32_t bytes[];
};

/* Registrations */

static void free_source(struct ue__capture_source *source)
{
	if (!source)
		return;
	free(source->fields);
	free(source->definition);
	free(source);
}

static int make_room(struct ue_capture *capture, uint32_t index)
{
	uint32_t max = capture->sources_max ? capture->sources_max : 64;
	struct ue__capture_source **sources;

	while (max <= index)
		max *= 2;
	if (max == capture->sources_max)
		return 0;
	sources = realloc(capture->sources, max * sizeof(struct ue__capture_source *));
	if (!sources)
		return -ENOMEM;
	memset(sources + capture->sources_max, 0,
	       (max - capture->sources_max) * sizeof(struct ue__capture_source *));
	capture->sources = sources;
	capture->sources_max = max;
	return 0;
}

/* The definition is checked by this: -EINVAL for one that is none. */
static int describe(struct ue__capture_source *source, const char *definition)
{
	int count = ue_record_layout_define(&source->format, "user_events", definition,
					    NULL, 0, 0);

	if (count < 0)
		return count;
	source->definition = strdup(definition);
	source->fields = calloc((size_t)count + 1, sizeof(*source->fields));
	if (!source->definition || !source->fields)
		return -ENOMEM;
	ue_record_layout_define(&source->format, "user_events", source->definition,
				source->fields, (size_t)count, 0);
	return 0;
}

static int make_source(struct ue_capture *capture, uint32_t index,
		       const char *definition)
{
	struct ue__capture_source *source = calloc(1, sizeof(*source));
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

void ue__capture_apply_rules(struct ue_capture *capture, uint32_t index)
{
	const struct ue_record_layout *format = &capture->sources[index]->format;

	ue__capture_set_bit(capture->page, index,
			    ue__rules_say(capture->rules, capture->rules_length,
					     format->name,
					     (uint32_t)format->name_length));
}

/* Names */

static int compare_names(const void *a, const void *b)
{
	const struct ue__capture_name *one = a, *other = b;

	return strcmp(one->name, other->name);
}

/* Programs have no more events. Whoever sends more costs no memory. */
#define NAMES_MAX (1u << 16)

static struct ue__capture_name *make_name(struct ue_capture *capture, const char *text,
					  size_t length)
{
	struct ue__capture_name *made = calloc(1, sizeof(*made) + length + 1);
	struct ue__capture_name **found;

	if (!made)
		return NULL;
	memcpy(made->name, text, length);
	found = tsearch(made, &capture->names_tree, compare_names);
	if (!found || *found != made) {
		free(made);
		return found ? *found : NULL;
	}
	if (capture->names == NAMES_MAX) {
		tdelete(made, &capture->names_tree, compare_names);
		free(made);
		return NULL;
	}
	if (capture->last_name)
		capture->last_name->next = made;
	else
		capture->first_name = made;
	capture->last_name = made;
	capture->names++;
	return made;
}

/* Without memory for it, the name is not reported as one that was never registered. */
static void note_name(struct ue_capture *capture, const char *definition,
		      int is_registered)
{
	struct ue__capture_name *name =
		make_name(capture, definition, strcspn(definition, " "));

	if (name)
		name->is_registered |= is_registered;
}

static void leave_node(void *node)
{
	(void)node;
}

static void forget_names(struct ue_capture *capture)
{
	struct ue__capture_name *next;

	tdestroy(capture->names_tree, leave_node);
	for (; capture->first_name; capture->first_name = next) {
		next = capture->first_name->next;
		free(capture->first_name);
	}
}

/* Control packets */

static int is_name(const char *text)
{
	const int length = ue__definition_name(text, NULL);

	return length > 0 && !text[length];
}

static int take_registration(struct ue_capture *capture,
			     const struct ue__capture_packet *packet)
{
	int result = packet->index < UE__CAPTURE_EVENTS ?
			     make_source(capture, packet->index, packet->definition) :
			     -EINVAL;

	if (result)
		return result;
	capture->registered++;
	ue__capture_apply_rules(capture, packet->index);
	note_name(capture, packet->definition, 1);
	return 0;
}

/* 0 or -ENOMEM. */
static int take_control(struct ue_capture *capture, const uint32_t *bytes, size_t length)
{
	const struct ue__capture_packet *packet = (const void *)bytes;
	size_t head = offsetof(struct ue__capture_packet, definition);
	int result = -EINVAL;

	if (length <= head || length > sizeof(*packet) ||
	    strnlen(packet->definition, length - head) != length - head - 1) {
		/* malformed */
	} else if (packet->kind == UE__CAPTURE_REGISTER) {
		result = take_registration(capture, packet);
	} else if (packet->kind == UE__CAPTURE_LIST && is_name(packet->definition)) {
		note_name(capture, packet->definition, 0);
		result = 0;
	}
	if (result && result != -ENOMEM)
		capture->malformed++;
	return result == -ENOMEM ? result : 0;
}

/* Packets */

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

/* If a sandbox denies the ioctl, assume more than any socket can hold. */
uint64_t ue__capture_now(const struct ue_capture *capture)
{
	int waiting;

	if (ioctl(capture->reader, FIONREAD, &waiting))
		waiting = INT32_MAX;
	return capture->received + (uint64_t)waiting;
}

/*
 * The writers' end always has a packet that is not taken. The last of them to close it
 * leaves that as an error, once, before packets that wait.
 */
static ssize_t read_packet(int fd, struct msghdr *message)
{
	/* MSG_TRUNC: the packet's own length. */
	const int flags = MSG_DONTWAIT | MSG_CMSG_CLOEXEC | MSG_TRUNC;
	ssize_t got = recvmsg(fd, message, flags);

	if (got < 0 && errno == ECONNRESET)
		got = recvmsg(fd, message, flags);
	return got;
}

/*
 * 1 with a packet, 0 or -EPIPE. A length of 0 is the end, or an empty packet, which has
 * a sender. Descriptors in packets are not received.
 */
static int receive(struct ue_capture *capture, struct ue__received *packet)
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

	*packet = (struct ue__received){ .bytes = capture->packet };
	if (got < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -EPIPE;
	if (sender_of(&message, &packet->pid) && !got)
		return -EPIPE;
	capture->received += (uint64_t)got;
	if (!(message.msg_flags & MSG_TRUNC))
		packet->length = (size_t)got;
	return 1;
}

/* 1 for an event. Control and malformed packets are consumed here: 0 or -ENOMEM. */
static int sort_out(struct ue_capture *capture, const struct ue__received *packet)
{
	const int is_whole = packet->length >= sizeof(uint32_t);

	if (is_whole && packet->bytes[0] == UE__CAPTURE_CONTROL)
		return take_control(capture, packet->bytes, packet->length);
	if (is_whole && has_source(capture, packet->bytes[0]))
		return 1;
	capture->malformed++;
	return 0;
}

/* The next event from the socket: 1, 0, -EPIPE or -ENOMEM. */
static int next_packet(struct ue_capture *capture, struct ue__received *packet,
		       uint64_t until)
{
	while (capture->received < until) {
		int result = receive(capture, packet);

		if (result != 1)
			return result;
		result = sort_out(capture, packet);
		if (result)
			return result;
	}
	return 0;
}

/* Keep */

static int keep(struct ue_capture *capture, const struct ue__received *packet)
{
	struct ue__capture_kept *kept = malloc(sizeof(*kept) + packet->length);

	if (!kept)
		return -ENOMEM;
	*kept = (struct ue__capture_kept){ .pid = packet->pid, .length = packet->length };
	memcpy(kept->bytes, packet->bytes, packet->length);
	if (capture->last_kept)
		capture->last_kept->next = kept;
	else
		capture->first_kept = kept;
	capture->last_kept = kept;
	return 0;
}

int ue__capture_keep_all(struct ue_capture *capture)
{
	const uint64_t now = ue__capture_now(capture);
	struct ue__received packet;
	int result;

	while ((result = next_packet(capture, &packet, now)) == 1) {
		result = keep(capture, &packet);
		if (result)
			break;
	}
	return result == -ENOMEM ? result : 0;
}

static struct ue__capture_kept *take_kept(struct ue_capture *capture)
{
	struct ue__capture_kept *kept = capture->first_kept;

	if (kept)
		capture->first_kept = kept->next;
	if (!capture->first_kept)
		capture->last_kept = NULL;
	return kept;
}

int ue__capture_take(struct ue_capture *capture, struct ue__received *packet,
		     uint64_t until)
{
	struct ue__capture_kept *kept = take_kept(capture);

	free(capture->current);
	capture->current = kept;
	if (!kept)
		return next_packet(capture, packet, until);
	*packet = (struct ue__received){ kept->bytes, kept->length, kept->pid };
	return 1;
}

void ue__capture_forget(struct ue_capture *capture)
{
	struct ue__capture_kept *kept;

	while ((kept = take_kept(capture)))
		free(kept);
	for (uint32_t i = 0; i < capture->sources_max; i++)
		free_source(capture->sources[i]);
	free(capture->sources);
	free(capture->current);
	forget_names(capture);
}
