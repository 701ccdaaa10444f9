/* SPDX-License-Identifier: MIT */
/*
 * Send and receive a descriptor over a Unix socket.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "descriptor_packet.h"

/*
 * The packet has a descriptor, but the kernel cannot install it, or a security module
 * denies it.
 */
static int why_no_descriptor(int socket)
{
	int copy = fcntl(socket, F_DUPFD_CLOEXEC, 0);

	if (copy < 0)
		return -EMFILE;
	close(copy);
	return -EACCES;
}

static int find_descriptor(int socket, struct msghdr *message, int *descriptor)
{
	const struct cmsghdr *header = CMSG_FIRSTHDR(message);

	*descriptor = -ENOENT;
	if (!header)
		return message->msg_flags & MSG_CTRUNC ? why_no_descriptor(socket) : 0;
	if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS ||
	    header->cmsg_len != CMSG_LEN(sizeof(int)))
		return -ENOTTY;
	memcpy(descriptor, CMSG_DATA(header), sizeof(*descriptor));
	return 0;
}

int ue__receive_descriptor(int socket, void *packet, size_t size, int flags, int *descriptor)
{
	union {
		struct cmsghdr header;
		char room[CMSG_SPACE(sizeof(int))];
	} control;
	struct iovec piece = { packet, size };
	struct msghdr message = {
		.msg_iov = &piece,
		.msg_iovlen = 1,
		.msg_control = &control,
		/* for one descriptor; the padding would do for two */
		.msg_controllen = CMSG_LEN(sizeof(int)),
	};
	const ssize_t length =
		recvmsg(socket, &message, flags | MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	int result;

	if (length <= 0)
		return length ? -errno : -ECONNRESET;
	result = find_descriptor(socket, &message, descriptor);
	if (!result && (size_t)length < size)
		result = -ENOTTY;
	if (result && *descriptor >= 0)
		close(*descriptor);
	return result;
}

int ue__send_descriptor(int socket, const void *packet, size_t size, int descriptor)
{
	union {
		struct cmsghdr header;
		char room[CMSG_SPACE(sizeof(int))];
	} control = { .header = {
		.cmsg_len = CMSG_LEN(sizeof(int)),
		.cmsg_level = SOL_SOCKET,
		.cmsg_type = SCM_RIGHTS,
	} };
	struct iovec piece = { (void *)(uintptr_t)packet, size };
	const struct msghdr message = {
		.msg_iov = &piece,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control),
	};

	memcpy(CMSG_DATA(&control.header), &descriptor, sizeof(descriptor));
	return sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT) < 0 ? -errno : 0;
}
