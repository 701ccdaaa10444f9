/* SPDX-License-Identifier: MIT */
/* Keeps the names of threads, from the kernel's records of tasks. */
#include "kept_records.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/memory.h"
#include "read/perf/perf_input.h"

#define ROOM_LEAST 64u

/* The body of PERF_RECORD_FORK and PERF_RECORD_EXIT, after the header. */
struct task {
	uint32_t pid, parent_pid;
	uint32_t tid, parent_tid;
};

static struct thread_name *find(const struct thread_names *names, uint32_t tid)
{
	const uint32_t found = key_table_find(&names->by_tid, tid);

	return found == KEY_UNKNOWN ? NULL : &names->threads[found];
}

int thread_name_counts(const struct thread_names *names, const struct thread_name *thread)
{
	return !thread->ended || names->round + 1 - thread->ended < 2;
}

/* Leave out threads that ended, then make at most half of the array used. */
static void make_room(struct thread_names *names)
{
	uint32_t kept = 0;

	key_table_clear(&names->by_tid);
	for (uint32_t i = 0; i < names->count; i++)
		if (thread_name_counts(names, &names->threads[i])) {
			key_table_add(&names->by_tid, names->threads[i].tid, kept);
			names->threads[kept++] = names->threads[i];
		}
	names->count = kept;
	if (kept < names->room / 2)
		return;
	names->room = names->room ? names->room * 2 : ROOM_LEAST;
	names->threads = xrealloc(names->threads, names->room * sizeof(*names->threads));
}

static struct thread_name *add(struct thread_names *names, uint32_t tid)
{
	struct thread_name *thread;

	if (names->count == names->room)
		make_room(names);
	key_table_add(&names->by_tid, tid, names->count);
	thread = &names->threads[names->count++];
	*thread = (struct thread_name){ .tid = tid };
	return thread;
}

/* The place of a thread for a record of this time, or NULL if a later one was taken. */
static struct thread_name *begin_change(struct thread_names *names, uint32_t pid,
					uint32_t tid, uint64_t time)
{
	struct thread_name *thread;

	if (!tid)
		return NULL;
	thread = find(names, tid);
	if (thread && thread->time > time)
		return NULL;
	if (!thread)
		thread = add(names, tid);
	thread->pid = pid;
	thread->time = time;
	if (time > thread->end)
		thread->ended = 0;
	return thread;
}

static void set_name(struct thread_name *thread, const char *name, size_t length)
{
	if (length > sizeof(thread->name) - 1)
		length = sizeof(thread->name) - 1;
	memcpy(thread->before, thread->name, sizeof(thread->before));
	memset(thread->name, 0, sizeof(thread->name));
	memcpy(thread->name, name, strnlen(name, length));
}

static void take_name(struct thread_names *names, const uint8_t *body, size_t length,
		      uint64_t time)
{
	uint32_t who[2];
	struct thread_name *thread;

	memcpy(who, body, sizeof(who));
	thread = begin_change(names, who[0], who[1], time);
	if (thread)
		set_name(thread, (const char *)body + sizeof(who), length - sizeof(who));
}

static void take_fork(struct thread_names *names, const struct task *task, uint64_t time)
{
	const char *parent = thread_names_find(names, task->parent_tid, time);
	char name[THREAD_NAME_SIZE] = "";
	struct thread_name *thread;

	if (parent)
		memcpy(name, parent, sizeof(name)); /* the names may move */
	thread = begin_change(names, task->pid, task->tid, time);
	if (thread)
		set_name(thread, name, sizeof(name));
}

/* Nothing may be known of the thread yet: 0 is before the record that will name it. */
static void take_exit(struct thread_names *names, uint32_t pid, uint32_t tid, uint64_t time)
{
	struct thread_name *thread = find(names, tid);

	if (!thread)
		thread = begin_change(names, pid, tid, 0);
	if (!thread || thread->time > time)
		return;
	thread->ended = names->round + 1;
	thread->end = time;
}

void thread_names_take(struct thread_names *names, const uint8_t *record, size_t time_at)
{
	struct perf_event_header header;
	const uint8_t *body = record + sizeof(header);
	struct task task;
	uint64_t time;

	memcpy(&header, record, sizeof(header));
	if (header.type == PERF_FINISHED_ROUND)
		names->round++;
	if (header.type != PERF_RECORD_COMM && header.type != PERF_RECORD_FORK &&
	    header.type != PERF_RECORD_EXIT)
		return;
	if (header.size < sizeof(header) + sizeof(task) + time_at)
		return;
	memcpy(&task, body, sizeof(task));
	memcpy(&time, record + header.size - time_at, sizeof(time));
	if (header.type == PERF_RECORD_COMM)
		take_name(names, body, header.size - sizeof(header), time);
	else if (header.type == PERF_RECORD_FORK)
		take_fork(names, &task, time);
	else
		take_exit(names, task.pid, task.tid, time);
}

