/* SPDX-License-Identifier: MIT */
/*
 * The back end of a capture: the writer's side, with a socket in the kernel's place.
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
#include <sys/syscall.h>
#include <unistd.h>

#include "back_end.h"
#include "capture_page.h"
#include "ring/rules.h"

#define PAGE_BYTES sizeof(struct ue__capture_page)

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

/*
 * The packet has a descriptor, but the kernel cannot install it, or a security module
 * denies it.
 */
static int why_no_descriptor(int fd)
{
	int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);

	if (copy < 0)
		return -EMFILE;
	close(copy);
	return -EACCES;
}

/* A duplicate of the descriptor in the socket's first packet, which stays there. */
static int peek_descriptor(int fd)
{
	union {
		struct cmsghdr header;
		char room[CMSG_SPACE(sizeof(int))];
	} control;
	uint32_t magic = 0;
	struct iovec piece = { &magic, sizeof(magic) };
	struct msghdr message = {
		.msg_iov = &piece,
		.msg_iovlen = 1,
		.msg_control = &control,
		/* for one descriptor; the padding would do for two */
		.msg_controllen = CMSG_LEN(sizeof(int)),
	};
	struct cmsghdr *header;
	int result;

	if (recvmsg(fd, &message, MSG_PEEK | MSG_DONTWAIT | MSG_CMSG_CLOEXEC) < 0)
		return why_no_packet(errno);
	header = CMSG_FIRSTHDR(&message);
	if (!header && message.msg_flags & MSG_CTRUNC)
		return why_no_descriptor(fd);
	if (!header || header->cmsg_level != SOL_SOCKET ||
	    header->cmsg_type != SCM_RIGHTS ||
	    header->cmsg_len != CMSG_LEN(sizeof(int)))
		return -ENOTTY;
	memcpy(&result, CMSG_DATA(header), sizeof(result));
	if (magic == UE__CAPTURE_MAGIC)
		return result;
	close(result);
	return -ENOTTY;
}

/*
 * Code that is not counted as a writer (state/in_flight.c) may test an event at any
 * time. So a page is never unmapped; after its capture it is reused.
 */
struct ue__mapping {
	struct ue__capture_page *page;
	int is_used;
	struct ue__mapping *next;
};

static struct ue__mapping *find_unused(const struct ue__kernel *kernel)
{
	struct ue__mapping *mapping = kernel->mappings;

	while (mapping && mapping->is_used)
		mapping = mapping->next;
	return mapping;
}

/* Reserve address space for a page. */
static struct ue__mapping *make_mapping(struct ue__kernel *kernel)
{
	struct ue__mapping *mapping = malloc(sizeof(*mapping));
	void *page;

	if (!mapping)
		return NULL;
	page = mmap(NULL, PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		    -1, 0);
	if (page == MAP_FAILED) {
		free(mapping);
		return NULL;
	}
	*mapping = (struct ue__mapping){ .page = page, .next = kernel->mappings };
	kernel->mappings = mapping;
	return mapping;
}

static int put_page(struct ue__mapping *mapping, int memory)
{
	int flags = MAP_FIXED | (memory < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED);

	return mmap(mapping->page, PAGE_BYTES, PROT_READ | PROT_WRITE, flags, memory, 0) ==
			       MAP_FAILED ? -errno : 0;
}

/* If the memory could shrink, an access would end the process with SIGBUS. */
static int is_page(int memory)
{
	struct stat file;
	int seals = fcntl(memory, F_GET_SEALS);

	return seals >= 0 && seals & F_SEAL_SHRINK && !fstat(memory, &file) &&
	       (size_t)file.st_size == PAGE_BYTES;
}

static int is_of_this_version(const struct ue__capture_page *page)
{
	return page->magic == UE__CAPTURE_MAGIC && page->version == UE__CAPTURE_VERSION;
}

static int map_page(struct ue__mapping *mapping, int memory)
{
	int result = is_page(memory) ? put_page(mapping, memory) : -ENOTTY;

	if (result)
		return result;
	if (is_of_this_version(mapping->page))
		return 0;
	put_page(mapping, -1);
	return -ENOTTY;
}

static int probe(const struct ue__channel *channel)
{
	return S_ISSOCK(channel->mode);
}

static int map_capture(struct ue__channel *channel, int memory)
{
	struct ue__mapping *mapping = find_unused(channel->kernel);
	int result;

	if (!mapping)
		mapping = make_mapping(channel->kernel);
	result = mapping ? map_page(mapping, memory) : -ENOMEM;
	if (result)
		return result;
	mapping->is_used = 1;
	channel->page = mapping->page;
	return 0;
}

static int attach(struct ue__channel *channel)
{
	int result = check_socket(channel->fd), memory;

	if (result)
		return result;
	memory = peek_descriptor(channel->fd);
	if (memory < 0)
		return memory;
	result = map_capture(channel, memory);
	close(memory);
	return result;
}

/*
 * The page's address stays readable, as a writer may still test a bit there; zeros mean
 * disabled. If no memory can replace the page, the page stays.
 */
