/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "util/file_text.h"
#include "mounts.h"
#include "tracefs_path.h"

int ue__open_data(const char *path)
{
	int fd;

	do
		fd = open(path, O_RDWR | O_CLOEXEC);
	while (fd < 0 && errno == EINTR);
	if (fd >= 0)
		return fd;
	return errno == EISDIR ? -ENOTTY : -errno;
}

/*
 * Of two failures, the one that says more. "Not mounted" is what is left when
 * nothing was found; a file that is there but closed to us is the nearest miss.
 */
static int nearer(int a, int b)
{
	static const int order[] = { -ENODEV, -ENOENT };

	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
		if (a == order[i])
			return b;
		if (b == order[i])
			return a;
	}
	return a;
}

/* user_events_data on one mount, below a subdirectory. */
static int open_on(const struct ue__mount *mount, const char *below)
{
	char path[PATH_MAX];
	int length = ue__mount_directory(mount, path, sizeof(path));

	if (length < 0 || (size_t)length + strlen(below) >= sizeof(path))
		return -ENAMETOOLONG;
	strcpy(path + length, below);
	return ue__open_data(path);
}

static int open_on_type(const char *text, size_t length, const char *type,
			const char *below)
{
	struct ue__mount mount;
	int best = -ENODEV;

	while (ue__mounts_next(&text, &length, &mount)) {
		int fd;

		if (mount.type_length != strlen(type) ||
		    memcmp(mount.type, type, mount.type_length))
			continue;
		fd = open_on(&mount, below);
		if (fd >= 0)
			return fd;
		best = nearer(best, fd);
	}
	return best;
}

static int open_on_mounts(const char *mounts)
{
	size_t length;
	char *text = ue__file_text(mounts, &length);
	int fd, best;

	if (!text)
		return errno == ENOMEM ? -ENOMEM : -ENODEV;
	best = open_on_type(text, length, "tracefs", "/" UE__DATA_FILE);
	if (best < 0) {
		fd = open_on_type(text, length, "debugfs",
				  "/tracing/" UE__DATA_FILE);
		best = fd >= 0 ? fd : nearer(best, fd);
	}
	free(text);
	return best;
}

int ue__tracefs_open_data(const char *well_known, const char *mounts)
{
	int best = ue__open_data(well_known), fd;

	if (best >= 0)
		return best;
	/* The empty mount point is there on every kernel: not found says nothing. */
	if (best == -ENOENT || best == -ENOTDIR)
		best = -ENODEV;
	fd = open_on_mounts(mounts);
	return fd >= 0 ? fd : nearer(best, fd);
}
