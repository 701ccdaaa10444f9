/* SPDX-License-Identifier: MIT */
/*
 * Lets programs in, with the rings that they offer.
 *
 * A program makes a ring in memory, connects, sends its descriptor in one packet and closes the
 * connection. From then on it writes to memory that it shares with the collector alone. No
 * event goes through the socket. So the socket is needed for a moment in the life of a
 * program, and the door does nothing but accept, count and keep. It never waits. A program whose
 * ring nobody looks at offers it again: so one that is refused comes back, one that came
 * before the collector is not lost, and nothing has to be said to any of them.
 *
 * When does a ring end?
 *
 * A process uses it exactly as long as it holds a lock in it, which the kernel drops when the
 * process is gone: killed, executed or ended, and its children have locks of their own. So a
 * ring ends when no lock is held (ue_ring_info.processes); what is in it then is all that will
 * ever be in it. A process that cannot lock (a chroot without /proc) is found gone by its pid,
 * if it is of the collector's pid namespace; else it counts as alive. But any program may
 * store a process without a lock into its ring, with a pid that lives for ever. So these keep a
 * ring only while events come, or the process that connected lives; it counts as alive if the
 * collector's pid namespace does not have it.
 *
 * Trust
 *
 * Any program that may connect may be hostile. It has its own ring, whose memory the reader
 * trusts in nothing, and which is sealed, so that it cannot be cut (ring_offer.c). What
 * remains is to take too much:
 *
 *	rings		limited in all, and for each user
 *	memory		that of the rings, which are its own and no larger than the collector
 *			says; programs are charged for pages that they write
 *	attention	the reader takes turns; a flood overflows its own ring; connections
 *			that wait are few, and the oldest makes room
 *	definitions	the reader copies and parses them: limited for each user
 *			(ring_source.c)
 *
 * A user who may use the ids of many others (user_namespaces(7)) has the limits of all of
 * them. Where that matters, the rights of the socket (--socket-mode) admit a group alone.
 */
#include "ring_door.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <userevents/ring.h>

#include "common/cli/clock.h"
#include "common/cli/memory.h"
#include "common/cli/message.h"
#include "door_socket.h"
#include "ring_offer.h"

#define SECOND ((int64_t)1000000000)
/* Refusals are reported no more often than this. */
#define SILENCE (60 * SECOND)
/* Refused programs that come again and again must not keep the collector from its work. */
#define AT_ONCE 64
/* Connections that wait: their packet has not come, or there is no place for their ring. */
#define WAITING_MOST 256
/* One that waits for a place for so long is refused, and goes on waiting. */
#define WAIT SECOND
/* A program that is refused comes again; it is counted once as long as it is among these. */
#define REFUSED_KEPT 1024
/* A ring that is older when a collector first sees it comes late. */
#define LATE SECOND

struct refused {
	pid_t pid;
	uid_t user;
	ino_t inode; /* 0: no ring came */
};

struct waiting {
	int connection; /* -1: none */
	int64_t since;	/* by CLOCK_MONOTONIC */
	struct ucred peer;
};

struct ring_door {
	struct door_options options;
	int listener;
	int64_t began; /* by the wall clock */
	struct stat file; /* that had the socket's path */
	struct door_guest *guests;
	struct door_counts counts; /* but for the guests */
	struct waiting waiting[WAITING_MOST]; /* in turns */
	unsigned next_waiting;
	struct refused last_refused[REFUSED_KEPT];
	unsigned next_refused;
	int64_t next_complaint, next_late; /* of CLOCK_MONOTONIC */
	int64_t closed_until; /* no descriptor is left to accept with */
};

/* Beginning */

struct ring_door *ring_door_open(const struct door_options *options)
{
	struct ring_door *door = xcalloc(1, sizeof(*door));

	door->options = *options;
	door->began = clock_now(CLOCK_REALTIME);
	for (unsigned i = 0; i < WAITING_MOST; i++)
		door->waiting[i].connection = -1;
	door->listener = options->listener >= 0 ?
		options->listener : door_listen(options->path, options->mode, &door->file);
	if (door->listener < 0) {
		free(door);
		return NULL;
	}
	return door;
}

/* Refusing */

static int was_refused(const struct ring_door *door, const struct refused *one)
{
	for (unsigned i = 0; i < REFUSED_KEPT && i < door->next_refused; i++)
		if (door->last_refused[i].pid == one->pid &&
		    door->last_refused[i].user == one->user &&
		    door->last_refused[i].inode == one->inode)
			return 1;
	return 0;
}

