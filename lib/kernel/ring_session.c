/* SPDX-License-Identifier: MIT */
/*
 * The back ends of a ring and of a capture: the writer's side. Both register events in shared
 * memory (ring/layout.h). A ring's descriptor is its file. A capture's is a socket, whose
 * first packet has the descriptor of its memory (capture_socket.h).
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "back_end.h"
#include "capture_socket.h"
#include "ring/events.h"
#include "ring/ring_memory.h"
#include "ring/write/ring_writer.h"
#include "socket/descriptor_packet.h"
#include "tracefs_path.h"

/* Sockets */

static int check_socket(int fd)
{
	int domain, type;
	socklen_t length = sizeof(domain);

	if (getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &length))
		return -errno;
	length = sizeof(type);
	if (getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &length))
		return -errno;
	return domain == AF_UNIX && type == SOCK_SEQPACKET ? 0 : -ENOTTY;
}

/* Is this an error of the socket, or did a sandbox invent it? */
static int why_no_packet(int error)
{
	switch (error) {
	case EAGAIN:
	case ECONNRESET:
	case EINVAL:
	case ENOTCONN:
		return -ENOTTY;
	default:
		return -error;
	}
}

/* A duplicate of the descriptor in the socket's first packet, which stays there. */
static int peek_descriptor(int fd)
{
	uint32_t magic = 0;
	int descriptor, result;

	result = ue__receive_descriptor(fd, &magic, sizeof(magic), MSG_PEEK, &descriptor);
	if (result)
		return why_no_packet(-result);
	if (descriptor >= 0 && magic == UE__CAPTURE_MAGIC)
		return descriptor;
	if (descriptor >= 0)
		close(descriptor);
	return -ENOTTY;
}

/*
 * Enable bits
 *
 * Code that is not counted as a writer (state/in_flight.c) may test an event at any
 * time. So the bits are mapped apart from the ring, and their address stays readable: when
 * the ring is closed, zeros replace them, which mean "disabled", and the next ring gets the
 * address.
 */
struct ue__bits {
	char *map;
	uint8_t *bits;
	int is_used;
	struct ue__bits *next;
};

/* The memory pages of the file that have the bits: where they begin, and their size. */
static size_t bits_begin(void)
{
	return UE__RING_ENABLED_AT & ~((size_t)sysconf(_SC_PAGESIZE) - 1);
}

static size_t bits_size(void)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	const size_t end = UE__RING_ENABLED_AT + UE__RING_EVENTS_MOST / 8;

	return ((end + page - 1) & ~(page - 1)) - bits_begin();
}

/* Reserve address space. */
static struct ue__bits *make_bits(struct ue__kernel *kernel)
{
	struct ue__bits *bits = malloc(sizeof(*bits));
	char *map;

	if (!bits)
		return NULL;
	map = mmap(NULL, bits_size(), PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (map == MAP_FAILED) {
		free(bits);
		return NULL;
	}
	*bits = (struct ue__bits){
		.map = map,
		.bits = (uint8_t *)map + (UE__RING_ENABLED_AT - bits_begin()),
		.next = kernel->bits,
	};
	kernel->bits = bits;
	return bits;
}

static struct ue__bits *find_bits(struct ue__kernel *kernel)
{
	struct ue__bits *bits = kernel->bits;

