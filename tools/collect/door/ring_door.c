/* SPDX-License-Identifier: MIT */
/*
 * Lets programs in, and gives each a ring.
 *
 * A program connects, gets the descriptor of a ring in one packet, and from then on writes to
 * memory that it shares with the collector alone. No event goes through the socket. So
 * the socket is needed for a moment in the life of a program, and the door does nothing
 * but accept, count and send. It never waits: the packet has room in a socket that
 * is new.
 *
 * When does a ring end?
 *
 * While its connection is open, the program may be about to use the ring. Afterwards a process
 * uses it exactly as long as it holds a lock in it, which the kernel drops when the process is
 * gone: killed, executed or ended, and its children have locks of their own. So a ring
 * ends when its connection is closed and no lock is held (ue_ring_info.processes); what is in
 * it then is all that will ever be in it. A process that cannot lock (a chroot without
 * /proc) is found gone by its pid, if it is of the collector's pid namespace; else it
 * counts as alive. But any program may store a process without a lock into its ring, with
 * a pid that lives for ever. So these keep a ring only while events come, or the process
 * that connected lives; it counts as alive if the collector's pid namespace does not have it.
 *
 * Trust
 *
 * Any program that may connect may be hostile. It has its own ring, whose memory the reader
 * trusts in nothing, and which is sealed, so that it can be neither cut nor enlarged. What
 * remains is to take too much:
 *
 *	rings		limited in all, and for each user. A connection counts as a
 *			ring until it is closed, so that opening many, or reading
 *			none, gains nothing.
 *	memory		that of the rings, times their size; programs are charged for
 *			pages that they write
 *	attention	the reader takes turns; a flood overflows its own ring
 *	definitions	the reader copies and parses them: limited for each user
 *			(ring_source.c)
 *
 * A user who may use the ids of many others (user_namespaces(7)) has the limits of all of
 * them. Where that matters, the rights of the socket (--socket-mode) admit a group alone.
 */
#include "ring_door.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#include <userevents/abi/ring_socket.h>
#include <userevents/ring.h>

#include "common/cli/clock.h"
#include "common/cli/memory.h"
#include "common/cli/message.h"

/*
 * Listens at a path.
 *
 * A process that was killed leaves its socket behind, and bind(2) does not replace it. So a
 * socket that refuses connections is removed first. Two collectors that begin at once could
 * each remove the other's; the lock of the directory prevents that. It is held for this
 * moment alone.
 */

#define TYPE (SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK)
/* The system may allow fewer (net.core.somaxconn). */
#define QUEUE 4096
#define LOCK_ATTEMPTS 100
#define LOCK_PAUSE_MS 20

static int complain(const char *path, const char *why)
{
	message("cannot listen on %s: %s", path, why);
	return -1;
}

static int set_path(struct sockaddr_un *address, const char *path)
{
	*address = (struct sockaddr_un){ .sun_family = AF_UNIX };
	if (!*path)
		return complain("\"\"", "it is no path; name a socket");
	if (strlen(path) >= sizeof(address->sun_path))
		return complain(path, "a socket's path has at most 107 bytes; use a shorter one");
	memcpy(address->sun_path, path, strlen(path));
	return 0;
}

/*
 * Another collector needs it for a moment. The lock is a file that no other user can open: who
 * can could keep a collector from its start.
 */
static int lock_socket(const char *path)
{
	char *lock = xprintf("%s.lock", path);
	int fd = open(lock, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0600);
	int failed = 1;

	free(lock);
	if (fd < 0)
		return complain(path, errno == ENOENT ? "its directory does not exist; create it" :
						       strerror(errno));
	for (int i = 0; failed && i < LOCK_ATTEMPTS; i++) {
		failed = flock(fd, LOCK_EX | LOCK_NB);
		if (failed && errno != EWOULDBLOCK)
			break;
		if (failed)
			poll(NULL, 0, LOCK_PAUSE_MS);
	}
	if (!failed)
		return fd;
	complain(path, errno == EWOULDBLOCK ?
			       "a process has locked its .lock; use another directory" :
			       "its file system has no locks; use another directory");
	close(fd);
	return -1;
}

/* 0, or the error of connecting. */
static int try(const struct sockaddr_un *address)
{
	int fd = socket(AF_UNIX, TYPE, 0), error = 0;

	if (fd < 0 || connect(fd, (const struct sockaddr *)address, sizeof(*address)))
		error = errno;
	if (fd >= 0)
		close(fd);
	return error;
}

