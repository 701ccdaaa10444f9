/* SPDX-License-Identifier: MIT */
/* Reads user_events_status in pieces, for the child of a fork, which must not allocate. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <userevents/decode/status.h>

#include "event_states.h"

struct piece {
	char text[1024];
	size_t length;
	int is_within; /* a line that was too long, of which the rest follows */
};

/* The lines of a piece that are whole. Behind the events are the totals, which are none. */
static void tell_lines(const char *text, size_t length, ue__tell *tell, void *context)
{
	struct ue_status_entry entry;
	struct ue_status status;

	ue_status_begin(&status, text, length);
	while (ue_status_next(&status, &entry) > 0)
		tell(context, entry.name, entry.name_length, entry.users != 0);
}

/* Keep the line that the piece ends amid. */
static void take(struct piece *piece, ue__tell *tell, void *context)
{
	char *begin = piece->text, *end = piece->text + piece->length, *last;

	if (piece->is_within) {
		begin = memchr(begin, '\n', piece->length);
		piece->is_within = !begin;
		begin = begin ? begin + 1 : end;
	}
	last = memrchr(begin, '\n', (size_t)(end - begin));
	if (last) {
		tell_lines(begin, (size_t)(last + 1 - begin), tell, context);
		begin = last + 1;
	} else if (begin == piece->text && piece->length == sizeof(piece->text)) {
		piece->is_within = 1;
		begin = end;
	}
	piece->length = (size_t)(end - begin);
	memmove(piece->text, begin, piece->length);
}

static int read_all(int fd, ue__tell *tell, void *context)
{
	struct piece piece = { .length = 0 };
	ssize_t got;

	for (;;) {
		got = read(fd, piece.text + piece.length, sizeof(piece.text) - piece.length);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got ? -errno : 0;
		piece.length += (size_t)got;
		take(&piece, tell, context);
	}
}

/* The path is the parent's; in another root, anything may be there. */
static int is_kernels(int fd, dev_t device)
{
	struct stat file;

	return !fstat(fd, &file) && S_ISREG(file.st_mode) && file.st_dev == device;
}

int ue__event_states(const char *directory, dev_t device, ue__tell *tell, void *context)
{
	char path[PATH_MAX / 8];
	const int length = snprintf(path, sizeof(path), "%s/user_events_status", directory);
	int fd, result;

	if (length < 0 || (size_t)length >= sizeof(path))
		return -ENAMETOOLONG;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW);
	if (fd < 0)
		return -errno;
	result = is_kernels(fd, device) ? read_all(fd, tell, context) : -ENODEV;
	close(fd);
	return result;
}
