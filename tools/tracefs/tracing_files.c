/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <mntent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/memory.h"
#include "cli/message.h"
#include "cli/whole_file.h"
#include "tracing_files.h"

#define USUAL "/sys/kernel/tracing"

const char *tracing_find(const char *given)
{
	FILE *mounts = given ? NULL : setmntent("/proc/self/mounts", "re");
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
	if (!given && !found)
		message("tracefs is not mounted; mend it with: mount -t tracefs nodev " USUAL
			". \"userevents doctor\" looks closer.");
	return given ? given : found;
}

const char *tracing_path(const char *directory, const char *name)
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
