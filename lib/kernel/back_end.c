/* SPDX-License-Identifier: MIT */
/*
 * The list of back ends, and the descriptor that each works on.
 */
#include <errno.h>
#include <stddef.h>
#include <sys/stat.h>

#include "back_end.h"
#include "tracefs_path.h"

/* The kernel's come last, as an ioctl must not reach any other file. */
const struct ue__back_end *const ue__all_back_ends[] = {
	&ue__capture,
	&ue__ring_file,
	&ue__enable_address,
	&ue__status_page,
	NULL,
};

int ue__channel_note_file(struct ue__channel *channel, int fd)
{
	struct stat file;

	if (fstat(fd, &file))
		return -errno;
	channel->mode = file.st_mode;
	channel->device = file.st_dev;
	channel->inode = file.st_ino;
	return 0;
}

int ue__channel_begin(struct ue__channel *channel, int fd)
{
	const int result = ue__channel_note_file(channel, fd);

	if (!result)
		channel->fd = fd;
	return result;
}

void ue__channel_examine(struct ue__channel *channel)
{
	channel->tracefs_error = S_ISREG(channel->mode) ? ue__tracefs_check(channel->fd) :
							  -ENOTTY;
}

int ue__channel_is_open(const struct ue__channel *channel)
{
	struct stat file;

	if (fstat(channel->fd, &file))
		return errno != EBADF;
	return file.st_dev == channel->device && file.st_ino == channel->inode;
}
