/* SPDX-License-Identifier: MIT */
/* Makes and locks a directory. */
#include "owned_directory.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/cli/message.h"

int owned_directory_open(const char *path)
{
	int fd;

	if (mkdir(path, 0700) && errno != EEXIST) {
		message("cannot make the directory %s: %s", path, strerror(errno));
		return -1;
	}
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0) {
		message("cannot record into %s: %s", path, strerror(errno));
		return -1;
	}
	if (!flock(fd, LOCK_EX | LOCK_NB))
		return fd;
	message(errno == EWOULDBLOCK ?
		"cannot record into %s: another collector does; give each a directory of its own" :
		"cannot lock %s: its file system has no locks; use a directory of another one",
		path);
	close(fd);
	return -1;
}
