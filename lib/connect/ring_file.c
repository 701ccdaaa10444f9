/* SPDX-License-Identifier: MIT */
/*
 * Create a ring.
 *
 * Other programs must not find half a ring, nor lose a file that has the path already. So
 * the ring is made in a file without a name, which gets its name by linkat(2) when it is
 * complete: this fails if the name exists. If the process dies before, the kernel
 * removes the file. File systems without such files (O_TMPFILE, open(2)) get one with a
 * random name in the same directory; there a process that dies at the wrong moment
 * leaves it behind.
 *
 * Space is allocated at once. A file system that is full later would otherwise answer a
 * write to the ring with SIGBUS.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ring/events.h"
#include "ring/ring_memory.h"
#include "ring_file.h"
#include "util/errno_guard.h"
#include "util/sized_struct.h"

#define FLAGS (UE_RING_DISABLED | UE_RING_MAY_EXIST)
/* The size in 0.1. */
#define OPTS_SIZE_MIN UE__SIZE_UP_TO(struct ue_ring_opts, flags)

/* The ring in its file */

static int enable_all(int fd)
{
	struct ue__ring_memory memory;
	int result = ue__ring_map(&memory, fd);

	if (result)
		return result;
	result = ue__ring_add_rule(&memory, '+', "*");
	ue__ring_unmap(&memory);
	return result;
}

/* Allocating more than RLIMIT_FSIZE raises SIGXFSZ, which ends the program. */
static int check_limit(uint64_t bytes)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_FSIZE, &limit) || limit.rlim_cur == RLIM_INFINITY)
		return 0;
	return bytes > limit.rlim_cur ? -EFBIG : 0;
}

static int fill(int fd, const struct ue_ring_opts *opts, int is_lazy)
{
	const struct ue__ring_plan plan = {
		.size = opts->bytes ? opts->bytes : UE_RING_BYTES_DEFAULT,
		.mode = opts->mode ? opts->mode : UE_RING_OVERWRITE,
	};
	int result = check_limit(plan.size);

	if (!result)
		result = ue__ring_format(fd, &plan, is_lazy);
	if (!result && !(opts->flags & UE_RING_DISABLED))
		result = enable_all(fd);
	return result;
}

static int seal(int fd)
{
	return fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) ? -errno : 0;
}

static int create_memfd(const struct ue_ring_opts *opts)
{
	int fd = memfd_create("userevents-ring", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	int result = fd < 0 ? -errno : fill(fd, opts, 1);

	if (!result)
		result = seal(fd);
	if (!result)
		return fd;
	if (fd >= 0)
		close(fd);
	return result;
}

/* Naming it */

/* The descriptor alone is a name for processes with CAP_DAC_READ_SEARCH, or since 6.10. */
static int link_unnamed(int fd, const char *path)
{
	char name[32];

	if (!linkat(fd, "", AT_FDCWD, path, AT_EMPTY_PATH))
		return 0;
	if (errno != ENOENT)
		return -errno;
	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	return linkat(AT_FDCWD, name, AT_FDCWD, path, AT_SYMLINK_FOLLOW) ? -errno : 0;
}

static int link_named(const char *name, const char *path)
{
	if (!link(name, path))
		return 0;
	return errno == EPERM ? -EOPNOTSUPP : -errno; /* it knows no links */
}

/* The umask may have removed rights of the owner. */
static int set_rights(int fd)
{
	return fchmod(fd, S_IRUSR | S_IWUSR) ? -errno : 0;
}

/* Make the ring in an open file without its name, and give it that. */
static int finish(int fd, const char *name, const char *path, const struct ue_ring_opts *opts)
{
	int result = set_rights(fd);

	if (!result)
		result = fill(fd, opts, 0);
	if (!result)
		result = name ? link_named(name, path) : link_unnamed(fd, path);
	if (name)
		unlink(name);
	if (!result)
		return fd;
	close(fd);
	return result;
}

/* The directory of a path, with its last slash; "./" if the path has none. */
static int directory_of(const char *path, char *directory, size_t size)
{
	const char *slash = strrchr(path, '/');
	const size_t length = slash ? (size_t)(slash - path) + 1 : 0;

	if (!*path)
		return -ENOENT;
	if (length + sizeof("./") > size)
		return -ENAMETOOLONG;
	memcpy(directory, slash ? path : "./", slash ? length : 2);
	directory[slash ? length : 2] = '\0';
	return 0;
}

static int create_named(const char *directory, const char *path,
			const struct ue_ring_opts *opts)
{
	char name[PATH_MAX];
	int fd, length;

	length = snprintf(name, sizeof(name), "%s.userevents-XXXXXX", directory);
	if (length < 0 || (size_t)length >= sizeof(name))
		return -ENAMETOOLONG;
	fd = mkostemp(name, O_CLOEXEC);
	return fd < 0 ? -errno : finish(fd, name, path, opts);
}

/* EISDIR: the kernel does not know O_TMPFILE; EINVAL: nor do some file systems. */
static int lacks_unnamed_files(int error)
{
	return error == EOPNOTSUPP || error == EISDIR || error == EINVAL;
}

static int create(const char *path, const struct ue_ring_opts *opts)
{
	char directory[PATH_MAX];
	struct stat file;
	int fd, result = directory_of(path, directory, sizeof(directory));

	if (result)
		return result;
	if (!lstat(path, &file)) /* linkat(2) decides, but has no need to fill a disk first */
		return -EEXIST;
	fd = open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, S_IRUSR | S_IWUSR);
	if (fd < 0)
		return lacks_unnamed_files(errno) ? create_named(directory, path, opts) :
						    -errno;
	result = finish(fd, NULL, path, opts);
	/* The directory exists, so it is /proc that does not. */
	return result == -ENOENT ? create_named(directory, path, opts) : result;
}

