/* SPDX-License-Identifier: MIT */
/* A ring from the collector that listens on a socket. */
#ifndef UE__SOCKET_RECEIVE_RING_H
#define UE__SOCKET_RECEIVE_RING_H

/* Both are close-on-exec. */
struct ue__received_ring {
	int ring;	/* a sealed memfd; -errno; -ENOENT: none was asked for */
	int connection; /* to be closed when the ring has a writer; -1: none */
};

/*
 * Ask for a ring; at most a second. The errors are those of ue_open() for USEREVENTS_SOCKET;
 * never -ENOENT. Not under the lock.
 */
struct ue__received_ring ue__receive_ring(const char *path);

#endif