static void refuse(struct ring_door *door, const struct refused *one, const char *why)
{
	const int64_t now = clock_now(CLOCK_MONOTONIC);

	if (was_refused(door, one))
		return;
	door->last_refused[door->next_refused++ % REFUSED_KEPT] = *one;
	door->counts.refused++;
	if (now < door->next_complaint)
		return;
	door->next_complaint = now + SILENCE;
	message("cannot read the ring of process %d of user %u: %s", (int)one->pid,
		(unsigned)one->user, why);
}

void ring_door_refuse(struct ring_door *door, struct door_guest *guest, const char *why)
{
	const struct refused one = { guest->pid, guest->user, guest->inode };

	refuse(door, &one, why);
	door_guest_leave(door, guest);
}

static const char *why_not(const struct ring_door *door, uid_t user)
{
	uint64_t all = 0, of_user = 0;

	for (const struct door_guest *guest = door->guests; guest; guest = guest->next) {
		all++;
		of_user += guest->user == user;
	}
	if (all >= door->options.rings)
		return "there are as many as there may be; raise --socket-rings";
	if (of_user >= door->options.rings_of_user)
		return "the user has as many as one may have; raise --rings-per-user";
	return NULL;
}

/* Letting in */

/* The path in the second version: a line "0::PATH". */
static char *find_cgroup(pid_t pid)
{
	char *path = xprintf("/proc/%d/cgroup", (int)pid), *line = NULL, *cgroup = NULL;
	FILE *file = fopen(path, "re");
	size_t size = 0;

	free(path);
	while (file && !cgroup && getline(&line, &size, file) > 0)
		if (!strncmp(line, "0::", 3))
			cgroup = xstrndup(line + 3, strcspn(line + 3, "\n"));
	free(line);
	if (file)
		fclose(file);
	return cgroup ? cgroup : xstrdup("");
}

static struct door_guest *add(struct ring_door *door, const struct ring_offer *offer,
			      const struct ucred *peer, char *cgroup)
{
	struct door_guest *guest = xcalloc(1, sizeof(*guest));

	*guest = (struct door_guest){
		.next = door->guests,
		.ring = offer->ring,
		.device = offer->file.st_dev,
		.inode = offer->file.st_ino,
		.pid = peer->pid,
		.user = peer->uid,
		.cgroup = cgroup,
	};
	door->guests = guest;
	return guest;
}

/* Nothing that it wrote is lost yet, but for what its ring had no room for. */
static void count_late(struct ring_door *door, const struct door_guest *guest)
{
	const int64_t now = clock_now(CLOCK_MONOTONIC);
	struct ue_ring_info info;
	int64_t age;

	/* One that was made since has waited for a place. */
	if (ue_ring_info(guest->ring, &info) || info.looked || info.created >= door->began)
		return;
	age = clock_now(CLOCK_REALTIME) - info.created;
	if (age < LATE)
		return;
	door->counts.late++;
	if (now < door->next_late)
		return;
	door->next_late = now + SILENCE;
	message("process %d of user %u had no collector for %lld s; its ring has what it wrote "
		"meanwhile", (int)guest->pid, (unsigned)guest->user, (long long)(age / SECOND));
}

static int is_known(const struct ring_door *door, const struct stat *file)
{
	for (const struct door_guest *guest = door->guests; guest; guest = guest->next)
		if (guest->inode == file->st_ino && guest->device == file->st_dev)
			return 1;
	return 0;
}

/* NULL: it is not let in, and its ring is closed. */
static struct door_guest *let_in(struct ring_door *door, const struct ring_offer *offer,
				 const struct ucred *peer)
{
	const struct refused one = { peer->pid, peer->uid, offer->file.st_ino };
	const char *why = offer->why;
	struct door_guest *guest;

	if (offer->ring >= 0 && !is_known(door, &offer->file)) {
		guest = add(door, offer, peer, find_cgroup(peer->pid));
		count_late(door, guest);
		return guest;
	}
	if (why)
		refuse(door, &one, why);
	if (offer->ring >= 0)
		close(offer->ring);
	return NULL;
}

struct door_guest *ring_door_adopt(struct ring_door *door, int ring, pid_t pid, uid_t user,
				   const char *cgroup)
{
	struct ring_offer offer = { .ring = ring };
	const struct ucred peer = { .pid = pid, .uid = user };

	if (fstat(ring, &offer.file) || is_known(door, &offer.file)) {
		close(ring);
		return NULL;
	}
	return add(door, &offer, &peer, xstrdup(cgroup));
}

/*
 * -EAGAIN: its packet has not come, or its ring has to wait until another one leaves: programs
 * that follow each other come faster than their ends are seen. Else the connection is closed.
 */
