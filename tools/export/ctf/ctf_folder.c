/* SPDX-License-Identifier: MIT */
/* Checks the directory of a trace, and reserves space in it. */
#include "ctf_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/cli/memory.h"
#include "common/cli/message.h"

/* The stream is reserved in steps of this size. */
#define STEP (1u << 20)

/* Reserve up to this size of a file: 0 or an errno. */
static int reserve(const struct ctf_folder *folder, const char *name, int flags, uint64_t size)
{
	char *path = xprintf("%s/%s", folder->path, name);
	const int fd = open(path, O_WRONLY | O_CLOEXEC | flags, 0600);
	int error = fd < 0 ? errno : 0;

	free(path);
	if (fd < 0)
		return error;
	error = posix_fallocate(fd, 0, (off_t)size);
	close(fd);
	return error;
}

int ctf_folder_check(const struct ctf_folder *folder)
{
	if (!mkdir(folder->path, 0700)) {
		rmdir(folder->path);
		return 0;
	}
	if (errno == EEXIST)
		message("cannot create %s: it exists already; give the name of a new directory",
			folder->path);
	else
		message("cannot create %s: %s", folder->path, strerror(errno));
	return -1;
}

void ctf_folder_remove(const struct ctf_folder *folder)
{
	char *path = xprintf("%s/metadata", folder->path);

	unlink(path);
	free(path);
	rmdir(folder->path);
}

int ctf_folder_reserve(struct ctf_folder *folder, uint64_t more)
{
	folder->error = reserve(folder, "metadata", O_CREAT, folder->metadata + more);
	if (folder->error)
		return -1;
	folder->metadata += more;
	return 0;
}

/* Nobody sees the library writing to a file that was removed meanwhile. */
int ctf_folder_reserve_stream(struct ctf_folder *folder, uint64_t end)
{
	if (end <= folder->stream)
		return 0;
	if (!reserve(folder, "stream", 0, end + STEP)) {
		folder->stream = end + STEP;
		return 0;
	}
	folder->error = reserve(folder, "stream", 0, end);
	if (folder->error)
		return -1;
	folder->stream = end;
	return 0;
}

int ctf_folder_is_ready(const struct ctf_folder *folder)
{
	char *path = xprintf("%s/metadata", folder->path);
	const int is_ready = !access(path, W_OK);

	free(path);
	return is_ready;
}
