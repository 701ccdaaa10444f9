/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "whole_file.h"

/* Files of tracefs have no size, and grow while they are read. */
static char *read_all(FILE *file, size_t *length)
{
	size_t room = 4096, used = 0, got;
	char *text = malloc(room), *larger;

	while (text && (got = fread(text + used, 1, room - used - 1, file))) {
		used += got;
		if (used + 1 < room)
			continue;
		room *= 2;
		larger = realloc(text, room);
		if (!larger)
			free(text);
		text = larger;
	}
	if (text && ferror(file)) {
		free(text);
		return NULL;
	}
	if (text)
		text[used] = '\0';
	if (length)
		*length = used;
	return text;
}

char *read_file(const char *path, size_t *length)
{
	FILE *file = fopen(path, "re");
	char *text;
	int saved;

	if (!file)
		return NULL;
	text = read_all(file, length);
	saved = errno;
	fclose(file);
	errno = saved;
	return text;
}
