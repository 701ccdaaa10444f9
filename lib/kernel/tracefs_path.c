/* SPDX-License-Identifier: MIT */
/*
 * Find user_events_data wherever tracefs is mounted, and the directory of its
 * descriptor.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "tracefs_path.h"

const char ue__well_known_directory[] = "/sys/kernel/tracing";

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
 * Choose the failure that says more. A file that exists but cannot be opened says
 * more than one that was not found, and that says more than a missing mount.
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
static int open_below(const char *directory, const char *below)
{
	char path[PATH_MAX];
	int length = snprintf(path, sizeof(path), "%s%s", directory, below);

	if (length < 0 || (size_t)length >= sizeof(path))
		return -ENAMETOOLONG;
	return ue__open_data(path);
}

/* The kernel writes \040 for a space, for example. */
static void unescape(char *text)
{
	char *to = text;

	while (*text) {
		if (text[0] == '\\' && text[1] >= '0' && text[1] <= '3' &&
		    text[2] >= '0' && text[2] <= '7' && text[3] >= '0' && text[3] <= '7') {
			*to++ = (char)((text[1] - '0') << 6 | (text[2] - '0') << 3 |
				       (text[3] - '0'));
			text += 4;
		} else {
			*to++ = *text++;
		}
	}
	*to = '\0';
}

static void skip_line(FILE *file)
{
	int byte;

	do
		byte = getc(file);
	while (byte != EOF && byte != '\n');
}

struct mount {
	char line[2 * PATH_MAX];
	char *directory, *type;
};

/*
 * The next mount: 1, or 0 at the end. getmntent_r() of musl leaves names escaped, and ends
 * at a line that is too long.
 */
static int next_mount(FILE *mounts, struct mount *mount)
{
	static const char blanks[] = " \t\n";
	char *rest;

	while (fgets(mount->line, sizeof(mount->line), mounts)) {
		if (!strchr(mount->line, '\n'))
			skip_line(mounts);
		if (!strtok_r(mount->line, blanks, &rest))
			continue;
		mount->directory = strtok_r(NULL, blanks, &rest);
		mount->type = mount->directory ? strtok_r(NULL, blanks, &rest) : NULL;
		if (!mount->type)
			continue;
		unescape(mount->directory);
		return 1;
	}
	return 0;
}

static int open_on_type(FILE *mounts, const char *type, const char *below)
{
	struct mount mount;
	int best = -ENODEV;

	rewind(mounts);
	while (next_mount(mounts, &mount)) {
		int fd;

		if (strcmp(mount.type, type))
			continue;
		fd = open_below(mount.directory, below);
		if (fd >= 0)
			return fd;
		best = nearer(best, fd);
	}
	return best;
}

static int open_on_mounts(const char *path)
{
	FILE *mounts = fopen(path, "re");
	int fd, best;

	if (!mounts)
		return errno == ENOMEM ? -ENOMEM : -ENODEV;
	best = open_on_type(mounts, "tracefs", "/" UE__DATA_FILE);
	if (best < 0) {
		fd = open_on_type(mounts, "debugfs", "/tracing/" UE__DATA_FILE);
		best = fd >= 0 ? fd : nearer(best, fd);
	}
	fclose(mounts);
	return best;
}

int ue__tracefs_open_data(const char *well_known, const char *mounts)
{
	int best = ue__open_data(well_known), fd;

	if (best >= 0)
		return best;
	/*
	 * Every kernel has the empty mount point, so ENOENT does not show that tracefs is
	 * mounted.
	 */
	if (best == -ENOENT || best == -ENOTDIR)
		best = -ENODEV;
	fd = open_on_mounts(mounts);
	return fd >= 0 ? fd : nearer(best, fd);
}

int ue__tracefs_check(int fd)
{
	struct statfs fs;
	int flags = fcntl(fd, F_GETFL);

	if (flags < 0 || fstatfs(fd, &fs))
		return -errno;
	if (fs.f_type != TRACEFS_MAGIC)
		return -ENOTTY;
	if (flags & O_PATH || (flags & O_ACCMODE) == O_RDONLY)
		return -EACCES;
	return 0;
}

char *ue__tracefs_directory(int fd)
{
	char link[64], path[4096];
	ssize_t length;
	char *slash;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	length = readlink(link, path, sizeof(path) - 1);
	if (length <= 0 || path[0] != '/')
		return NULL;
	path[length] = '\0';
	slash = strrchr(path, '/');
	if (strcmp(slash + 1, UE__DATA_FILE))
		return NULL;
	*slash = '\0';
	return strdup(path);
}
