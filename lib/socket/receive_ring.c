/* SPDX-License-Identifier: MIT */
/*
 * Get a ring from a collector.
 *
 * A program that cannot reach user_events, as its kernel has none or it lacks the right, still
 * sends to a collector on the same machine, if USEREVENTS_SOCKET names its socket. Events do not
 * go through the socket: a write would be a system call, and would block or be lost whenever the
 * collector is slow. The collector makes a ring in memory and hands out its descriptor. From then
 * on the session is one of a ring like any other (ring/layout.h), and writing to it needs neither
 * the socket nor the collector.
 *
 * The variable counts wherever it is set, also on kernels that have user_events: an operator
 * who sets it wants the events to go there. A collector that cannot be reached is an
 * error, and not a reason to write elsewhere.
 *
 * One process, one ring
 *
 * The collector makes a ring for each connection. So a program can damage only its own
 * events, and a crash or a flood in one leaves the others alone. The children of a fork share
 * the ring of their parent, with pages of their own. A program that is executed opens a session
 * itself, and so gets its own ring.
 *
 * The end of a program
 *
 * The library keeps no connection. Daemons close descriptors that they do not know, children
 * inherit them, and the collector would take either for something that it is not. The lock that
 * each writer has on its place in the ring (ring/ring_lock.h) says the same without a
 * descriptor: the kernel drops it when the process is gone. The connection covers only the time
 * until that lock is taken; the collector counts a ring as used while it has either.
 *
 * Trust
 *
 * The collector is another process, of another user, and may be stopped, overloaded or
 * replaced by one that is hostile. It must not do harm to the program:
 *
 *	it does not answer	the call waits for a second, in all: for room in the queue of
 *				the socket, and for the answer. It holds no lock meanwhile, so that
 *				other threads write and fork.
 *	it cuts the memory	a memfd that is not sealed against that is rejected
 *	its ring is huge	a ring of more than UE_RING_OFFER_BYTES_MOST is rejected: a
 *				write that looks for a free page visits all of them.
 *	it never reads		a ring whose writers wait is rejected (UE_RING_WAIT). In
 *				others, events are dropped and counted when it is full.
 *	it sends another file	only a memfd can have seals
 *	it scribbles		nothing in a ring is trusted
 *
 * If the collector ends properly, it disables the events. If it is killed, the program goes on
 * writing until the ring is full, and then counts losses. It does not look for the next
 * collector: that would have to happen in the middle of a write. The next ue_open() does.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include <userevents/abi/ring_socket.h>

#include "descriptor_packet.h"
#include "receive_ring.h"

#define WAIT_MS 1000
#define PAUSE_MS 10
#define SEALS (F_SEAL_SHRINK | F_SEAL_GROW)

static int64_t now_ms(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * (int64_t)1000 + time.tv_nsec / 1000000;
}

/* Connecting */

static int set_path(struct sockaddr_un *address, const char *path)
{
	const size_t length = strlen(path);

	*address = (struct sockaddr_un){ .sun_family = AF_UNIX };
	if (length >= sizeof(address->sun_path))
		return -ENAMETOOLONG;
	memcpy(address->sun_path, path, length);
	return 0;
}

/* ENOENT would go on to the kernel's file, and a socket that nobody made has no listener. */
static int why_not_connected(int error)
{
	if (error == ENOENT)
		return -ECONNREFUSED;
	return error == EPROTOTYPE ? -ENOTTY : -error;
}

/*
 * EAGAIN means that the queue of the listener is full. poll(2) does not wait for room in it,
 * and a connect(2) that does would begin anew after each signal.
 */
static int connect_until(int fd, const struct sockaddr_un *address, int64_t end)
{
	while (connect(fd, (const struct sockaddr *)address, sizeof(*address))) {
		if (errno != EAGAIN && errno != EINTR)
			return why_not_connected(errno);
		if (now_ms() >= end)
			return -ETIMEDOUT;
		poll(NULL, 0, PAUSE_MS);
	}
	return 0;
}

/* The answer */

static int wait_until(int fd, int64_t end)
{
	struct pollfd answer = { .fd = fd, .events = POLLIN };
	int64_t left;
	int count;

	do {
		left = end - now_ms();
		count = poll(&answer, 1, left > 0 ? (int)left : 0);
		if (count < 0 && errno != EINTR)
			return -errno;
	} while (count < 0);
	return count ? 0 : -ETIMEDOUT;
}

/* Only a memfd can have seals, and no other can be cut behind the program's back. */
static int check_memory(int fd)
{
	const int seals = fcntl(fd, F_GET_SEALS);
	struct stat status;

	if (seals < 0 || fstat(fd, &status))
		return -ENOTTY;
	if ((seals & SEALS) != SEALS || status.st_size > (off_t)UE_RING_OFFER_BYTES_MOST)
		return -EBADMSG;
	return 0;
}

static int check_offer(const struct ue_ring_offer *offer, int ring)
{
	if (offer->magic != UE_RING_OFFER_MAGIC)
		return -ENOTTY;
	if (offer->refusal)
		return -EUSERS;
	return ring < 0 ? -ENOTTY : check_memory(ring);
}

/* The ring's descriptor, or -errno. */
static int receive(int fd)
{
	struct ue_ring_offer offer;
	int ring, result;

	result = ue__receive_descriptor(fd, &offer, sizeof(offer), 0, &ring);
	if (result)
		return result;
	result = check_offer(&offer, ring);
	if (!result)
		return ring;
	if (ring >= 0)
		close(ring);
	return result;
}

static int ask(int fd, const struct sockaddr_un *address)
{
	const int64_t end = now_ms() + WAIT_MS;
	int result = connect_until(fd, address, end);

	if (!result)
		result = wait_until(fd, end);
	return result ? result : receive(fd);
}

struct ue__received_ring ue__receive_ring(const char *path)
{
	struct ue__received_ring received = { .connection = -1 };
	struct sockaddr_un address;

	received.ring = set_path(&address, path);
	if (received.ring)
		return received;
	received.connection = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (received.connection < 0) {
		received.ring = -errno;
		return received;
	}
	received.ring = ask(received.connection, &address);
	return received;
}
