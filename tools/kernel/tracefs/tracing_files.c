/* SPDX-License-Identifier: MIT */
/* Finds tracefs, and reads its files. */
#include <errno.h>
#include <mntent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statfs.h>
#include <linux/magic.h>
#include <unistd.h>

#include "common/cli/memory.h"
#include "common/cli/message.h"
#include "tracing_files.h"

#define USUAL "/sys/kernel/tracing"

int tracing_mount(const char *mounts, char **directory, char **options)
{
	FILE *file = setmntent(mounts, "re");
	struct mntent *mount;

	if (!file)
		return -errno;
	while ((mount = getmntent(file))) {
		if (strcmp(mount->mnt_type, "tracefs") ||
		    (*directory && strcmp(mount->mnt_dir, USUAL)))
			continue;
		free(*directory);
		free(*options);
		*directory = xstrdup(mount->mnt_dir);
		*options = xstrdup(mount->mnt_opts);
	}
	endmntent(file);
	return 0;
}

const char *tracing_find(const char *given)
{
	char *found = NULL, *options = NULL;

	if (given)
		return given;
	tracing_mount("/proc/self/mounts", &found, &options);
	free(options);
	if (!found && !tracing_lacks_user_events(NULL))
		message("cannot find tracefs: it is not mounted; fix it with: mount -t tracefs "
			"nodev " USUAL);
	return found;
}

/* Whether this may be a kernel without user_events. */
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
		"\"userevents run\" shows events without it, and \"userevents collect --socket\" "
		"collects them");
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
		message("cannot read %s: %s; run as root, or give this user rights as "
			"\"userevents doctor\" shows", path, strerror(errno));
	else
		message("cannot read %s: %s; \"userevents doctor\" reports what is wrong",
			path, strerror(errno));
	return NULL;
}
