/* SPDX-License-Identifier: MIT */
/*
 * Makes the socket of a door, receives rings that programs offer, and keeps those that
 * wait.
 */
#include "ring_door.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>
#include <userevents/abi/ring_socket.h>
#include <userevents/ring.h>

#include "common/cli/memory.h"
#include "common/cli/message.h"

/*
 * Listens at a path.
 *
 * A process that was killed leaves its socket behind, and bind(2) does not replace it. So
 * a socket that refuses connections is removed first. Two collectors that begin at once
 * could each remove the other's; the lock of the directory prevents that. It is held for
 * this moment alone.
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
 * Another collector needs it for a moment. The lock is a file that no other user can
 * open: who can could keep a collector from its start.
 */
static int lock_socket(const char *path)
{
	AUTO_FREE char *lock = xprintf("%s.lock", path);
	int fd = open(lock, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0600);
	int failed = 1;

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

int door_listen(const char *path, mode_t mode, struct stat *file)
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

void door_unlisten(const char *path, const struct stat *file)
{
	struct stat now;

	if (!lstat(path, &now) && now.st_dev == file->st_dev &&
	    now.st_ino == file->st_ino)
		unlink(path);
}

/* Those that wait */

static unsigned count_of_user(const struct waiting_list *list, enum waiting_kind kind,
			      uid_t user)
{
	unsigned count = 0;

	for (unsigned i = 0; i < 2 * WAITING_MOST; i++)
		count += list->places[i].kind == kind && list->places[i].peer.uid == user;
	return count;
}

/* The later place wins if both came at the same moment. */
static int is_later(const struct waiting *one, const struct waiting *other)
{
	return one->since == other->since ? one > other : one->since > other->since;
}

static const struct waiting *oldest(const struct waiting_list *list,
				    enum waiting_kind kind, const uid_t *user)
{
	const struct waiting *found = NULL;

	for (const struct waiting *at = list->places;
	     at < list->places + 2 * WAITING_MOST; at++)
		if (at->kind == kind && (!user || at->peer.uid == *user) &&
		    (!found || at->since < found->since))
			found = at;
	return found;
}

struct waiting *waiting_next(struct waiting_list *list, const struct waiting *after)
{
	struct waiting *found = NULL;

	for (struct waiting *at = list->places; at < list->places + 2 * WAITING_MOST; at++)
		if (at->kind == WAITING_OFFER && (!after || is_later(at, after)) &&
		    (!found || is_later(found, at)))
			found = at;
	return found;
}

struct waiting *waiting_place(const struct waiting_list *list, enum waiting_kind kind,
			      uid_t user)
{
	const int is_full = list->count[kind] >= WAITING_MOST;
	const struct waiting *found = list->places;

	if (is_full)
		found = oldest(list, kind,
			       count_of_user(list, kind, user) >= WAITING_MOST / 2 ?
				       &user :
				       NULL);
	else
		while (found->kind)
			found++;
	return (struct waiting *)(uintptr_t)found;
}

void waiting_set(struct waiting_list *list, struct waiting *place,
		 const struct waiting *one)
{
	*place = *one;
	list->count[one->kind]++;
}

void waiting_clear(struct waiting_list *list, struct waiting *place)
{
	list->count[place->kind]--;
	*place = (struct waiting){ .kind = WAITING_NONE };
}

int peer_has_ended(pid_t pid)
{
	return pid > 0 && kill(pid, 0) && errno == ESRCH;
}

/*
 * It wrote all that it ever will. Who has no lock counts as long as the one that
 * connected lives.
 */
static int is_over(const struct waiting *one, const struct ue_ring_info *info)
{
	return info->processes <= (peer_has_ended(one->peer.pid) ? info->unlocked : 0);
}

/*
 * Its program may have stored any count of events that were cut off, so it is believed no
 * more than its ring has room for: an event takes 8 bytes at least.
 */
static uint64_t left_in(const struct waiting *one, const struct ue_ring_info *info)
{
	const uint64_t most = (uint64_t)one->offer.file.st_size / 8;

	if (info->unread > most || info->cut_off > most - info->unread)
		return most;
	return info->unread + info->cut_off;
}

/*
 * Like an open ring, it is believed less than 2^32 losses (found_rings.c). If a collector
 * has read the ring, it has counted them, but for those since then.
 */
static uint64_t lost_in(const struct ue_ring_info *info)
{
	uint64_t sum = 0;

	for (int i = 0; i < UE_LOSS_REASONS && !info->looked; i++)
		if (__builtin_add_overflow(sum, info->lost[i], &sum))
			return 0;
	return sum <= UINT32_MAX ? sum : 0;
}

uint64_t waiting_left(const struct waiting *one)
{
	struct ue_ring_info info;

	if (ue_ring_info(one->offer.ring, &info) || !is_over(one, &info))
		return 0;
	return left_in(one, &info) + lost_in(&info);
}

/*
 * Receives a ring. Whatever it is, it must do no harm to who maps it: only a memfd can be
 * sealed against being cut. Huge pages are none of it, as there may be none left for an
 * access.
 */

/*
 * Nor may it grow beyond its limit later, or get seals that keep its pages or its readers
 * out.
 */
#define SEALS (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)

static int descriptor_in(struct msghdr *message)
{
	const struct cmsghdr *header = CMSG_FIRSTHDR(message);
	int fd = -1;

	if (header && header->cmsg_level == SOL_SOCKET &&
	    header->cmsg_type == SCM_RIGHTS && header->cmsg_len == CMSG_LEN(sizeof(int)))
		memcpy(&fd, CMSG_DATA(header), sizeof(fd));
	return fd;
}

static const char *why_not(const struct ring_offer *offer, uint64_t bytes)
{
	const int seals = fcntl(offer->ring, F_GET_SEALS);
	struct statfs system;

	if (seals < 0 || (seals & SEALS) != SEALS || fstatfs(offer->ring, &system) ||
	    system.f_type != TMPFS_MAGIC)
		return "what it offers is no sealed memory";
	if ((uint64_t)offer->file.st_size > bytes)
		return "its ring is larger than one may be; raise --ring-size, or lower "
		       "its USEREVENTS_RING_SIZE (4M without it)";
	return NULL;
}

/* The kernel drops descriptors that find no number, and says so. */
static void check(struct ring_offer *offer, const struct ue_ring_offer *packet,
		  ssize_t length, int flags, uint64_t bytes)
{
	static const struct linger at_once = { .l_onoff = 1 };

	if (length < (ssize_t)sizeof(*packet) || packet->magic != UE_RING_OFFER_MAGIC)
		offer->why = "it speaks another protocol";
	else if (offer->ring < 0)
		offer->why = flags & MSG_CTRUNC ? strerror(EMFILE) : "it offers no ring";
	else if (fstat(offer->ring, &offer->file))
		offer->why = strerror(errno);
	else
		offer->why = why_not(offer, bytes);
	if (!offer->why || offer->ring < 0)
		return;
	/* Closing the last descriptor of a socket may wait as long as its owner likes. */
	setsockopt(offer->ring, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
	close(offer->ring);
	offer->ring = -1;
}

int ring_offer_receive(int connection, uint64_t bytes, struct ring_offer *offer)
{
	union {
		struct cmsghdr header;
		char room[CMSG_SPACE(sizeof(int))];
	} control;
	struct ue_ring_offer packet;
	struct iovec piece = { &packet, sizeof(packet) };
	struct msghdr message = {
		.msg_iov = &piece,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen =
			CMSG_LEN(sizeof(int)), /* for one: the padding would do for two */
	};
	const ssize_t length =
		recvmsg(connection, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);

	*offer = (struct ring_offer){ .ring = -1 };
	if (length < 0 && (errno == EAGAIN || errno == EINTR))
		return -EAGAIN;
	if (length <= 0)
		return 0;
	offer->ring = descriptor_in(&message);
	check(offer, &packet, length, message.msg_flags, bytes);
	return 0;
}

/*
 * Reads /proc/PID/cgroup of a process that connected.
 *
 * It may have ended before its offer is looked at, and its pid may be that of another
 * process by then. Since Linux 6.5 the socket has a descriptor of the process itself,
 * which says whether it still has its pid after the file was read. Before, a process
 * that began after the connection was accepted is certainly another one; of an offer
 * that waited long in the socket's queue nothing tells.
 */

#ifndef SO_PEERPIDFD
#define SO_PEERPIDFD 77
#endif

#define SECOND ((int64_t)1000000000)

static FILE *open_of(pid_t pid, const char *name)
{
	AUTO_FREE char *path = xprintf("/proc/%d/%s", (int)pid, name);
	FILE *file = fopen(path, "re");

	return file;
}

/* A line "0::PATH". */
static char *read_cgroup(pid_t pid)
{
	FILE *file = open_of(pid, "cgroup");
	char *line = NULL, *cgroup = NULL;
	size_t size = 0;

	while (file && !cgroup && getline(&line, &size, file) > 0)
		if (!strncmp(line, "0::", 3))
			cgroup = xstrndup(line + 3, strcspn(line + 3, "\n"));
	free(line);
	if (file)
		fclose(file);
	return cgroup ? cgroup : xstrdup("");
}

/*
 * The 22nd field, in ticks of a clock; the second one is a name that may have any
 * bytes.
 */
static int began_after(pid_t pid, int64_t since)
{
	const int64_t tick = SECOND / sysconf(_SC_CLK_TCK);
	FILE *file = open_of(pid, "stat");
	char text[1024] = "", *at;
	int64_t began = 0;
	size_t length;

	if (!file)
		return 1;
	length = fread(text, 1, sizeof(text) - 1, file);
	fclose(file);
	text[length] = '\0';
	at = strrchr(text, ')');
	if (!at ||
	    sscanf(at + 1,
		   " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d "
		   "%*d %*d %*d %" SCNd64,
		   &began) != 1)
		return 1;
	return began * tick > since;
}

/* -ENOPROTOOPT: the kernel has none; another error: the process is gone. */
static int process_of(int connection)
{
	int process = -1;
	socklen_t length = sizeof(process);

	return getsockopt(connection, SOL_SOCKET, SO_PEERPIDFD, &process, &length) ?
		       -errno :
		       process;
}

static int is_same(int process, pid_t pid, int64_t since)
{
	int is_gone;

	if (process == -ENOPROTOOPT || process == -EMFILE || process == -ENFILE)
		return !began_after(pid, since);
	if (process < 0)
		return 0;
	is_gone = syscall(SYS_pidfd_send_signal, process, 0, NULL, 0) && errno != EPERM;
	close(process);
	return !is_gone;
}

char *peer_cgroup(int connection, pid_t pid, int64_t since)
{
	const int process = process_of(connection);
	char *cgroup = read_cgroup(pid);

	if (*cgroup && !is_same(process, pid, since))
		*cgroup = '\0';
	else if (!*cgroup && process >= 0)
		close(process);
	return cgroup;
}
