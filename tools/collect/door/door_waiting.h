/* SPDX-License-Identifier: MIT */
/* Those at a door that are not in yet: silent connections, and offers without a place. */
#ifndef UE__TOOLS_COLLECT_DOOR_DOOR_WAITING_H
#define UE__TOOLS_COLLECT_DOOR_DOOR_WAITING_H

#include <stdint.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/types.h>

/* The packet with which a program offers its ring (userevents/abi/ring_socket.h). */

/* The contents of a connection's packet. */
struct ring_offer {
	int ring; /* its descriptor; -1: there is none, or it is none to be read */
	struct stat file; /* if there is a descriptor */
	const char *why;  /* why there is none; NULL: nothing was offered */
};

/* 0, or -EAGAIN: nothing has come yet. bytes: the most that a ring may have. */
int ring_offer_receive(int connection, uint64_t bytes, struct ring_offer *offer);

/* The limit of either kind. */
#define WAITING_MOST 256

enum waiting_kind {
	WAITING_NONE, /* the place is free */
	WAITING_SILENT, /* it has connected, and its packet has not come */
	WAITING_OFFER, /* its ring has come, and waits until another one leaves */
	WAITING_KINDS
};

struct waiting {
	enum waiting_kind kind;
	int connection; /* of a silent one */
	int64_t since;	/* by CLOCK_MONOTONIC */
	int64_t began;	/* when it was accepted, by CLOCK_BOOTTIME */
	struct ucred peer;
	struct ring_offer offer;
	char *cgroup; /* of an offer */
};

struct waiting_list {
	struct waiting places[2 * WAITING_MOST];
	unsigned count[WAITING_KINDS];
};

/*
 * A place for one more of this kind and user. Where no one more may wait, it is that of
 * the oldest one, who is still in it: of the same user, if that has half of all, so
 * that a user's flood makes its own programs come again, and nobody else's.
 */
struct waiting *waiting_place(const struct waiting_list *list, enum waiting_kind kind,
			      uid_t user);
/* The oldest offer; of those later than another one, if there is one. NULL: none. */
struct waiting *waiting_next(struct waiting_list *list, const struct waiting *after);
/* Take the place for one of its kind; a place that is used is cleared first. */
void waiting_set(struct waiting_list *list, struct waiting *place,
		 const struct waiting *one);
/* The place is free. Its descriptors and its text are the caller's. */
void waiting_clear(struct waiting_list *list, struct waiting *place);
/*
 * The events of an offer that will not be read: those in its ring, and lost ones. 0: a
 * process can still write to it, and offers it again.
 */
uint64_t waiting_left(const struct waiting *one);
/* Another process may have got the pid: then it counts as alive. */
int peer_has_ended(pid_t pid);

/* The control group of a process that connected. */

/*
 * Its path in the second version, to be freed; "" if it is not known: /proc hides the
 * process, or it ended, so that its pid may be another one's. connection: to it; since:
 * when that was accepted, by CLOCK_BOOTTIME.
 */
char *peer_cgroup(int connection, pid_t pid, int64_t since);

#endif