static int hear(struct ring_door *door, const struct waiting *one, struct door_guest **guest)
{
	const char *why = why_not(door, one->peer.uid);
	struct ring_offer offer;
	int result;

	if (why) {
		if (clock_now(CLOCK_MONOTONIC) - one->since > WAIT)
			refuse(door, &(struct refused){ one->peer.pid, one->peer.uid, 0 }, why);
		return -EAGAIN;
	}
	result = ring_offer_receive(one->connection, door->options.bytes, &offer);
	if (result)
		return result;
	*guest = let_in(door, &offer, &one->peer);
	close(one->connection);
	return 0;
}

static struct door_guest *hear_waiting(struct ring_door *door)
{
	struct door_guest *guest = NULL;

	for (unsigned i = 0; i < WAITING_MOST && !guest; i++) {
		struct waiting *one = &door->waiting[(door->next_waiting + i) % WAITING_MOST];

		if (one->connection >= 0 && !hear(door, one, &guest))
			one->connection = -1;
	}
	return guest;
}

/* A program whose place another takes offers its ring again, unless it has ended. */
static void keep_waiting(struct ring_door *door, const struct waiting *one)
{
	struct waiting *place = &door->waiting[door->next_waiting++ % WAITING_MOST];

	if (place->connection >= 0)
		close(place->connection);
	*place = *one;
}

/* -1: none waits, or none can be accepted, as with EMFILE and the like, which stay for a while. */
static int accept_one(struct ring_door *door)
{
	int connection;

	do
		connection = accept4(door->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	while (connection < 0 && errno == ECONNABORTED);
	if (connection < 0 && errno != EAGAIN && errno != EINTR)
		door->closed_until = clock_now(CLOCK_MONOTONIC) + SECOND;
	return connection;
}

struct door_guest *ring_door_next(struct ring_door *door)
{
	struct door_guest *guest = hear_waiting(door);

	for (int i = 0; i < AT_ONCE && !guest; i++) {
		struct waiting one = {
			.connection = accept_one(door), .since = clock_now(CLOCK_MONOTONIC),
		};
		socklen_t length = sizeof(one.peer);

		if (one.connection < 0)
			return NULL;
		if (getsockopt(one.connection, SOL_SOCKET, SO_PEERCRED, &one.peer, &length))
			close(one.connection);
		else if (hear(door, &one, &guest))
			keep_waiting(door, &one);
	}
	return guest;
}

int ring_door_fd(const struct ring_door *door)
{
	return clock_now(CLOCK_MONOTONIC) < door->closed_until ? -1 : door->listener;
}

struct door_counts ring_door_count(const struct ring_door *door)
{
	struct door_counts counts = door->counts;

	for (const struct door_guest *guest = door->guests; guest; guest = guest->next)
		counts.guests++;
	return counts;
}

/* Short-lived programs come faster than their rings are looked at. */
int ring_door_is_short(const struct ring_door *door)
{
	const uint64_t most = door->options.rings < door->options.rings_of_user ?
				      door->options.rings : door->options.rings_of_user;

	return ring_door_count(door).guests >= (most + 1) / 2;
}

/* Leaving */

/* Another process may have got its pid: then it counts as alive. */
static int has_ended(pid_t pid)
{
	return pid > 0 && kill(pid, 0) && errno == ESRCH;
}

static int is_used(const struct door_guest *guest, const struct ue_ring_info *info)
{
	if (guest->is_unused && has_ended(guest->pid))
		return info->processes > info->unlocked;
	return info->processes != 0;
}

int door_guest_is_gone(struct door_guest *guest)
{
	struct ue_ring_info info;
	int result = ue_ring_info(guest->ring, &info);

	/* The program can destroy its ring. Any other error will pass. */
	if (result)
		return result == -ENOTTY || result == -EPROTONOSUPPORT || result == -EBADMSG;
	return !is_used(guest, &info);
}

/* A program may keep the descriptor uncounted, and must not keep our memory by it. */
static void give_memory_back(struct door_guest *guest)
{
	struct stat status;

	if (door_guest_is_gone(guest) && !fstat(guest->ring, &status))
		fallocate(guest->ring, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0,
			  status.st_size);
}

void door_guest_leave(struct ring_door *door, struct door_guest *guest)
{
	struct door_guest **at = &door->guests;

	give_memory_back(guest);
	close(guest->ring);
	while (*at != guest)
		at = &(*at)->next;
	*at = guest->next;
	free(guest->cgroup);
	free(guest);
}

void ring_door_close(struct ring_door *door)
{
	if (!door)
		return;
	while (door->guests)
		door_guest_leave(door, door->guests);
	for (unsigned i = 0; i < WAITING_MOST; i++)
		if (door->waiting[i].connection >= 0)
			close(door->waiting[i].connection);
	if (door->options.listener < 0)
		door_unlisten(door->options.path, &door->file);
	close(door->listener);
	free(door);
}
