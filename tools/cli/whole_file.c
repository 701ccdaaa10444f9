/* SPDX-License-Identifier: MIT */
/* Reads a whole file. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "bytes.h"
#include "whole_file.h"

/* Files of tracefs have no size, and grow while they are read. */
static char *read_all(FILE *file, size_t *length)
{
	struct bytes text = { 0 };
	size_t got;

	while ((got = fread(bytes_room(&text, 4096), 1, 4095, file)))
		text.length += got;
	if (ferror(file)) {
		free(text.at);
		return NULL;
	}
	text.at[text.length] = '\0';
	if (length)
		*length = text.length;
	return (char *)text.at;
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
