/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <mntent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statfs.h>
#include <linux/magic.h>
#include <unistd.h>

#include "cli/memory.h"
#include "cli/message.h"
#include "cli/whole_file.h"
#include "tracing_files.h"

#define USUAL "/sys/kernel/tracing"

/* The mount of tracefs that comes first, or the usual one. */
static char *find_mount(void)
{
	FILE *mounts = setmntent("/proc/self/mounts", "re");
	char *found = NULL;
	struct mntent *mount;

	while (mounts && (mount = getmntent(mounts))) {
		int usual = !strcmp(mount->mnt_dir, USUAL);

		if (strcmp(mount->mnt_type, "tracefs") || (found && !usual))
			continue;
		free(found);
		found = xstrdup(mount->mnt_dir);
	}
	if (mounts)
		endmntent(mounts);
	return found;
}

const char *tracing_find(const char *given)
{
	const char *found = given ? given : find_mount();

	if (!found && !tracing_lacks_user_events(NULL))
		message("cannot find tracefs: it is not mounted; fix it with: mount -t tracefs "
			"nodev " USUAL);
	return found;
}

/* Whether the directory may be that of a kernel without user_events. */
static int is_suspect(const char *directory)
{
	struct statfs system;

	return !directory || (!statfs(directory, &system) &&
			      system.f_type == TRACEFS_MAGIC &&
			      access(tracing_path(directory, "user_events_status"), F_OK) &&
			      errno == ENOENT);
}

int tracing_lacks_user_events(const char *directory)
{
	FILE *symbols = is_suspect(directory) ? fopen("/proc/kallsyms", "re") : NULL;
	size_t room = 0, lines = 0;
	char *line = NULL;
	int is_found = 0;

	while (symbols && !is_found && getline(&line, &room, symbols) >= 0) {
		is_found = strstr(line, " user_events_") != NULL;
		lines++;
	}
	free(line);
	if (symbols)
		fclose(symbols);
	if (is_found || !lines)
		return 0;
	message("cannot use user_events: this kernel was built without CONFIG_USER_EVENTS; "
		"\"userevents run\" shows events without it");
	return 1;
}

char *tracing_path(const char *directory, const char *name)
{
	return xprintf("%s/%s", directory, name);
}

char *tracing_read(const char *path, size_t *length)
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
