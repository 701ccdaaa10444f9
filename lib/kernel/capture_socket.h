/* SPDX-License-Identifier: MIT */
/*
 * The socket of a capture: its descriptor, in the place of user_events_data.
 *
 * Events, definitions and enable bits are in a ring (ring/layout.h), in a sealed memfd. The
 * socket, of packets, does the rest:
 *
 *	the ring's descriptor	waits at the writer's end as the first packet; each session
 *				peeks at it and leaves it there
 *	end of file		tells the reader that no process can write any more
 *	a byte			wakes a reader that polls the socket
 *	definitions		of the events that a program's macros define, when it is loaded,
 *				if the reader wants to report those that are never registered
 *
 * The memfd is sealed against shrinking. Neither side trusts the other's packets.
 */
#ifndef UE__KERNEL_CAPTURE_SOCKET_H
#define UE__KERNEL_CAPTURE_SOCKET_H

#include <stdint.h>

/* The first packet is this number, with the descriptor. */
#define UE__CAPTURE_MAGIC 0x70614355u

/* The packet of an event: this number, its definition, a NUL. */
#define UE__CAPTURE_EVENT 0x6e657645u
#define UE__CAPTURE_EVENT_SIZE 512u

struct ue__capture_event_packet {
	uint32_t kind;
	char definition[UE__CAPTURE_EVENT_SIZE];
};

/* Seals that the ring's memfd has at least. */
#define UE__CAPTURE_SEALS (F_SEAL_SHRINK | F_SEAL_GROW)

#endif