static int remove_stale(const char *path, const struct sockaddr_un *address)
{
	struct stat file;
	int error;

	if (lstat(path, &file))
		return errno == ENOENT ? 0 : complain(path, strerror(errno));
	if (!S_ISSOCK(file.st_mode))
		return complain(path, "it exists and is no socket; name another one");
	error = try(address);
	if (!error || error == EAGAIN || error == EPROTOTYPE)
		return complain(path, "another process listens there; stop it, or name "
				"another socket");
	if (error != ECONNREFUSED)
		return complain(path, strerror(error));
	return unlink(path) ? complain(path, strerror(errno)) : 0;
}

/* The file gets the rights of the socket, without those in the mask. */
static int bind_with(int fd, const struct sockaddr_un *address, mode_t mode)
{
	const mode_t mask = umask(0);
	const int failed = fchmod(fd, mode) ||
			   bind(fd, (const struct sockaddr *)address, sizeof(*address)) ||
			   listen(fd, QUEUE);
	const int error = errno;

	umask(mask);
	errno = error;
	return failed;
}

static int listen_locked(const char *path, const struct sockaddr_un *address, mode_t mode,
			 struct stat *file)
{
	int fd;

	if (remove_stale(path, address))
		return -1;
	fd = socket(AF_UNIX, TYPE, 0);
	if (fd >= 0 && !bind_with(fd, address, mode) && !lstat(path, file))
		return fd;
	complain(path, strerror(errno));
	if (fd >= 0)
		close(fd);
	return -1;
}

/*
 * Listen at a path, with these rights; a socket there that no process listens on is replaced.
 * The descriptor, and the file that has the path; -1 after a message.
 */
static int door_listen(const char *path, mode_t mode, struct stat *file)
{
	struct sockaddr_un address;
	int lock, fd;

	if (set_path(&address, path))
		return -1;
	lock = lock_socket(path);
	if (lock < 0)
		return -1;
	fd = listen_locked(path, &address, mode, file);
	close(lock);
	return fd;
}

/* Remove the name, unless it is another file's by now. */
static void door_unlisten(const char *path, const struct stat *file)
{
	struct stat now;

	if (!lstat(path, &now) && now.st_dev == file->st_dev && now.st_ino == file->st_ino)
		unlink(path);
}

#define SECOND ((int64_t)1000000000)
/* Refusals are reported no more often than this. */
#define SILENCE (60 * SECOND)
/* Refused programs that come again and again must not keep the collector from its work. */
#define AT_ONCE 64

struct ring_door {
	struct door_options options;
	int listener;
	struct stat file; /* that had the socket's path */
	struct door_guest *guests;
	uint64_t refused;
	int64_t next_complaint; /* of CLOCK_MONOTONIC */
	int64_t closed_until;	/* no descriptor is left to accept with */
};

/* Beginning */

struct ring_door *ring_door_open(const struct door_options *options)
{
	struct ring_door *door = xcalloc(1, sizeof(*door));

	door->options = *options;
	door->listener = door_listen(options->path, options->mode, &door->file);
	if (door->listener < 0) {
		free(door);
		return NULL;
	}
	return door;
}

/* Refusing */

static int send_offer(int connection, int ring, uint32_t refusal)
{
	union {
		struct cmsghdr header;
		char room[CMSG_SPACE(sizeof(int))];
	} control = { .header = {
		.cmsg_len = CMSG_LEN(sizeof(int)),
		.cmsg_level = SOL_SOCKET,
		.cmsg_type = SCM_RIGHTS,
	} };
	struct ue_ring_offer offer = { .magic = UE_RING_OFFER_MAGIC, .refusal = refusal };
	struct iovec piece = { &offer, sizeof(offer) };
	struct msghdr message = { .msg_iov = &piece, .msg_iovlen = 1 };

	memcpy(CMSG_DATA(&control.header), &ring, sizeof(ring));
	if (ring >= 0) {
		message.msg_control = &control;
		message.msg_controllen = sizeof(control);
	}
	return sendmsg(connection, &message, MSG_NOSIGNAL | MSG_DONTWAIT) < 0 ? -errno : 0;
}

