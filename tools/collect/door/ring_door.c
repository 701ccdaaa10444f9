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
 * ring ends when no lock is held (ue_ring_info.processes); its content then is
 * final. A process that cannot lock (a chroot without /proc) is found gone by its pid,
 * if it is of the collector's pid namespace; else it counts as alive. But any program may
 * store a process without a lock into its ring, with a pid that lives for ever. So these keep a
 * ring only while events come, or the process that connected lives; it counts as alive if the
 * collector's pid namespace does not have it.
 *
 * Trust
 *
 * Any program that may connect may be hostile. It has its own ring, whose memory the reader
 * trusts in nothing, and which is sealed, so that it cannot be cut (door_waiting.c). The
 * remaining danger is to take too much:
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
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>
#include <userevents/ring.h>

#include "common/cli/clock.h"
#include "common/cli/memory.h"
#include "common/cli/message.h"

#define SECOND ((int64_t)1000000000)
/* Refusals of one cause are reported no more often than this. */
#define SILENCE (60 * SECOND)
/* The number of causes that are known apart. */
#define CAUSES 16
/* Refused programs that come again and again must not keep the collector from its work. */
#define AT_ONCE 64
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

/* A cause of refusals that was reported. */
struct complaint {
	char *why;
	int64_t next; /* not reported again before this: CLOCK_MONOTONIC */
};

struct ring_door {
	struct door_options options;
	int listener;
	int all;       /* of epoll(7): the listener, and connections that are silent */
	int64_t began; /* by the wall clock */
	struct stat file; /* that had the socket's path */
	struct door_guest *guests;
	struct door_counts counts; /* but for the guests */
	struct door_losses losses;
	struct waiting_list waiting;
	int has_room;	   /* a ring left since the offers that wait were looked at */
	int64_t next_wait; /* when they are looked at anyway */
	struct refused last_refused[REFUSED_KEPT];
	unsigned next_refused;
	struct complaint complaints[CAUSES];
	unsigned next_complaint;
	int64_t next_late; /* of CLOCK_MONOTONIC */
	int64_t closed_until; /* no descriptor is left to accept with */
};

/* Beginning */

/* 0, or -1 after a message. */
static int watch(const struct ring_door *door, int fd, void *what)
{
	struct epoll_event event = { .events = EPOLLIN, .data.ptr = what };

	if (!epoll_ctl(door->all, EPOLL_CTL_ADD, fd, &event))
		return 0;
	message("cannot wait for programs: %s", strerror(errno));
	return -1;
}

static int watch_all(struct ring_door *door)
{
	door->all = epoll_create1(EPOLL_CLOEXEC);
	return watch(door, door->listener, NULL);
}

struct ring_door *ring_door_open(const struct door_options *options)
{
	struct ring_door *door = xcalloc(1, sizeof(*door));

	door->options = *options;
	door->all = -1;
	door->began = clock_now(CLOCK_REALTIME);
	door->listener = options->listener >= 0 ?
		options->listener : door_listen(options->path, options->mode, &door->file);
	if (door->listener >= 0 && !watch_all(door))
		return door;
	ring_door_close(door);
	return NULL;
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

static struct complaint *complaint_of(struct ring_door *door, const char *why)
{
	struct complaint *at;

