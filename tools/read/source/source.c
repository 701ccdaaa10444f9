/* SPDX-License-Identifier: MIT */
/* Maps files, buffers streams, and spools a stream into a file. */
#include "source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/cli/memory.h"

#define FIRST_SIZE ((size_t)256 << 10)

static const uint8_t nothing[1];

static int map_file(struct source *source, off_t size)
{
	void *map;

	if ((uint64_t)size > SIZE_MAX)
		return -EFBIG;
	if (!size) { /* cannot be mapped */
		source->map = nothing;
		return 0;
	}
	map = mmap(NULL, (size_t)size, PROT_READ, MAP_PRIVATE, source->fd, 0);
	if (map == MAP_FAILED)
		return -errno;
	madvise(map, (size_t)size, MADV_SEQUENTIAL);
	source->map = map;
	source->size = (size_t)size;
	return 0;
}

/* "(read x; userevents decode -) <f" does not read the file from its beginning. */
static int is_whole_file(int fd, struct stat *status)
{
	return S_ISREG(status->st_mode) && lseek(fd, 0, SEEK_CUR) == 0;
}

int source_open(struct source *source, const char *path)
{
	struct stat status;
	int result;

	*source = (struct source){ .fd = -1 };
	if (!strcmp(path, "-"))
		source->fd = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
	else
		source->fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (source->fd < 0 || fstat(source->fd, &status) < 0)
		result = -errno;
	else if (S_ISDIR(status.st_mode))
		result = -EISDIR;
	else if (is_whole_file(source->fd, &status))
		result = map_file(source, status.st_size);
	else
		result = 0;
	if (result)
		source_close(source);
	return result;
}

void source_close(struct source *source)
{
	if (source->map && source->map != nothing)
		munmap((void *)(uintptr_t)source->map, source->size);
	free(source->buffer);
	if (source->fd >= 0)
		close(source->fd);
	*source = (struct source){ .fd = -1 };
}

/* Streams */

/*
 * Make room behind the end: drop the bytes that were passed over, or double the buffer.
 */
static void make_room(struct source *source)
{
	if (source->begin) {
		memmove(source->buffer, source->buffer + source->begin,
			source->end - source->begin);
		source->end -= source->begin;
		source->begin = 0;
	}
	if (source->end < source->size)
		return;
	source->size = source->size ? source->size * 2 : FIRST_SIZE;
	source->buffer = xrealloc(source->buffer, source->size);
}

/* Read more bytes; 0, or -1 at the end or after an error. */
static int read_more(struct source *source)
{
	ssize_t length;

	if (source->is_end || source->error)
		return -1;
	if (source->end == source->size)
		make_room(source);
	if (source->on_wait && source->on_wait(source->context)) {
		source->is_end = 1;
		return -1;
	}
	do
		length = read(source->fd, source->buffer + source->end,
			      source->size - source->end);
	while (length < 0 && errno == EINTR);
	if (length > 0) {
		source->end += (size_t)length;
		return 0;
	}
	if (length < 0)
		source->error = errno;
	else
		source->is_end = 1;
	return -1;
}

size_t source_left_in_stream(struct source *source, size_t length)
{
	size_t left;

	while (source->end - source->begin < length)
		if (read_more(source))
			break;
	left = source->end - source->begin;
	return left < length ? left : length;
}

int source_skip_slowly(struct source *source, uint64_t length)
{
	while (length) {
		size_t step = length < FIRST_SIZE ? (size_t)length : FIRST_SIZE;

		step = source_left(source, step);
		if (!step)
			return -1;
		source->begin += step;
		source->offset += step;
		length -= step;
	}
	return 0;
}

/* Spooling */

static int unnamed_file(void)
{
	const char *folder = getenv("TMPDIR");
	int fd = open(folder && *folder ? folder : "/tmp",
		      O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	return fd >= 0 ? fd : memfd_create("userevents", MFD_CLOEXEC);
}

static int copy_stream(struct source *source, int fd)
{
	size_t length;
	int result = 0;

	while (!result && (length = source_left(source, 1))) {
		length = source->end - source->begin;
		if (write_all(fd, source->buffer + source->begin, length) < length)
			result = -errno;
		source->begin = source->end = 0;
	}
	return result ? result : -source->error;
}

int source_spool(struct source *source)
{
	struct stat status;
	int fd, result;

	if (source->map)
		return 0;
	fd = unnamed_file();
	if (fd < 0)
		return -errno;
	result = copy_stream(source, fd);
	if (!result && fstat(fd, &status) < 0)
		result = -errno;
	if (result) {
		close(fd);
		return result;
	}
	source_close(source);
	*source = (struct source){ .fd = fd };
	return map_file(source, status.st_size);
}

int source_copy(const struct source *source, size_t length, uint64_t size)
{
	int result, fd = unnamed_file();

	if (fd >= 0 && write_all(fd, source->map, length) == length &&
	    !ftruncate(fd, (off_t)size))
		return fd;
	result = -errno;
	if (fd >= 0)
		close(fd);
	return result;
}

int input_fails(struct input *input, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(input->problem, sizeof(input->problem), format, arguments);
	va_end(arguments);
	return -1;
}

int input_fails_with(struct input *input, int error)
{
	return input_fails(input, "%s", strerror(error));
}

int input_is_cut_off(struct input *input, const char *within)
{
	if (input->source.error)
		return input_fails_with(input, input->source.error);
	return input_fails(input, "it is cut off at byte %llu, within %s",
			   (unsigned long long)input->source.offset, within);
}

int input_next(struct input *input, struct record *record)
{
	return input->kind->next(input, record);
}

void input_close(struct input *input)
{
	if (input->kind)
		input->kind->close(input);
	source_close(&input->source);
	input->kind = NULL;
}
