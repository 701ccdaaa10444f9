/* SPDX-License-Identifier: MIT */
/*
 * Locks of open file descriptions on bytes of a ring (fcntl(2), F_OFD_SETLK).
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "ring_lock.h"

static struct flock lock_of(int64_t byte)
{
	return (struct flock){
		.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = (off_t)byte, .l_len = 1,
	};
}

int ue__ring_lock(int fd, int64_t byte)
{
	struct flock lock = lock_of(byte);

	return fcntl(fd, F_OFD_SETLK, &lock) ? -errno : 0;
}

int ue__ring_is_locked(int fd, int64_t byte)
{
	struct flock lock = lock_of(byte);

	return fcntl(fd, F_OFD_GETLK, &lock) || lock.l_type != F_UNLCK;
}

void ue__ring_unlock(int fd, int64_t byte)
{
	struct flock lock = lock_of(byte);

	lock.l_type = F_UNLCK;
	fcntl(fd, F_OFD_SETLK, &lock);
}

/* Daemons close low numbers. */
#define LOWEST 200

int ue__ring_open_again(int fd)
{
	char path[32];
	int again, high;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	again = open(path, O_RDWR | O_CLOEXEC);
	if (again < 0)
		return -errno;
	high = fcntl(again, F_DUPFD_CLOEXEC, LOWEST);
	if (high < 0)
		return again;
	close(again);
	return high;
}
