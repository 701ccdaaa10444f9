/* SPDX-License-Identifier: MIT */
/*
 * Locks files of metrics, by a file FILE.lock beside each, as the file itself is
 * replaced all the time. A record lock is not inherited by the process that records.
 */
#include "metrics_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/cli/memory.h"
#include "common/cli/message.h"

static int find(const struct words *words, const char *word)
{
	for (size_t i = 0; i < words->count; i++)
		if (!strcmp(words->items[i], word))
			return (int)i;
	return -1;
}

/* Whoever had the lock may have removed the file since it was opened. */
static int has_path(int fd, const char *path)
{
	struct stat mine, named;

	return !fstat(fd, &mine) && !lstat(path, &named) && mine.st_ino == named.st_ino &&
	       mine.st_dev == named.st_dev;
}

/*
 * The descriptor; -1: it cannot be created; -2 after a message: another collector has
 * it.
 */
static int take(const char *path, const char *file)
{
	struct flock range = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	int fd, is_locked = 0;

	do {
		fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
		is_locked = fd >= 0 && !fcntl(fd, F_SETLK, &range);
	} while (is_locked && !has_path(fd, path) && !close(fd));
	if (fd < 0 && errno != EACCES)
		return -1;
	if (is_locked || (fd >= 0 && errno != EACCES && errno != EAGAIN))
		return fd;
	if (fd < 0 && access(path, F_OK))
		return -1;
	if (fd >= 0)
		close(fd);
	message("cannot write %s: another collector does; give each a file of its own",
		file);
	return -2;
}

/*
 * A file that has been replaced is given up by closing it: so one that is kept is
 * moved.
 */
static int add(struct metrics_lock *to, struct metrics_lock *from, const char *file)
{
	char *path = xprintf("%s.lock", file);
	const int had = find(&from->paths, path);
	int fd;

	if (find(&to->paths, path) >= 0) {
		free(path);
		return 0;
	}
	fd = had >= 0 ? from->fds[had] : take(path, file);
	to->fds = xgrow(to->fds, to->paths.count, sizeof(*to->fds));
	to->fds[to->paths.count] = fd;
	words_add(&to->paths, path);
	return fd == -2 ? -1 : 0;
}

/* Close those that the other one does not have. */
static void leave(struct metrics_lock *lock, const struct metrics_lock *kept)
{
	for (size_t i = 0; i < lock->paths.count; i++) {
		if (lock->fds[i] < 0 ||
		    (kept && find(&kept->paths, lock->paths.items[i]) >= 0))
			continue;
		unlink(lock->paths.items[i]);
		close(lock->fds[i]);
	}
	words_free(&lock->paths);
	free(lock->fds);
	*lock = (struct metrics_lock){ .fds = NULL };
}

int metrics_lock_take(struct metrics_lock *lock, const struct words *files)
{
	struct metrics_lock wanted = { .fds = NULL };
	int result = 0;

	for (size_t i = 0; i < files->count && !result; i++)
		result = add(&wanted, lock, files->items[i]);
	if (result) {
		leave(&wanted, lock);
		return -1;
	}
	leave(lock, &wanted);
	*lock = wanted;
	return 0;
}

void metrics_lock_free(struct metrics_lock *lock)
{
	leave(lock, NULL);
}
