/* SPDX-License-Identifier: MIT */
/* The packet with which a program offers its ring (userevents/abi/ring_socket.h). */
#ifndef UE__TOOLS_COLLECT_DOOR_RING_OFFER_H
#define UE__TOOLS_COLLECT_DOOR_RING_OFFER_H

#include <stdint.h>
#include <sys/stat.h>

/* The contents of a connection's packet. */
struct ring_offer {
	int ring;	  /* its descriptor; -1: there is none, or it is none to be read */
	struct stat file; /* if there is a descriptor */
	const char *why;  /* why there is none; NULL: nothing was offered */
};

/* 0, or -EAGAIN: nothing has come yet. bytes: the most that a ring may have. */
int ring_offer_receive(int connection, uint64_t bytes, struct ring_offer *offer);

#endif