/* Using one that exists */

static int check_ring(int fd)
{
	struct ue__ring_memory memory;
	int result = ue__ring_map(&memory, fd);

	if (!result)
		ue__ring_unmap(&memory);
	return result;
}

/* O_NONBLOCK: the path may name a device or a FIFO. */
static int use(const char *path)
{
	int fd = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	int result = fd < 0 ? -errno : check_ring(fd);

	if (!result)
		return fd;
	if (fd >= 0)
		close(fd);
	return result;
}

/* Others may create and delete the file meanwhile. A link to nowhere remains both. */
#define ATTEMPTS 100

static int use_or_create(const char *path, const struct ue_ring_opts *opts)
{
	int fd = -ENOENT;

	for (int i = 0; i < ATTEMPTS && fd == -ENOENT; i++) {
		fd = use(path);
		if (fd != -ENOENT)
			return fd;
		fd = create(path, opts);
		if (fd == -ENOENT)
			return fd; /* the directory */
		if (fd == -EEXIST)
			fd = -ENOENT;
	}
	return fd == -ENOENT ? -EEXIST : fd;
}

/* The call */

int ue__ring_create_file(const char *path, const struct ue_ring_opts *opts)
{
	if (!path)
		return create_memfd(opts);
	return opts->flags & UE_RING_MAY_EXIST ? use_or_create(path, opts) :
						 create(path, opts);
}

static int check_opts(const struct ue_ring_opts *opts)
{
	if (opts->size < OPTS_SIZE_MIN)
		return -EINVAL;
	if (ue__has_tail(opts, sizeof(*opts), opts->size))
		return -E2BIG;
	if (opts->flags & ~FLAGS || opts->mode > UE_RING_OVERWRITE)
		return -EINVAL;
	if (opts->bytes &&
	    (opts->bytes < UE_RING_BYTES_LEAST || opts->bytes > UE_RING_BYTES_MOST))
		return -EINVAL;
	return 0;
}

UE__PUBLIC int ue_ring_create(const char *path, const struct ue_ring_opts *opts)
{
	UE__UNDISTURBED;
	static const struct ue_ring_opts defaults = { .size = sizeof(defaults) };
	int result;

	if (!opts)
		opts = &defaults;
	result = check_opts(opts);
	return result ? result : ue__ring_create_file(path, opts);
}
