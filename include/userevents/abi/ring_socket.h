/* SPDX-License-Identifier: MIT */
/*
 * The socket that USEREVENTS_SOCKET names, as both of its ends see it. Programs need nothing of
 * this: ue_open() does it for them. It is for those who write another collector.
 *
 * A collector listens on a Unix socket of packets (SOCK_SEQPACKET). A program connects and
 * gets one packet, a struct ue_ring_offer. With it comes the descriptor of a ring
 * (SCM_RIGHTS), unless the collector has none for it. The program sends nothing. It
 * closes the connection as soon as it is entered in the ring as a writer.
 *
 * A later version of the library may send a packet before it reads the answer, which says what
 * rings it understands. A collector of this version ignores it, and hands out the ring that all
 * versions understand; so does a later one if no packet comes.
 *
 * So the ring is in use as long as the connection is open, or a process writes to it
 * (ue_ring_info.processes): children that forked write to the ring of their parent, and the
 * locks in a ring say that a process has ended, however that happened.
 *
 * The ring (ring.h) is a memfd, which ue_ring_create(NULL, ...) makes: sealed against
 * shrinking, as an access behind its end would end the program. A ring whose writers wait for
 * the reader is rejected: no program may hang because its collector does. So is one of more
 * than UE_RING_OFFER_BYTES_MOST bytes: who looks for a free page in a full ring visits all of them.
 */
#ifndef USEREVENTS_ABI_RING_SOCKET_H
#define USEREVENTS_ABI_RING_SOCKET_H

#include <stdint.h>

#include <userevents/abi/hide_names.h>

#define UE_RING_OFFER_MAGIC 0x66724555u
#define UE_RING_OFFER_BYTES_MOST (64u << 20)

/* Since 0.1. */
struct ue_ring_offer {
	uint32_t magic;	  /* UE_RING_OFFER_MAGIC */
	uint32_t refusal; /* 0: the ring comes with it; EUSERS: there is none. ue_open() returns
			   * -EUSERS for any other, too. */
};

#include <userevents/abi/restore_names.h>
#endif