const char *thread_names_find(const struct thread_names *names, uint32_t tid, uint64_t time)
{
	const struct thread_name *thread = find(names, tid);

	if (!thread || !*thread->name)
		return NULL;
	return time < thread->time && *thread->before ? thread->before : thread->name;
}

void thread_names_free(struct thread_names *names)
{
	free(names->threads);
	key_table_free(&names->by_tid);
	*names = (struct thread_names){ 0 };
}

/* Makes records in the layout of the kernel's. */

void made_record_add(struct bytes *bytes, uint32_t type, const void *content,
		     size_t length, uint64_t who, uint64_t id)
{
	const uint64_t end[] = { who, 0, 0, id };
	struct perf_event_header header = {
		.type = type,
		.size = (uint16_t)(sizeof(header) + length + sizeof(end)),
	};

	bytes_add(bytes, &header, sizeof(header));
	bytes_add(bytes, content, length);
	bytes_add(bytes, end, sizeof(end));
}

/* Reads the names of threads from /proc, and of control groups from their file system. */

/* Threads */

static int is_number(const char *name)
{
	return *name >= '1' && *name <= '9';
}

void existing_thread_add(struct bytes *bytes, uint64_t id, uint32_t pid, uint32_t tid)
{
	struct {
		uint32_t pid;
		uint32_t tid;
		char name[64];
	} comm = { pid, tid, "" };
	AUTO_FREE char *path = xprintf("/proc/%u/task/%u/comm", pid, tid);
	AUTO_FREE char *name = read_file(path, NULL);
	uint64_t who;

	if (!name)
		return; /* it has ended */
	memcpy(&who, &comm, sizeof(who));
	snprintf(comm.name, sizeof(comm.name), "%.*s", (int)strcspn(name, "\n"), name);
	made_record_add(bytes, PERF_RECORD_COMM, &comm,
			8 + ((strlen(comm.name) + 8) & ~(size_t)7), who, id);
}

static void add_process(struct bytes *bytes, uint64_t id, uint32_t pid)
{
	AUTO_FREE char *path = xprintf("/proc/%u/task", pid);
	AUTO(close_directory) DIR *directory = opendir(path);
	struct dirent *entry;

	while (directory && (entry = readdir(directory)))
		if (is_number(entry->d_name))
			existing_thread_add(bytes, id, pid, (uint32_t)atoi(entry->d_name));
}

void existing_threads_add(struct bytes *bytes, uint64_t id)
{
	AUTO(close_directory) DIR *directory = opendir("/proc");
	struct dirent *entry;

	while (directory && (entry = readdir(directory)))
		if (is_number(entry->d_name))
			add_process(bytes, id, (uint32_t)atoi(entry->d_name));
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
	AUTO(bytes_free) struct bytes content = { 0 };
	uint64_t cgroup;

	if (read_id(hierarchy->path, &cgroup))
		return;
	bytes_add_u64(&content, cgroup);
	bytes_put(&content, hierarchy->root);
	bytes_put(&content, below);
	bytes_add_text(&content, last);
	bytes_pad(&content, 0);
	made_record_add(hierarchy->bytes, PERF_RECORD_CGROUP, content.at, content.length, 0,
			hierarchy->id);
}

/* The group at the path, and those below it. */
static void walk(struct hierarchy *hierarchy)
{
	size_t length = strlen(hierarchy->path);
	AUTO(close_directory) DIR *directory = opendir(hierarchy->path);
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
	AUTO_FREE struct hierarchy *at = xmalloc(sizeof(*at));
	enum rank best = NO_GROUPS, rank;
	AUTO_FREE char *line = NULL;
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
	return best;
}

void existing_cgroups_add(struct bytes *bytes, uint64_t id)
{
	AUTO_FREE struct hierarchy *hierarchy = xmalloc(sizeof(*hierarchy));

	if (find_hierarchy(hierarchy)) {
		hierarchy->bytes = bytes;
		hierarchy->id = id;
		hierarchy->mount_length = strlen(hierarchy->path);
		walk(hierarchy);
	}
}
