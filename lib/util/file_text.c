/* SPDX-License-Identifier: MIT */
/* Read a small file whole, as the kernel generates it. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "file_text.h"

#define TEXT_MAX (16u << 20)

/* Doubles the buffer; frees it on failure. */
static char *grow(char *text, size_t *size)
{
	char *larger;

	if (*size >= TEXT_MAX) {
		free(text);
		errno = EFBIG;
		return NULL;
	}
	*size = *size ? *size * 2 : 4096;
	larger = realloc(text, *size);
	if (!larger)
		free(text);
	return larger;
}

static char *read_all(int fd, size_t *length)
{
	char *text = NULL;
	size_t size = 0;
	ssize_t got;

	*length = 0;
	for (;;) {
		if (*length + 1 >= size) {
			text = grow(text, &size);
			if (!text)
				return NULL;
		}
		got = read(fd, text + *length, size - *length - 1);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		*length += (size_t)got;
	}
	if (got < 0) {
		int error = errno;

		free(text);
		errno = error;
		return NULL;
	}
	text[*length] = '\0';
	return text;
}

char *ue__file_text(const char *path, size_t *length)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char *text;
	int error;

	if (fd < 0)
		return NULL;
	text = read_all(fd, length);
	error = errno;
	close(fd);
	errno = error;
	return text;
}
