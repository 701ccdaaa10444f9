/* SPDX-License-Identifier: MIT */
/* Finds tracefs, and reads its files. */
#include "tracing_files.h"

#include <errno.h>
#include <linux/magic.h>
#include <mntent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statfs.h>
#include <unistd.h>

#include "common/cli/memory.h"
#include "common/cli/message.h"

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

/* Opens a session and registers events, with messages for a person. */

struct ue_open_opts session_opts(const char *directory)
{
	return (struct ue_open_opts){
		.size = sizeof(struct ue_open_opts),
		.path = directory ? tracing_path(directory, "user_events_data") : NULL,
	};
}

int session_open(const char *directory)
{
	const struct ue_open_opts opts = session_opts(directory);
	int fd = ue_open(&opts);

	if (fd >= 0)
		return fd;
	if (fd == -ENODEV || (fd == -ENOENT && !directory))
		directory = tracing_find(NULL); /* which complains if there is none */
	if ((fd == -ENODEV && !directory) || tracing_lacks_user_events(directory))
		return -1;
	message("cannot open user_events: %s; \"userevents doctor\" reports more",
		ue_explain(UE_CALL_OPEN, fd));
	return -1;
}

struct ue_event *session_register(int fd, const char *definition, uint32_t flags)
{
	struct ue_event *event = xcalloc(1, sizeof(*event));
	int result = ue_event_init(event, definition, flags);

	if (!result)
		result = ue_register(fd, event);
	if (!result)
		return event;
	message("cannot register %.*s: %s", (int)strcspn(definition, " "), definition,
		ue_explain(UE_CALL_REGISTER, result));
	free(event);
	return NULL;
}
