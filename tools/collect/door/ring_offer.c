/* SPDX-License-Identifier: MIT */
/*
 * Receives a ring. Whatever it is, it must do no harm to who maps it: only a memfd can be sealed
 * against being cut. Huge pages are none of it, as there may be none left for an access.
 */
#include "ring_offer.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/statfs.h>
#include <unistd.h>
#include <userevents/abi/ring_socket.h>

/* Nor may it grow beyond its limit later, or get seals that keep its pages or its readers out. */
#define SEALS (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)

static int descriptor_in(struct msghdr *message)
{
	const struct cmsghdr *header = CMSG_FIRSTHDR(message);
	int fd = -1;

	if (header && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS &&
	    header->cmsg_len == CMSG_LEN(sizeof(int)))
		memcpy(&fd, CMSG_DATA(header), sizeof(fd));
	return fd;
}

static const char *why_not(const struct ring_offer *offer, uint64_t bytes)
{
	const int seals = fcntl(offer->ring, F_GET_SEALS);
	struct statfs system;

	if (seals < 0 || (seals & SEALS) != SEALS || fstatfs(offer->ring, &system) ||
	    system.f_type != TMPFS_MAGIC)
		return "what it offers is no sealed memory";
	if ((uint64_t)offer->file.st_size > bytes)
		return "its ring is larger than one may be; raise --ring-size, or lower its "
		       "USEREVENTS_RING_SIZE (4M without it)";
	return NULL;
}

/* The kernel drops descriptors that find no number, and says so. */
static void check(struct ring_offer *offer, const struct ue_ring_offer *packet, ssize_t length,
		  int flags, uint64_t bytes)
{
	static const struct linger at_once = { .l_onoff = 1 };

	if (length < (ssize_t)sizeof(*packet) || packet->magic != UE_RING_OFFER_MAGIC)
		offer->why = "it speaks another protocol";
	else if (offer->ring < 0)
		offer->why = flags & MSG_CTRUNC ? strerror(EMFILE) : "it offers no ring";
	else if (fstat(offer->ring, &offer->file))
		offer->why = strerror(errno);
	else
		offer->why = why_not(offer, bytes);
	if (!offer->why || offer->ring < 0)
		return;
	/* Closing the last descriptor of a socket may wait as long as its owner likes. */
	setsockopt(offer->ring, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
	close(offer->ring);
	offer->ring = -1;
}

int ring_offer_receive(int connection, uint64_t bytes, struct ring_offer *offer)
{
	union {
		struct cmsghdr header;
		char room[CMSG_SPACE(sizeof(int))];
	} control;
	struct ue_ring_offer packet;
	struct iovec piece = { &packet, sizeof(packet) };
	struct msghdr message = {
		.msg_iov = &piece,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = CMSG_LEN(sizeof(int)), /* for one: the padding would do for two */
	};
	const ssize_t length = recvmsg(connection, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);

	*offer = (struct ring_offer){ .ring = -1 };
	if (length < 0 && (errno == EAGAIN || errno == EINTR))
		return -EAGAIN;
	if (length <= 0)
		return 0;
	offer->ring = descriptor_in(&message);
	check(offer, &packet, length, message.msg_flags, bytes);
	return 0;
}
