/* SPDX-License-Identifier: MIT */
/*
 * The socket that USEREVENTS_SOCKET names, as both of its ends see it. Programs need nothing of
 * this: ue_open() does it for them. It is for those who write another collector.
 *
 * A collector listens on a Unix socket of packets (SOCK_SEQPACKET). A program makes a ring, is
 * entered in it as a writer, connects, sends one packet, a struct ue_ring_offer, with the
 * descriptor of the ring (SCM_RIGHTS), and closes the connection. It waits for nothing, and
 * nothing is answered. A later version of the library may send a longer packet.
 *
 * A program offers its ring again when no reader has looked at it for some seconds
 * (ue_ring_info.looked; the pass of a capture with UE_CAPTURE_TAKE is a look). So a collector may
 * get a ring that it has, and finds out by the file's device and inode.
 *
 * The ring is in use as long as a process writes to it (ue_ring_info.processes): children that
 * forked write to the ring of their parent, and the locks in a ring say that a process has
 * ended, however that happened. Events that are in it then can still be read.
 *
 * The ring (ring.h) is a memfd, which ue_ring_create(NULL, ...) makes, of at most
 * UE_RING_OFFER_BYTES_MOST bytes. A collector checks that, and its seals: F_SEAL_SHRINK, as an
 * access behind its end would end the collector, F_SEAL_GROW and F_SEAL_SEAL.
 */
#ifndef USEREVENTS_ABI_RING_SOCKET_H
#define USEREVENTS_ABI_RING_SOCKET_H

#include <stdint.h>

#include <userevents/abi/hide_names.h>

enum ue_ring_offer_limits {
	UE_RING_OFFER_MAGIC = 0x66724555,
	UE_RING_OFFER_BYTES_MOST = 64 << 20,
};

/* Since 0.1. */
struct ue_ring_offer {
	uint32_t magic; /* UE_RING_OFFER_MAGIC */
	uint32_t flags; /* 0; those that a collector does not know mean nothing to it */
};

#include <userevents/abi/restore_names.h>
#endif
