/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <string.h>

#include "mounts.h"

/* One blank-separated word of a line; NULL at the end of the line. */
static const char *next_word(const char **at, const char *end, size_t *length)
{
	const char *begin = *at;
	const char *blank;

	if (begin >= end)
		return NULL;
	blank = memchr(begin, ' ', (size_t)(end - begin));
	if (!blank)
		blank = end;
	*length = (size_t)(blank - begin);
	*at = blank < end ? blank + 1 : end;
	return begin;
}

static int parse_line(const char *at, const char *end, struct ue__mount *mount)
{
	size_t length;

	if (!next_word(&at, end, &length)) /* the device */
		return 0;
	mount->directory = next_word(&at, end, &mount->directory_length);
	mount->type = next_word(&at, end, &mount->type_length);
	return mount->type && mount->directory_length && mount->type_length;
}

int ue__mounts_next(const char **text, size_t *length, struct ue__mount *mount)
{
	while (*length) {
		const char *line = *text;
		const char *newline = memchr(line, '\n', *length);
		const char *end = newline ? newline : line + *length;
		size_t used = (size_t)(end - line) + (newline ? 1 : 0);

		*text += used;
		*length -= used;
		if (parse_line(line, end, mount))
			return 1;
	}
	return 0;
}

static int is_octal(char c)
{
	return c >= '0' && c <= '7';
}

/* \ooo with a value of one byte, other than NUL. */
static int is_escape(const char *at, const char *end)
{
	return end - at >= 4 && at[0] == '\\' && at[1] >= '0' && at[1] <= '3' &&
	       is_octal(at[2]) && is_octal(at[3]) &&
	       (at[1] != '0' || at[2] != '0' || at[3] != '0');
}

int ue__mount_directory(const struct ue__mount *mount, char *out, size_t size)
{
	const char *at = mount->directory;
	const char *end = at + mount->directory_length;
	size_t length = 0;

	while (at < end) {
		if (length + 1 >= size)
			return -ENAMETOOLONG;
		if (is_escape(at, end)) {
			out[length++] = (char)((at[1] - '0') << 6 |
					       (at[2] - '0') << 3 | (at[3] - '0'));
			at += 4;
		} else {
			out[length++] = *at++;
		}
	}
	if (length >= size)
		return -ENAMETOOLONG;
	out[length] = '\0';
	return (int)length;
}