static void detach(struct ue__channel *channel)
{
	struct ue__mapping *mapping = channel->kernel->mappings;

	while (mapping && mapping->page != channel->page)
		mapping = mapping->next;
	if (mapping && !put_page(mapping, -1))
		mapping->is_used = 0;
}

/*
 * A consistent copy of the rules. If the reader died while it changed them, the library
 * gives up after this many attempts.
 */
#define LOOKS 1000

static uint32_t copy_rules(const struct ue__capture_page *page, char *rules)
{
	uint32_t length = 0;

	for (int i = 0; i < LOOKS; i++) {
		uint32_t turn = __atomic_load_n(&page->rules_turn, __ATOMIC_ACQUIRE);

		length = __atomic_load_n(&page->rules_length, __ATOMIC_RELAXED);
		if (length > UE__CAPTURE_RULES)
			length = UE__CAPTURE_RULES;
		memcpy(rules, page->rules, length);
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		if (!(turn & 1) &&
		    turn == __atomic_load_n(&page->rules_turn, __ATOMIC_RELAXED))
			break;
	}
	return length;
}

static int is_enabled_at_first(const struct ue__capture_page *page,
			       const struct ue__wanted *wanted)
{
	char rules[UE__CAPTURE_RULES];
	uint32_t length = copy_rules(page, rules);

	return ue__rules_say(rules, length, wanted->definition, wanted->name_length);
}

static int send_registration(int fd, const struct ue__wanted *wanted, uint32_t index)
{
	size_t length = strlen(wanted->definition) + 1;
	struct ue__capture_packet packet = {
		.control = UE__CAPTURE_CONTROL,
		.kind = UE__CAPTURE_REGISTER,
		.index = index,
		.flags = wanted->flags,
	};

	/* checked before: it has at most 511 bytes */
	memcpy(packet.definition, wanted->definition, length);
	length += offsetof(struct ue__capture_packet, definition);
	return send(fd, &packet, length, MSG_NOSIGNAL | MSG_DONTWAIT) < 0 ? -errno : 0;
}

/*
 * Set the bit before sending the packet: once the reader has the packet, it sets the
 * bit by its current rules, and older rules must not overwrite that.
 */
static int register_event(const struct ue__channel *channel,
			  const struct ue__wanted *wanted, struct ue__granted *granted)
{
	struct ue__capture_page *page = channel->page;
	uint32_t index;

	if (__atomic_load_n(&page->next_index, __ATOMIC_RELAXED) >= UE__CAPTURE_EVENTS)
		return -EMFILE;
	index = __atomic_fetch_add(&page->next_index, 1, __ATOMIC_RELAXED);
	if (index >= UE__CAPTURE_EVENTS)
		return -EMFILE;
	ue__capture_set_bit(page, index, is_enabled_at_first(page, wanted));
	granted->write_index = index;
	granted->word = UE_WORD_ASK | UE_WORD_EMPTY | 1u << index % 8;
	granted->status_byte = &page->bits[index / 8];
	return send_registration(channel->fd, wanted, index);
}

/* A capture keeps no event. */
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

static int waits(const struct ue__channel *channel)
{
	int flags = fcntl(channel->fd, F_GETFL);

	return flags >= 0 && !(flags & O_NONBLOCK);
}

/* If another socket has the number by now, its error does not concern the reader. */
static void lost(const struct ue__channel *channel, enum ue_loss reason, int error)
{
	__atomic_fetch_add(&channel->page->lost[reason], 1, __ATOMIC_RELAXED);
	if ((error == -EPIPE || error == -ECONNRESET) && ue__channel_is_open(channel))
		ue__capture_disable_all(channel->page);
}

const struct ue__back_end ue__capture = {
	.abi = UE_ABI_CAPTURE,
	.ignores_names = 1,
	.write_call = SYS_write,
	.probe = probe,
	.attach = attach,
	.register_event = register_event,
	.delete_event = delete_event,
	.has_flag = has_flag,
	.waits = waits,
	.lost = lost,
	.detach = detach,
};

/* Without a session */

static int says_names(int memory)
{
	const size_t size = offsetof(struct ue__capture_page, rules);
	struct ue__capture_page *page;
	int result;

	if (!is_page(memory))
		return 0;
	page = mmap(NULL, size, PROT_READ, MAP_SHARED, memory, 0);
	if (page == MAP_FAILED)
		return 0;
	result = is_of_this_version(page) && page->wants_names;
	munmap(page, size);
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

int ue__capture_list(int fd, const char *name, uint32_t length)
{
	struct ue__capture_packet packet = {
		.control = UE__CAPTURE_CONTROL,
		.kind = UE__CAPTURE_LIST,
	};

	memcpy(packet.definition, name, length); /* at most UE__NAME_MAX bytes */
	length += offsetof(struct ue__capture_packet, definition) + 1;
	return send(fd, &packet, length, MSG_NOSIGNAL) < 0 ? -errno : 0;
}