	for (unsigned i = 0; i < CAUSES; i++)
		if (door->complaints[i].why && !strcmp(door->complaints[i].why, why))
			return &door->complaints[i];
	at = &door->complaints[door->next_complaint++ % CAUSES];
	free(at->why);
	*at = (struct complaint){ .why = xstrdup(why) };
	return at;
}

static void refuse(struct ring_door *door, const struct refused *one, const char *why)
{
	const int64_t now = clock_now(CLOCK_MONOTONIC);
	struct complaint *complaint;

	if (was_refused(door, one))
		return;
	door->last_refused[door->next_refused++ % REFUSED_KEPT] = *one;
	door->counts.refused++;
	complaint = complaint_of(door, why);
	if (now < complaint->next)
		return;
	complaint->next = now + SILENCE;
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

/* Nothing that it wrote is lost yet, but for events that did not fit its ring. */
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

/* It has a ring of no other guest, and of nobody who waits. */
static int is_new(const struct ring_door *door, const struct stat *file)
{
	const struct waiting *const places = door->waiting.places;

	if (is_known(door, file))
		return 0;
	for (unsigned i = 0; i < 2 * WAITING_MOST && door->waiting.count[WAITING_OFFER];
	     i++)
		if (places[i].kind == WAITING_OFFER &&
		    places[i].offer.file.st_ino == file->st_ino &&
		    places[i].offer.file.st_dev == file->st_dev)
			return 0;
	return 1;
}

static struct door_guest *let_in(struct ring_door *door, const struct waiting *one)
{
	struct door_guest *guest = add(door, &one->offer, &one->peer, one->cgroup);

	count_late(door, guest);
	return guest;
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

/* Waiting */

void ring_door_report(struct ring_door *door, const struct door_losses *losses)
{
	door->losses = *losses;
}

static void count_left(const struct ring_door *door, const struct waiting *one)
{
	const uint64_t events = waiting_left(one);

	if (events && door->losses.lost)
		door->losses.lost(door->losses.context, one->peer.uid, events);
}

/* A program that lives offers its ring again. Events of one that has ended are lost. */
static void turn_away(struct ring_door *door, struct waiting *one)
{
	if (one->kind == WAITING_SILENT) {
		close(one->connection);
	} else {
		count_left(door, one);
		close(one->offer.ring);
	}
	free(one->cgroup);
	waiting_clear(&door->waiting, one);
}

static void refuse_place(struct ring_door *door, const struct waiting *one,
			 const char *why)
{
	refuse(door, &(struct refused){ one->peer.pid, one->peer.uid, 0 }, why);
}

static void keep_waiting(struct ring_door *door, const struct waiting *one)
{
	struct waiting *place = waiting_place(&door->waiting, one->kind, one->peer.uid);

	if (place->kind == WAITING_OFFER)
		refuse_place(door, place, "more programs wait for a place than may");
	if (place->kind)
		turn_away(door, place);
	waiting_set(&door->waiting, place, one);
	if (one->kind == WAITING_SILENT && watch(door, one->connection, place))
		turn_away(door, place);
}

void ring_door_turn_away(struct ring_door *door)
{
	for (unsigned i = 0; i < 2 * WAITING_MOST; i++)
		if (door->waiting.places[i].kind)
			turn_away(door, &door->waiting.places[i]);
}

/*
 * Programs that follow each other come faster than their ends are seen, so they get
 * some time.
 */
static struct door_guest *look_at_offer(struct ring_door *door, struct waiting *one,
					int64_t now)
{
	const char *why = why_not(door, one->peer.uid);
	struct door_guest *guest;

	if (why && now - one->since > WAIT)
		refuse_place(door, one, why);
	if (why)
		return NULL;
	guest = let_in(door, one);
	waiting_clear(&door->waiting, one);
	return guest;
}

/*
 * Only when a ring has left, and now and then to say that there is no place. Those that
 * wait longest come first.
 */
static struct door_guest *look_at_offers(struct ring_door *door)
{
	const int64_t now = clock_now(CLOCK_MONOTONIC);
	struct door_guest *guest = NULL;
	struct waiting *one;

	if (!door->waiting.count[WAITING_OFFER] ||
	    (!door->has_room && now < door->next_wait))
		return NULL;
	for (one = waiting_next(&door->waiting, NULL); one && !guest;
	     one = guest ? NULL : waiting_next(&door->waiting, one))
		guest = look_at_offer(door, one, now);
	if (guest)
		return guest;
	door->has_room = 0;
	door->next_wait = now + WAIT;
	return NULL;
}

/*
 * A program offers its ring once more when it ends. That offer may be heard when the ring was read
 * to its end, and its memory was given back.
 */
static int was_read(const struct stat *ring)
{
	return !ring->st_blocks;
}

/* Its connection is over. NULL: it has none that can be read, or waits for a place. */
static struct door_guest *take_offer(struct ring_door *door, struct waiting *one)
{
	const struct refused refused = { one->peer.pid, one->peer.uid,
					 one->offer.file.st_ino };

	if (one->offer.ring < 0) {
		if (one->offer.why)
			refuse(door, &refused, one->offer.why);
		return NULL;
	}
	if (!is_new(door, &one->offer.file) || was_read(&one->offer.file)) {
		close(one->offer.ring);
		return NULL;
	}
	one->cgroup = peer_cgroup(one->connection, one->peer.pid, one->began);
	if (!why_not(door, one->peer.uid))
		return let_in(door, one);
	one->kind = WAITING_OFFER;
	one->since = clock_now(CLOCK_MONOTONIC);
	keep_waiting(door, one);
	return NULL;
}

/* -EAGAIN: its packet has not come. Else its connection is closed. */
static int hear(struct ring_door *door, const struct waiting *from,
		struct door_guest **guest)
{
	struct waiting one = *from;
	const int result =
		ring_offer_receive(one.connection, door->options.bytes, &one.offer);

	if (result)
		return result;
	*guest = take_offer(door, &one);
	close(one.connection);
	return 0;
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

/* 0 when none has come. */
static int hear_next(struct ring_door *door, struct door_guest **guest)
{
	struct waiting one = {
		.kind = WAITING_SILENT, .connection = accept_one(door),
		.since = clock_now(CLOCK_MONOTONIC), .began = clock_now(CLOCK_BOOTTIME),
	};
	socklen_t length = sizeof(one.peer);

	if (one.connection < 0)
		return 0;
	if (getsockopt(one.connection, SOL_SOCKET, SO_PEERCRED, &one.peer, &length))
		close(one.connection);
	else if (hear(door, &one, guest))
		keep_waiting(door, &one);
	return 1;
}

/* Those that speak at last. Of the others the kernel tells again. */
static struct door_guest *hear_silent(struct ring_door *door)
{
	struct epoll_event events[AT_ONCE];
	struct door_guest *guest = NULL;
	int count = 0;

	if (door->waiting.count[WAITING_SILENT])
		count = epoll_wait(door->all, events, AT_ONCE, 0);
	for (int i = 0; i < count && !guest; i++) {
		struct waiting *place = events[i].data.ptr;

		if (place && !hear(door, place, &guest)) /* NULL is the listener */
			waiting_clear(&door->waiting, place);
	}
	return guest;
}

struct door_guest *ring_door_next(struct ring_door *door)
{
	struct door_guest *guest = look_at_offers(door);

	if (!guest)
		guest = hear_silent(door);
	for (int i = 0; i < AT_ONCE && !guest; i++)
		if (!hear_next(door, &guest))
			break;
	return guest;
}

int ring_door_fd(const struct ring_door *door)
{
	return clock_now(CLOCK_MONOTONIC) < door->closed_until ? -1 : door->all;
}

struct door_guest *ring_door_guests(const struct ring_door *door)
{
	return door->guests;
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

int ring_door_has_offers(const struct ring_door *door)
{
	return door->waiting.count[WAITING_OFFER] > 0;
}

/* Leaving */

static int is_used(const struct door_guest *guest, const struct ue_ring_info *info)
{
	if (guest->is_unused && peer_has_ended(guest->pid))
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

	door->has_room = 1;
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
	ring_door_turn_away(door);
	for (unsigned i = 0; i < CAUSES; i++)
		free(door->complaints[i].why);
	if (door->options.listener < 0 && door->listener >= 0)
		door_unlisten(door->options.path, &door->file);
	if (door->listener >= 0)
		close(door->listener);
	if (door->all >= 0)
		close(door->all);
	free(door);
}
