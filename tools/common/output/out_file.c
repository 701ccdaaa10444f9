/* SPDX-License-Identifier: MIT */
/* Writes a file whole, or removes the beginning. */
#include "out_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/cli/message.h"

/*
 * Opening a pipe waits for a reader, so the tool must not open it for reading. A shared
 * file may be one that this user can only write.
 */
static int flags_for(const struct outfile *file)
{
	struct stat status;

	if (!stat(file->path, &status) && !S_ISREG(status.st_mode))
		return O_WRONLY;
	return (file->is_shared ? O_WRONLY : O_RDWR) | O_CREAT;
}

/* Emptying an input would destroy its content; appending to it would never end. */
static int is_input(int fd, const char *input)
{
	struct stat ours, other;

	return !fstat(fd, &ours) && S_ISREG(ours.st_mode) &&
	       !(strcmp(input, "-") ? stat(input, &other) : fstat(STDIN_FILENO, &other)) &&
	       ours.st_dev == other.st_dev && ours.st_ino == other.st_ino;
}

static const char *refuse_inputs(int fd, char *const *inputs)
{
	for (; inputs && *inputs; inputs++)
		if (is_input(fd, *inputs))
			return "it is what is read; use another --output";
	return NULL;
}

/* NULL, or why the file is left alone. */
static const char *take_file(int fd, mode_t mode)
{
	if (flock(fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK)
		return "another program is recording into it";
	if (mode & (S_IRWXG | S_IRWXO) && fchmod(fd, mode & S_IRWXU))
		return "other users may read it, and its mode cannot be changed; write to "
		       "\"-\" and redirect that";
	return NULL;
}

/*
 * Events may be secret, so only the owner may read a file that is not shared, also if it
 * existed. NULL, or why this failed.
 */
static const char *open_path(struct outfile *file)
{
	const int flags = flags_for(file) | O_CLOEXEC;
	const mode_t mode = file->is_shared ? 0666 : 0600;
	int fd = flags & O_CREAT ? open(file->path, flags | O_EXCL, mode) : -1;
	const char *why = NULL;
	struct stat status;

	file->is_new = fd >= 0;
	if (fd < 0 && !file->is_new_only)
		fd = open(file->path, flags, mode);
	if (fd < 0)
		return strerror(errno);
	file->is_regular = !fstat(fd, &status) && S_ISREG(status.st_mode);
	why = refuse_inputs(fd, file->inputs);
	if (!why && file->is_regular && !file->is_shared)
		why = take_file(fd, status.st_mode);
	if (why)
		close(fd);
	else
		file->fd = fd;
	return why;
}

static const char *open_output(struct outfile *file)
{
	const char *why = refuse_inputs(STDOUT_FILENO, file->inputs);

	if (why)
		return why;
	file->fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	return file->fd < 0 ? strerror(errno) : NULL;
}

int outfile_open(struct outfile *file)
{
	const char *why;
	int is_output;

	if (file->fd >= 0)
		return 0;
	is_output = !strcmp(file->path, "-");
	file->shown = is_output ? "standard output" : file->path;
	why = is_output ? open_output(file) : open_path(file);
	if (!why)
		return 0;
	message("cannot write %s: %s", file->shown, why);
	return -1;
}

int outfile_empty(struct outfile *file)
{
	file->is_new = 0;
	if (!file->is_regular || !ftruncate(file->fd, 0))
		return 0;
	message("cannot empty %s: %s", file->shown, strerror(errno));
	file->has_failed = 1;
	return -1;
}

/*
 * A closed pipe needs no message: its reader wanted no more. Remove the part of the last
 * record, counted from the end, as the file may have begun with something else.
 */
static int fail(struct outfile *file, size_t partly)
{
	off_t end;

	if (errno != EPIPE)
		message("cannot write all of %s: %s; %s", file->shown, file_reason(errno),
			file->rest ? file->rest : "it has the events up to then");
	file->has_failed = 1;
	end = lseek(file->fd, 0, SEEK_CUR);
	if (end < (off_t)partly || ftruncate(file->fd, end - (off_t)partly)) {
		/* the reader of a pipe finds the end of the last record */
	}
	return -1;
}

/* The bytes of the records that were written whole. */
static size_t whole_records(const char *bytes, size_t written)
{
	size_t whole = 0;
	uint32_t size;

	while (written - whole >= sizeof(size)) {
		memcpy(&size, bytes + whole, sizeof(size));
		if (size > written - whole)
			break;
		whole += size;
	}
	return whole;
}

static int write_or_fail(struct outfile *file, const void *bytes, size_t length,
			 int are_records)
{
	size_t written;

	if (file->has_failed)
		return -1;
	written = write_all(file->fd, bytes, length);
	if (written < length)
		return fail(file, written - (are_records ? whole_records(bytes, written) : 0));
	file->bytes += length;
	return 0;
}

int outfile_write(struct outfile *file, const void *bytes, size_t length)
{
	return write_or_fail(file, bytes, length, 0);
}

int outfile_write_records(struct outfile *file, const void *bytes, size_t length)
{
	return write_or_fail(file, bytes, length, 1);
}

/* A file system that cannot reserve is no reason to stop. */
int outfile_reserve(const struct outfile *file, uint64_t more)
{
	struct rlimit limit;

	if (!file->is_regular)
		return 0;
	if (!getrlimit(RLIMIT_FSIZE, &limit) && limit.rlim_cur != RLIM_INFINITY &&
	    file->bytes + more > limit.rlim_cur)
		return EFBIG;
	if (!fallocate(file->fd, FALLOC_FL_KEEP_SIZE, (off_t)file->bytes, (off_t)more))
		return 0;
	return errno == ENOSPC || errno == EDQUOT || errno == EFBIG ? errno : 0;
}

void outfile_release(const struct outfile *file)
{
	if (file->is_regular && ftruncate(file->fd, (off_t)file->bytes)) {
		/* the space is free again when the file is removed */
	}
}

int outfile_move(struct outfile *file, struct bytes *bytes)
{
	int result = outfile_write(file, bytes->at, bytes->length);

	bytes_free(bytes);
	return result;
}

int outfile_close(struct outfile *file)
{
	if (file->fd < 0)
		return 0;
	if (file->is_new)
		unlink(file->path);
	if (close(file->fd) && !file->has_failed) {
		message("cannot write all of %s: %s", file->shown, file_reason(errno));
		file->has_failed = 1;
	}
	file->fd = -1;
	return file->has_failed ? -1 : 0;
}
