/* SPDX-License-Identifier: MIT */
/*
 * The writer's side of a capture, in the place of the kernel.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture_session.h"
#include "describe/definition.h"
#include "connect/event.h"
#include "state/session.h"

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

/* An error of the socket, or one that a sandbox made up? */
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

/* There was one, and the kernel could not install it, or a security module forbids it. */
static int why_no_descriptor(int fd)
{
	int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);

	if (copy < 0)
		return -EMFILE;
	close(copy);
	return -EACCES;
}

/* The descriptor that lies in the socket, a duplicate; it goes on lying there. */
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
 * Whether an event is enabled is asked at any time, by whoever does not count as a writer
 * (state/in_flight.c). So a page is never unmapped, and one that is over is used again.
 */
struct mapping {
	struct ue__capture_page *page;
	int is_used;
	struct mapping *next;
};

static struct mapping *mappings;

static struct mapping *find_unused(void)
{
	struct mapping *mapping = mappings;

	while (mapping && mapping->is_used)
		mapping = mapping->next;
	return mapping;
}

/* Address space that nothing else gets. */
static struct mapping *make_mapping(void)
{
	struct mapping *mapping = malloc(sizeof(*mapping));
	void *page;

	if (!mapping)
		return NULL;
	page = mmap(NULL, PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		    -1, 0);
	if (page == MAP_FAILED) {
		free(mapping);
		return NULL;
	}
	*mapping = (struct mapping){ .page = page, .next = mappings };
	mappings = mapping;
	return mapping;
}

static int put_page(struct mapping *mapping, int memory)
{
	int flags = MAP_FIXED | (memory < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED);

	return mmap(mapping->page, PAGE_BYTES, PROT_READ | PROT_WRITE, flags, memory, 0) ==
			       MAP_FAILED ? -errno : 0;
}

/* Memory whose size can change under us would end the process. */
static int is_page(int memory)
{
	struct stat file;
	int seals = fcntl(memory, F_GET_SEALS);

	return seals >= 0 && seals & F_SEAL_SHRINK && !fstat(memory, &file) &&
	       (size_t)file.st_size == PAGE_BYTES;
}

static int map_page(struct mapping *mapping, int memory)
{
	int result = is_page(memory) ? put_page(mapping, memory) : -ENOTTY;

	if (result)
		return result;
	if (mapping->page->magic == UE__CAPTURE_MAGIC &&
	    mapping->page->version == UE__CAPTURE_VERSION)
		return 0;
	put_page(mapping, -1);
	return -ENOTTY;
}

int ue__capture_attach(int fd, struct ue__capture_page **page)
{
	struct mapping *mapping = find_unused();
	int result = check_socket(fd), memory;

	if (result)
		return result;
	memory = peek_descriptor(fd);
	if (memory < 0)
		return memory;
	if (!mapping)
		mapping = make_mapping();
	result = mapping ? map_page(mapping, memory) : -ENOMEM;
	close(memory);
	if (result)
		return result;
	mapping->is_used = 1;
	*page = mapping->page;
	return 0;
}

/* Should there be no memory to put in its place, the page stays. */
void ue__capture_detach(struct ue__capture_page *page)
{
	struct mapping *mapping = mappings;

	while (mapping->page != page)
		mapping = mapping->next;
	if (!put_page(mapping, -1))
		mapping->is_used = 0;
}

/*
 * The rules, as they were at some moment. A reader that died amid a change is waited
 * for no longer than this many looks.
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
			       const char *definition)
{
	char rules[UE__CAPTURE_RULES];
	uint32_t length = copy_rules(page, rules);

	return ue__capture_rule(rules, length, definition,
				(uint32_t)ue__definition_name(definition, NULL));
}

static int send_registration(int fd, const struct ue__registration *r, uint32_t index)
{
	size_t length = strlen(r->definition) + 1;
	struct ue__capture_packet packet = {
		.control = UE__CAPTURE_CONTROL,
		.kind = UE__CAPTURE_REGISTER,
		.index = index,
		.flags = r->event->flags,
	};

	/* checked before: it has at most 511 bytes */
	memcpy(packet.definition, r->definition, length);
	length += offsetof(struct ue__capture_packet, definition);
	return send(fd, &packet, length, MSG_NOSIGNAL | MSG_DONTWAIT) < 0 ? -errno : 0;
}

/* As the kernel refuses them, among the events of this session. */
static int is_name_in_use(const struct ue__session *session,
			  const struct ue__registration *added)
{
	const struct ue__registration *r =
		ue__registration_with(UE__BY_NAME, added->name);

	for (; r; r = ue__registration_next(r, UE__BY_NAME))
		if (r->session == session &&
		    ue__is_same_name(r->definition, added->definition) &&
		    strcmp(r->definition, added->definition))
			return !(added->event->flags & UE_EVENT_MULTI_FORMAT);
	return 0;
}

/*
 * The bit first: once the reader has the packet it sets the bit as its rules are then,
 * and nobody may set it as they were before.
 */
int ue__capture_register(struct ue__session *session, const struct ue__registration *r,
			 uint32_t *write_index)
{
	struct ue__capture_page *page = session->capture;
	uint32_t index;
	int result;

	if (is_name_in_use(session, r))
		return -EADDRINUSE;
	if (__atomic_load_n(&page->next_index, __ATOMIC_RELAXED) >= UE__CAPTURE_EVENTS)
		return -EMFILE;
	index = __atomic_fetch_add(&page->next_index, 1, __ATOMIC_RELAXED);
	if (index >= UE__CAPTURE_EVENTS)
		return -EMFILE;
	ue__capture_set_bit(page, index, is_enabled_at_first(page, r->definition));
	result = send_registration(session->fd, r, index);
	if (!result)
		*write_index = index;
	return result;
}

int ue__capture_waits(int fd)
{
	int flags = fcntl(fd, F_GETFL);

	return flags >= 0 && !(flags & O_NONBLOCK);
}

/* Meanwhile another thread may close the session; then the next attempt finds it gone. */
#define WAIT_MS 100

void ue__capture_wait(int fd)
{
	struct pollfd until = { .fd = fd, .events = POLLOUT };

	poll(&until, 1, WAIT_MS);
}
