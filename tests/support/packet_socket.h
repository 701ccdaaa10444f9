/* SPDX-License-Identifier: MIT */
/*
 * A packet socket in the place of user_events_data, for unit tests: bindings of events
 * are made by hand, and what is written arrives in one piece. For programs with cmocka
 * and the static library.
 */
#ifndef PACKET_SOCKET_H
#define PACKET_SOCKET_H

#include <stddef.h>
#include <stdint.h>

struct ue_event;

extern int ends[2];		 /* to write to, and where it arrives */
extern unsigned char got[16384]; /* the packet that arrived last */

/* Make the socket: 0 or -1. */
int open_socket(void);
/* For cmocka: close both ends. */
int close_socket(void **state);

/* As if the event were registered, and somebody listened. payload_max in bytes. */
void listen_to(struct ue_event *event, uint32_t payload_max);

/* A packet has to be there, with the index: the size of what is behind that in got. */
size_t receive(void);
void nothing_arrived(void);

#endif
