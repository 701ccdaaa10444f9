/* SPDX-License-Identifier: MIT */
/* Takes the rings that programs offer at a socket (userevents/abi/ring_socket.h). */
#ifndef UE__TOOLS_COLLECT_DOOR_RING_DOOR_H
#define UE__TOOLS_COLLECT_DOOR_RING_DOOR_H

#include <stdint.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/types.h>

struct door_options {
	const char *path;
	mode_t mode;
	uint64_t rings, rings_of_user; /* at once */
	uint64_t bytes;		       /* the most of each */
	int listener; /* that a service manager made; -1: none */
};

/*
 * Hears of events in the rings of programs that ended while they waited for a place that
 * they did not get.
 */
struct door_losses {
	void (*lost)(void *context, uid_t user, uint64_t events); /* NULL: none does */
	void *context;
};

/* A program with its ring. */
struct door_guest {
	struct door_guest *next;
	int ring;
	dev_t device;
	ino_t inode;
	pid_t pid;	/* of the process that connected; 0: not in this namespace */
	uid_t user;
	char *cgroup;	/* the path of its control group when it connected; "": not known */
	int is_unused;	/* no event came for long */
	int is_kept;	/* the service manager has it, too */
};

struct ring_door;

/* NULL after a message. The options' texts stay the caller's. */
struct ring_door *ring_door_open(const struct door_options *options);
void ring_door_report(struct ring_door *door, const struct door_losses *losses);
/* Its guests end with it; the socket's name is removed if it is still its own. */
void ring_door_close(struct ring_door *door);

/* The next program with its ring; NULL if none is waiting. Never waits. */
struct door_guest *ring_door_next(struct ring_door *door);
/* All that wait lose their places: at the end. */
void ring_door_turn_away(struct ring_door *door);
/* A descriptor to poll(2) for POLLIN; -1 while no program can be let in. */
int ring_door_fd(const struct ring_door *door);
/* One program more may be one too many: so look whether others have gone. */
int ring_door_is_short(const struct ring_door *door);
/* Whether a ring waits for a place. */
int ring_door_has_offers(const struct ring_door *door);

/*
 * A guest whose ring outlived another collector; the ring is the door's now. NULL if it has
 * that ring.
 */
struct door_guest *ring_door_adopt(struct ring_door *door, int ring, pid_t pid, uid_t user,
				   const char *cgroup);
/* Its ring cannot be read: it leaves, and is counted and reported as one that was refused. */
void ring_door_refuse(struct ring_door *door, struct door_guest *guest, const char *why);

/* The first of all guests. */
struct door_guest *ring_door_guests(const struct ring_door *door);

/*
 * Guests now; programs that were refused; those that had no collector for more than a
 * second.
 */
struct door_counts {
	uint64_t guests, refused, late;
};

struct door_counts ring_door_count(const struct ring_door *door);

/*
 * No process has the ring any more, or will have it. If it is unused, and the process that
 * connected has ended, those do not count that have no lock.
 */
int door_guest_is_gone(struct door_guest *guest);
/* Forget it. Its program offers its ring again if that lives on. */
void door_guest_leave(struct ring_door *door, struct door_guest *guest);

/* The socket of a door, by its name. */

/*
 * Listen at a path, with these rights; a socket there that no process listens on is
 * replaced. The descriptor, and the file that has the path; -1 after a message.
 */
int door_listen(const char *path, mode_t mode, struct stat *file);
/* Remove the name, unless it is another file's by now. */
void door_unlisten(const char *path, const struct stat *file);

/* Those at a door that are not in yet: silent connections, and offers without a place. */

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
