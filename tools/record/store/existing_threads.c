/* SPDX-License-Identifier: MIT */
/* Reads the names of threads from /proc, and of control groups from their file system. */
#include "existing_threads.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/memory.h"
#include "made_record.h"

/* Threads */

static int is_number(const char *name)
{
	return *name >= '1' && *name <= '9';
}

static void add_thread(struct bytes *bytes, uint64_t id, const char *pid, const char *tid)
{
	struct {
		uint32_t pid;
		uint32_t tid;
		char name[64];
	} comm = { .name = "" };
	char *path = xprintf("/proc/%s/task/%s/comm", pid, tid);
	char *name = read_file(path, NULL);
	uint64_t who;

	free(path);
	if (!name)
		return; /* it has ended */
	comm.pid = (uint32_t)atoi(pid);
	comm.tid = (uint32_t)atoi(tid);
	memcpy(&who, &comm, sizeof(who));
	snprintf(comm.name, sizeof(comm.name), "%.*s", (int)strcspn(name, "\n"), name);
	free(name);
	made_record_add(bytes, PERF_RECORD_COMM, &comm,
			8 + ((strlen(comm.name) + 8) & ~(size_t)7), who, id);
}

static void add_process(struct bytes *bytes, uint64_t id, const char *pid)
{
	char *path = xprintf("/proc/%s/task", pid);
	DIR *directory = opendir(path);
	struct dirent *entry;

	free(path);
	while (directory && (entry = readdir(directory)))
		if (is_number(entry->d_name))
			add_thread(bytes, id, pid, entry->d_name);
	if (directory)
		closedir(directory);
}

void existing_threads_add(struct bytes *bytes, uint64_t id)
{
	DIR *directory = opendir("/proc");
	struct dirent *entry;

	while (directory && (entry = readdir(directory)))
		if (is_number(entry->d_name))
			add_process(bytes, id, entry->d_name);
	if (directory)
		closedir(directory);
}

/* Control groups */

struct hierarchy {
	struct bytes *bytes;
	uint64_t id; /* of the dummy */
	char root[PATH_MAX]; /* the path of the mounted group; "": the kernel's root */
	char path[PATH_MAX]; /* of the directory */
	size_t mount_length; /* its first bytes, up to the mounted group */
};

/* The id of samples is the one in the file handle of the group's directory. */
static int read_id(const char *path, uint64_t *cgroup)
{
	union {
		struct file_handle handle;
		char room[sizeof(struct file_handle) + sizeof(*cgroup)];
	} place = { .handle.handle_bytes = sizeof(*cgroup) };
	int mount;

	if (name_to_handle_at(AT_FDCWD, path, &place.handle, &mount, 0) ||
	    place.handle.handle_bytes != sizeof(*cgroup))
		return -1;
	memcpy(cgroup, place.handle.f_handle, sizeof(*cgroup));
	return 0;
}

static void add_cgroup(const struct hierarchy *hierarchy)
{
	const char *below = hierarchy->path + hierarchy->mount_length;
	const char *last = *hierarchy->root || *below ? "" : "/";
	struct bytes content = { 0 };
	uint64_t cgroup;

	if (read_id(hierarchy->path, &cgroup))
		return;
	bytes_add_u64(&content, cgroup);
	bytes_add(&content, hierarchy->root, strlen(hierarchy->root));
	bytes_add(&content, below, strlen(below));
	bytes_add_text(&content, last);
	bytes_pad(&content, 0);
	made_record_add(hierarchy->bytes, PERF_RECORD_CGROUP, content.at, content.length, 0,
			hierarchy->id);
	bytes_free(&content);
}

/* The group at the path, and those below it. */
static void walk(struct hierarchy *hierarchy)
{
	size_t length = strlen(hierarchy->path);
	DIR *directory = opendir(hierarchy->path);
	struct dirent *entry;

	add_cgroup(hierarchy);
	while (directory && (entry = readdir(directory))) {
		if (entry->d_type != DT_DIR || !strcmp(entry->d_name, ".") ||
		    !strcmp(entry->d_name, "..") ||
		    length + strlen(entry->d_name) + 2 > sizeof(hierarchy->path))
			continue;
		sprintf(hierarchy->path + length, "/%s", entry->d_name);
		walk(hierarchy);
		hierarchy->path[length] = '\0';
	}
	if (directory)
		closedir(directory);
}

enum rank { NO_GROUPS, UNIFIED, OF_PERF };

/*
 * A line of mountinfo. Samples have the group of the hierarchy with the controller
 * perf_event, which is the unified one unless an old hierarchy has that controller.
 */
static enum rank take_mount(const char *line, struct hierarchy *hierarchy)
{
	const char *end = strstr(line, " - ");
	char type[32], options[256];

	if (!end || sscanf(end, " - %31s %*s %255s", type, options) != 2 ||
	    sscanf(line, "%*s %*s %*s %4095s %4095s", hierarchy->root,
		   hierarchy->path) != 2)
		return NO_GROUPS;
	if (!strcmp(hierarchy->root, "/"))
		*hierarchy->root = '\0';
	if (!strcmp(type, "cgroup2"))
		return UNIFIED;
	return !strcmp(type, "cgroup") && strstr(options, "perf_event") ? OF_PERF :
									  NO_GROUPS;
}

static enum rank find_hierarchy(struct hierarchy *found)
{
	FILE *file = fopen("/proc/self/mountinfo", "re");
	struct hierarchy *at = xmalloc(sizeof(*at));
	enum rank best = NO_GROUPS, rank;
	char *line = NULL;
	size_t room = 0;

	while (file && getline(&line, &room, file) >= 0) {
		rank = take_mount(line, at);
		if (rank <= best)
			continue;
		best = rank;
		*found = *at;
	}
	if (file)
		fclose(file);
	free(line);
	free(at);
	return best;
}

void existing_cgroups_add(struct bytes *bytes, uint64_t id)
{
	struct hierarchy *hierarchy = xmalloc(sizeof(*hierarchy));

	if (find_hierarchy(hierarchy)) {
		hierarchy->bytes = bytes;
		hierarchy->id = id;
		hierarchy->mount_length = strlen(hierarchy->path);
		walk(hierarchy);
	}
	free(hierarchy);
}
