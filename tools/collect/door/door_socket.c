/* SPDX-License-Identifier: MIT */
/*
 * Listens at a path.
 *
 * A process that was killed leaves its socket behind, and bind(2) does not replace it. So a
 * socket that refuses connections is removed first. Two collectors that begin at once could
 * each remove the other's; the lock of the directory prevents that. It is held for this
 * moment alone.
 */

#include "ring_door.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "common/cli/memory.h"
#include "common/cli/message.h"

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

/*
 * Listen at a path, with these rights; a socket there that no process listens on is replaced.
 * The descriptor, and the file that has the path; -1 after a message.
 */
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

/* Remove the name, unless it is another file's by now. */
void door_unlisten(const char *path, const struct stat *file)
{
	struct stat now;

	if (!lstat(path, &now) && now.st_dev == file->st_dev && now.st_ino == file->st_ino)
		unlink(path);
}
