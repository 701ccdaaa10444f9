/* SPDX-License-Identifier: MIT */
/*
 * Offer a ring to a collector.
 *
 * A program whose kernel has no user_events, or that lacks the right to them, still sends to a
 * collector on the same machine, if USEREVENTS_SOCKET names its socket. Events do not go
 * through the socket: a write would be a system call, and would block or be lost whenever the
 * collector is slow. The program makes a ring in memory, and sends its descriptor. From then on
 * the session is one of a ring like any other (ring/layout.h), and writing to it needs neither
 * the socket nor the collector.
 *
 * The variable counts wherever it is set, also on kernels that have user_events: an operator
 * who sets it wants the events to go there.
 *
 * Whenever the collector comes
 *
 * The session is the program's own, so it has one whether or not a collector runs. A collector
 * that reads a ring says in it when it looked (ue__ring.looked). A write that finds that nobody
 * has for a second or some offers the ring once more: a connection, a packet, and no wait for an
 * answer. So a program needs no thread to find a collector that begins later, or one that
 * follows another, and what it wrote meanwhile is in the ring. It tries less and less often. The
 * socket's queue keeps an offer for a collector that is busy, and one that has the ring
 * already ignores a second offer.
 *
 *	no collector		every 50 ms at first, then every second
 *	a collector that does not look	after 1, 2, 4 and then every 8 seconds
 *
 * A program that writes nothing offers nothing. It needs to once more, as its collector may have
 * been killed before it had read all. So the last offer comes when the session is closed or the
 * process ends. A program that is killed while there is no
 * collector takes along the content of its ring, unless a service manager keeps the rings
 * (doc/collect.md).
 *
 * One process, one ring
 *
 * Each session makes its own. So a program can damage only its own events, and a crash or a flood
 * in one leaves the others alone; its memory is the program's. The children of a fork share the
 * ring of their parent, with pages of their own, and offer it as well. A program that is
 * executed opens a session itself.
 *
 * The library keeps no connection. Daemons close descriptors that they do not know, children
 * inherit them, and the collector would take either for something that it is not. The lock that
 * each writer has on its place in the ring (ring/ring_lock.h) says that a process lives without a
 * descriptor: the kernel drops it when the process is gone.
 *
 * Trust
 *
 * The collector is another process, of another user, and may be stopped, overloaded or
 * replaced by one that is hostile. No call waits for it. The ring is sealed, so that nobody
 * cuts it; when it is full, events are dropped and counted; and nothing in a ring is trusted.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <userevents/abi/ring_socket.h>

#include "descriptor_packet.h"
#include "offer_ring.h"
#include "util/coarse_time.h"

#define MS UINT64_C(1000000)
#define PAUSE_LEAST (50 * MS)
#define PAUSE_MOST (1000 * MS)
#define ANSWER_LEAST (1000 * MS)
#define ANSWER_MOST (8000 * MS)

int ue__offer_make(const char *path, struct ue__offer **offer)
{
	const size_t length = strlen(path);
	struct ue__offer *made;

	if (*path != '/')
		return -EINVAL; /* a later offer may come from another directory */
	if (length >= sizeof(made->address.sun_path))
		return -ENAMETOOLONG;
	made = calloc(1, sizeof(*made));
	if (!made)
		return -ENOMEM;
	made->address.sun_family = AF_UNIX;
	memcpy(made->address.sun_path, path, length);
	*offer = made;
	return 0;
}

/* One attempt */

static int send_to(int socket, const struct sockaddr_un *address, int ring)
{
	static const struct ue_ring_offer packet = { .magic = UE_RING_OFFER_MAGIC };

	if (connect(socket, (const struct sockaddr *)address, sizeof(*address)))
		return -errno;
	return ue__send_descriptor(socket, &packet, sizeof(packet), ring);
}

static int try(const struct sockaddr_un *address, int ring)
{
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int result = fd < 0 ? -errno : send_to(fd, address, ring);

	if (fd >= 0)
		close(fd);
	return result == -EPROTOTYPE ? -ENOTTY : result;
}

/*
 * There is no socket, or nobody listens on it, or not any more; its queue is full, or the
 * user's descriptors in queues are as many as may be, or memory is short.
 */
static int will_pass(int error)
{
	switch (error) {
	case -ENOENT:
	case -ECONNREFUSED:
	case -ECONNRESET:
	case -EPIPE:
	case -EAGAIN:
	case -EINTR:
	case -ETOOMANYREFS:
	case -ENOBUFS:
	case -ENOMEM:
		return 1;
	default:
		return 0;
	}
}

/* Twice as long each time. */
static uint64_t pause_after(uint32_t attempts, uint64_t least, uint64_t most)
{
	const uint64_t pause = least << (attempts < 8 ? attempts : 8);

	return pause < most ? pause : most;
}

int ue__offer_ring(struct ue__offer *offer, int ring)
{
	const uint32_t attempts =
		__atomic_fetch_add(&offer->attempts, 1, __ATOMIC_RELAXED);
	const int result = try(&offer->address, ring);
	const uint64_t pause = result ?
		pause_after(attempts, PAUSE_LEAST, PAUSE_MOST) :
		pause_after(attempts, ANSWER_LEAST, ANSWER_MOST);

	__atomic_store_n(&offer->next, ue__coarse_time() + pause, __ATOMIC_RELAXED);
	return will_pass(result) ? 0 : result;
}

/* When the next one is due */

int ue__offer_is_due(struct ue__offer *offer)
{
	uint64_t next = __atomic_load_n(&offer->next, __ATOMIC_RELAXED);
	const uint64_t now = ue__coarse_time();

	return now >= next &&
	       __atomic_compare_exchange_n(&offer->next, &next, now + PAUSE_MOST, 0,
					   __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}