	while (bits && bits->is_used)
		bits = bits->next;
	return bits ? bits : make_bits(kernel);
}

/* Put the bits of a file, or zeros, in place of the present ones. */
static int put_bits(struct ue__bits *bits, int fd)
{
	const int flags = MAP_FIXED | (fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED);

	return mmap(bits->map, bits_size(), PROT_READ, flags, fd,
		    fd < 0 ? 0 : (off_t)bits_begin()) == MAP_FAILED ? -errno : 0;
}

/* Sessions */

/*
 * If the memory could shrink, an access would end the process with SIGBUS. A memfd can be
 * sealed against that. A file cannot: whoever may write it may cut it (doc/ring.md).
 */
static int may_shrink(int fd)
{
	const int seals = fcntl(fd, F_GET_SEALS);

	return seals >= 0 && !(seals & (F_SEAL_SHRINK | F_SEAL_SEAL));
}

static int attach_ring(struct ue__channel *channel, int fd, int socket)
{
	struct ue__ring_writer *ring = aligned_alloc(_Alignof(struct ue__ring_writer), sizeof(*ring));
	struct ue__bits *bits = ring ? find_bits(channel->kernel) : NULL;
	int result = bits ? ue__ring_attach(ring, fd, socket) : -ENOMEM;

	if (!result) {
		result = put_bits(bits, fd);
		if (result)
			ue__ring_detach(ring);
	}
	if (result) {
		free(ring);
		return result;
	}
	bits->is_used = 1;
	channel->bits = bits;
	channel->ring = ring;
	channel->quick_ring = channel->offer ? NULL : ring;
	return 0;
}

/* Nothing reads from the kernel's file. */
static int probe_ring(const struct ue__channel *channel)
{
	return S_ISREG(channel->mode) && channel->tracefs_error == -ENOTTY &&
	       ue__ring_is_one(channel->fd);
}

static int attach_file(struct ue__channel *channel)
{
	int result = may_shrink(channel->fd) ? -EBADMSG : 0;

	return result ? result : attach_ring(channel, channel->fd, -1);
}

static int probe_socket(const struct ue__channel *channel)
{
	return S_ISSOCK(channel->mode);
}

/* A memory that may be cut is no capture. */
static int attach_memory(struct ue__channel *channel, int memory)
{
	const int seals = fcntl(memory, F_GET_SEALS);

	if (seals < 0 || !(seals & F_SEAL_SHRINK))
		return -ENOTTY;
	return attach_ring(channel, memory, channel->fd);
}

static int attach_socket(struct ue__channel *channel)
{
	int result = check_socket(channel->fd), memory;

	if (result)
		return result;
	memory = peek_descriptor(channel->fd);
	if (memory < 0)
		return memory;
	result = attach_memory(channel, memory);
	close(memory);
	return result;
}

/* If no memory can replace the bits, they stay. */
static void detach(struct ue__channel *channel)
{
	if (!put_bits(channel->bits, -1))
		channel->bits->is_used = 0;
	ue__ring_detach(channel->ring);
	free(channel->ring);
}

/* The bit is set by the rules, before the event is in use. */
static int register_event(const struct ue__channel *channel,
			  const struct ue__wanted *wanted, struct ue__granted *granted)
{
	const int64_t index = ue__ring_define(&channel->ring->memory, wanted->definition,
					      wanted->name_length, wanted->flags);

	if (index < 0)
		return (int)index;
	granted->write_index = (uint32_t)index;
	granted->word = UE__WORD_ASK | UE__WORD_EMPTY | 1u << index % 8;
	granted->status_byte = &channel->bits->bits[index / 8];
	return 0;
}

/*
 * Both have the same bits and events; the child writes into pages of its own, whether
 * or not the program has closed the descriptor.
 */
static int again(const struct ue__channel *channel, int is_in_write)
{
	const int is_file = S_ISREG(channel->mode) && ue__channel_is_open(channel);

	ue__ring_attach_child(channel->ring, is_file ? channel->fd : -1, is_in_write);
	return 1;
}

static void disown(const struct ue__channel *channel)
{
	ue__ring_disown(channel->ring);
}

/* A ring keeps definitions for its readers. */
static int delete_event(const struct ue__channel *channel, const char *name)
{
	(void)channel;
	(void)name;
	return -ENOENT;
}

static int has_flag(const struct ue__channel *channel, uint32_t flag)
{
	(void)channel;
	(void)flag;
	return 1;
}

static void lost(const struct ue__channel *channel, enum ue_loss reason, int error)
{
	(void)error;
	ue__ring_count_loss(channel->ring, reason);
}

#define RING_FUNCTIONS                                                            \
	.ignores_names = 1, .register_event = register_event, .again = again,     \
	.disown = disown, .delete_event = delete_event, .has_flag = has_flag,     \
	.lost = lost, .detach = detach

const struct ue__back_end ue__capture = {
	.abi = UE_ABI_CAPTURE,
	.probe = probe_socket,
	.attach = attach_socket,
	RING_FUNCTIONS,
};

const struct ue__back_end ue__ring_file = {
	.abi = UE_ABI_RING,
	.probe = probe_ring,
	.attach = attach_file,
	RING_FUNCTIONS,
};

/* Functions without a session */

static int says_names(int memory)
{
	const int seals = fcntl(memory, F_GET_SEALS);
	struct ue__ring_memory ring;
	int result;

	if (seals < 0 || !(seals & F_SEAL_SHRINK) || ue__ring_map(&ring, memory))
		return 0;
	result = ring.ring->wants_names != 0;
	ue__ring_unmap(&ring);
	return result;
}

int ue__capture_wants_names(int fd)
{
	int memory = check_socket(fd) ? -1 : peek_descriptor(fd), result;

	if (memory < 0)
		return 0;
	result = says_names(memory);
	close(memory);
	return result;
}

int ue__capture_list(int fd, const char *definition, uint32_t length)
{
	struct ue__capture_event_packet packet = { .kind = UE__CAPTURE_EVENT };

	memcpy(packet.definition, definition, length); /* at most UE__DEFINITION_MAX bytes */
	length += offsetof(struct ue__capture_event_packet, definition) + 1;
	return send(fd, &packet, length, MSG_NOSIGNAL) < 0 ? -errno : 0;
}
