/* SPDX-License-Identifier: MIT */
/*
 * A packet socket in place of user_events_data, for unit tests. The test binds events by
 * hand, and each write arrives as one packet. For programs with cmocka and the static
 * library.
 */
#ifndef PACKET_SOCKET_H
#define PACKET_SOCKET_H

#include <stddef.h>
#include <stdint.h>

struct ue_event;

extern int ends[2];		 /* the end to write to, and the end to read from */
extern unsigned char got[16384]; /* the packet that arrived last */

/* Makes the socket. Returns 0 or -1. */
int open_socket(void);
/* For cmocka: close both ends. */
int close_socket(void **state);

/* Binds the event as if it were registered and enabled. payload_max in bytes. */
void listen_to(struct ue_event *event, uint32_t payload_max);

/* Requires a packet with the index. Returns the size of the rest, which is in got. */
size_t receive(void);
void nothing_arrived(void);

#endif
