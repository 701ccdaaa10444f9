/* SPDX-License-Identifier: MIT */
/* Hands out rings to programs that connect to a socket (userevents/abi/ring_socket.h). */
#ifndef UE__TOOLS_COLLECT_DOOR_RING_DOOR_H
#define UE__TOOLS_COLLECT_DOOR_RING_DOOR_H

#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

struct door_options {
	const char *path;
	mode_t mode;
	uint64_t rings, rings_of_user; /* at once */
	uint64_t bytes;		       /* of each */
};

/* A program with its ring. */
struct door_guest {
	struct door_guest *next;
	int ring;
	int connection; /* -1: the program has closed it, and so has its ring or gave up */
	pid_t pid;	/* of the process that connected; 0: not in this namespace */
	uid_t user;
	char *cgroup;	/* the path of its control group when it connected; "": not known */
	int is_unused;	/* no event came for long */
	int is_sent_home; /* its events are disabled, or were to be */
};

struct ring_door;

/* NULL after a message. The options' texts stay the caller's. */
struct ring_door *ring_door_open(const struct door_options *options);
/* Its guests end with it; the socket's name is removed if it is still its own. */
void ring_door_close(struct ring_door *door);

/* The next program that got a ring; NULL if none is waiting. Never waits. */
struct door_guest *ring_door_next(struct ring_door *door);
/* To poll(2) for POLLIN; -1 while no program can be let in. */
int ring_door_fd(const struct ring_door *door);
/* One program more may be one too many: so look whether others have gone. */
int ring_door_is_short(const struct ring_door *door);

/* Guests now, and programs that were refused. */
struct door_counts {
	uint64_t guests, refused;
};

/* A program that got a ring is refused nevertheless: nobody can read it. */
void ring_door_count_refusal(struct ring_door *door);
struct door_counts ring_door_count(const struct ring_door *door);

/*
 * No process has the ring any more, or will have it. If it is unused, and the process that
 * connected has ended, those do not count that have no lock.
 */
int door_guest_is_gone(struct door_guest *guest);
/* Disable its events, so that the program writes no more, and forget it. */
void door_guest_leave(struct ring_door *door, struct door_guest *guest);

/* The socket of a door, by its name. */

#endif
