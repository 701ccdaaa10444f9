/* SPDX-License-Identifier: MIT */
/* Packets of a Unix socket that carry a descriptor. */
#ifndef UE__SOCKET_DESCRIPTOR_PACKET_H
#define UE__SOCKET_DESCRIPTOR_PACKET_H

#include <stddef.h>

/*
 * Receive a packet that is at least size bytes, and the descriptor that comes with it, which
 * is close-on-exec. Never waits. flags: of recvmsg(2).
 *
 * Returns 0 and sets *descriptor, to -ENOENT if there is none; or
 *   -ENOTTY  the packet is smaller, or has something else with it;
 *   -EMFILE  the process may have no more descriptors;
 *   -EACCES  a security module denies it this one;
 *   -ECONNRESET  no packet can come any more, or it is empty;
 *   and errors of recvmsg(2): -EAGAIN.
 */
int ue__receive_descriptor(int socket, void *packet, size_t size, int flags, int *descriptor);

/* Send a packet with a descriptor. Never waits. 0 or an error of sendmsg(2). */
int ue__send_descriptor(int socket, const void *packet, size_t size, int descriptor);

#endif