/* The answer may not arrive, which the program takes for a refusal, too. */
static void refuse(struct ring_door *door, int connection, const struct ucred *peer,
		   const char *why)
{
	const int64_t now = clock_now(CLOCK_MONOTONIC);

	door->refused++;
	send_offer(connection, -1, EUSERS);
	if (now < door->next_complaint)
		return;
	door->next_complaint = now + SILENCE;
	message("cannot hand out a ring to process %d of user %u: %s", (int)peer->pid,
		(unsigned)peer->uid, why);
}

static const char *why_not(const struct ring_door *door, const struct ucred *peer)
{
	uint64_t all = 0, of_user = 0;

	for (const struct door_guest *guest = door->guests; guest; guest = guest->next) {
		all++;
		of_user += guest->user == peer->uid;
	}
	if (all >= door->options.rings)
		return "there are as many as there may be; raise --socket-rings";
	if (of_user >= door->options.rings_of_user)
		return "the user has as many as one may have; raise --rings-per-user";
	return NULL;
}

/* Letting in */

/*
 * Of the second version: a line "0::PATH". It is read before the process gets its ring, as it
 * may end then.
 */
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

static struct door_guest *add(struct ring_door *door, int connection, int ring,
			      const struct ucred *peer, char *cgroup)
{
	struct door_guest *guest = xcalloc(1, sizeof(*guest));

	*guest = (struct door_guest){
		.next = door->guests,
		.ring = ring,
		.connection = connection,
		.pid = peer->pid,
		.user = peer->uid,
		.cgroup = cgroup,
	};
	door->guests = guest;
	return guest;
}

/* The program has given up waiting. */
static int is_closed(int connection)
{
	struct pollfd end = { .fd = connection };

	return poll(&end, 1, 0) == 1;
}

/* NULL: it is not let in. */
static struct door_guest *let_in(struct ring_door *door, int connection)
{
	const struct ue_ring_opts opts = {
		.size = sizeof(opts), .bytes = door->options.bytes, .mode = UE_RING_DROP,
	};
	struct ucred peer = { 0 };
	socklen_t length = sizeof(peer);
	const char *why;
	char *cgroup;
	int ring, result;

	if (is_closed(connection) ||
	    getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &length))
		return NULL;
	why = why_not(door, &peer);
	ring = why ? -1 : ue_ring_create(NULL, &opts);
	if (ring < 0) {
		refuse(door, connection, &peer, why ? why : strerror(-ring));
		return NULL;
	}
	cgroup = find_cgroup(peer.pid);
	result = send_offer(connection, ring, 0);
	if (!result)
		return add(door, connection, ring, &peer, cgroup);
	free(cgroup);
	if (result != -EPIPE && result != -ECONNRESET)
		refuse(door, connection, &peer, strerror(-result));
	close(ring);
	return NULL;
}

struct door_guest *ring_door_next(struct ring_door *door)
{
	struct door_guest *guest = NULL;
	int connection;

	for (int i = 0; i < AT_ONCE && !guest; i++) {
		connection = accept4(door->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
		if (connection < 0 && errno == ECONNABORTED)
			continue;
		if (connection < 0) {
			/* EMFILE and the like stay so for a while. */
			if (errno != EAGAIN && errno != EINTR)
				door->closed_until = clock_now(CLOCK_MONOTONIC) + SECOND;
			return NULL;
		}
		guest = let_in(door, connection);
		if (!guest)
			close(connection);
	}
	return guest;
}

int ring_door_fd(const struct ring_door *door)
{
	return clock_now(CLOCK_MONOTONIC) < door->closed_until ? -1 : door->listener;
}

void ring_door_count_refusal(struct ring_door *door)
{
	door->refused++;
}

struct door_counts ring_door_count(const struct ring_door *door)
{
	struct door_counts counts = { .refused = door->refused };

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
	struct pollfd end = { .fd = guest->connection };
	struct ue_ring_info info;
	int result;

	if (guest->connection >= 0) {
		if (poll(&end, 1, 0) != 1 || !(end.revents & (POLLHUP | POLLERR)))
			return 0;
		close(guest->connection);
		guest->connection = -1;
	}
	result = ue_ring_info(guest->ring, &info);
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

	if (!guest->is_sent_home)
		ue_ring_end(guest->ring);
	give_memory_back(guest);
	close(guest->ring);
	if (guest->connection >= 0)
		close(guest->connection);
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
	door_unlisten(door->options.path, &door->file);
	close(door->listener);
	free(door);
}
