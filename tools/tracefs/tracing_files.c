/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <mntent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands/commands.h"
#include "cli/message.h"
#include "tracing_files.h"

#define USUAL "/sys/kernel/tracing"

static char *duplicate(const char *text)
{
	char *copy = strdup(text);

	if (!copy) {
		message("There is no memory left.");
		exit(EXIT_FAILED);
	}
	return copy;
}

const char *tracefs_find(const char *given)
{
	FILE *mounts = given ? NULL : setmntent("/proc/self/mounts", "re");
	char *found = NULL;
	struct mntent *mount;

	while (mounts && (mount = getmntent(mounts))) {
		int usual = !strcmp(mount->mnt_dir, USUAL);

		if (strcmp(mount->mnt_type, "tracefs") || (found && !usual))
			continue;
		free(found);
		found = duplicate(mount->mnt_dir);
	}
	if (mounts)
		endmntent(mounts);
	if (!given && !found)
		message("tracefs is not mounted; mend it with: mount -t tracefs nodev " USUAL
			". \"userevents doctor\" looks closer.");
	return given ? given : found;
}

const char *tracefs_path(const char *directory, const char *name)
{
	char *path;

	if (asprintf(&path, "%s/%s", directory, name) < 0) {
		message("There is no memory left.");
		exit(EXIT_FAILED);
	}
	return path;
}

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

char *tracefs_read(const char *path, size_t *length)
{
	char *text = read_file(path, length);

	if (text)
		return text;
	if (errno == EACCES || errno == EPERM)
		message("%s cannot be read: %s. Only root may, unless rights were given; "
			"\"userevents doctor\" says how.", path, strerror(errno));
	else
		message("%s cannot be read: %s. \"userevents doctor\" says what is wrong.",
			path, strerror(errno));
	return NULL;
}
