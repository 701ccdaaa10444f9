/* SPDX-License-Identifier: MIT */
/* Keeps the names that records of a perf recording give to threads and control groups. */
#include "task_names.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "cli/memory.h"
#include "records/byte_cursor.h"

#define NAMES_MAX 131072u
#define CGROUP_BYTES_MAX ((size_t)32 << 20)
/* Memory of a group beside its path. */
#define CGROUP_BYTES 128u

struct task_name {
	char text[60];
	uint32_t unused; /* of a place without a name: the next one */
};

/* Threads */

/* The place of the thread's number, made if need be; NULL if no thread can have this id. */
static uint32_t *place_of(struct task_names *names, uint32_t tid)
{
	uint32_t **block;

	if (tid >= TIDS_IN_BLOCK * TID_BLOCKS)
		return NULL;
	block = &names->blocks[tid / TIDS_IN_BLOCK];
	if (!*block)
		*block = xcalloc(TIDS_IN_BLOCK, sizeof(**block));
	return *block + tid % TIDS_IN_BLOCK;
}

static void drop_thread(struct task_names *names, uint32_t tid)
{
	uint32_t *place = place_of(names, tid);

	if (!place || !*place)
		return;
	names->names[*place - 1].unused = names->unused;
	names->unused = *place;
	*place = 0;
}

/* A place for a name, from 1; 0 if there are too many. */
static uint32_t new_name(struct task_names *names)
{
	uint32_t number = names->unused;

	if (number) {
		names->unused = names->names[number - 1].unused;
		return number;
	}
	if (names->count == NAMES_MAX)
		return 0;
	names->names = xgrow(names->names, names->count, sizeof(*names->names));
	return (uint32_t)++names->count;
}

static void name_thread(struct task_names *names, uint32_t tid, const char *text,
			size_t length)
{
	uint32_t *place = place_of(names, tid);
	struct task_name *name;

	if (!place)
		return;
	if (!*place)
		*place = new_name(names);
	if (!*place)
		return;
	name = &names->names[*place - 1];
	if (length >= sizeof(name->text))
		length = sizeof(name->text) - 1;
	memmove(name->text, text, length);
	name->text[length] = '\0';
}

const char *task_names_thread(const struct task_names *names, uint32_t tid)
{
	const uint32_t *block;
	uint32_t number;

	if (tid >= TIDS_IN_BLOCK * TID_BLOCKS)
		return NULL;
	block = names->blocks[tid / TIDS_IN_BLOCK];
	number = block ? block[tid % TIDS_IN_BLOCK] : 0;
	return number ? names->names[number - 1].text : NULL;
}

/* A new thread has the name of the one that started it. */
static void inherit(struct task_names *names, uint32_t parent, uint32_t tid)
{
	const char *text = task_names_thread(names, parent);
	char copy[sizeof(struct task_name)];

	if (!text) {
		drop_thread(names, tid);
		return;
	}
	strcpy(copy, text); /* a new name may move the others */
	name_thread(names, tid, copy, strlen(copy));
}

/* Control groups */

static void name_cgroup(struct task_names *names, uint64_t id, const char *path,
			size_t length)
{
	uint32_t known = id_map_find(&names->cgroup_ids, id);
	char *copy;

	if (length + CGROUP_BYTES > CGROUP_BYTES_MAX - names->cgroup_bytes)
		return;
	names->cgroup_bytes += length;
	copy = xstrndup(path, length);
	if (known != NO_EVENT) { /* it moved */
		names->cgroup_bytes -= strlen(names->cgroups[known]);
		free(names->cgroups[known]);
		names->cgroups[known] = copy;
		return;
	}
	names->cgroup_bytes += CGROUP_BYTES;
	names->cgroups = xgrow(names->cgroups, names->cgroup_count, sizeof(copy));
	id_map_set(&names->cgroup_ids, id, names->cgroup_count);
	names->cgroups[names->cgroup_count++] = copy;
}

const char *task_names_cgroup(const struct task_names *names, uint64_t id)
{
	uint32_t known = id_map_find(&names->cgroup_ids, id);

	return known == NO_EVENT ? NULL : names->cgroups[known];
}

/* Records */

int task_names_has(uint32_t type)
{
	return type == PERF_RECORD_COMM || type == PERF_RECORD_FORK ||
	       type == PERF_RECORD_EXIT || type == PERF_RECORD_CGROUP;
}

static void take_comm(struct task_names *names, struct cursor *cursor)
{
	uint32_t tid;
	const char *text;

	cursor_u32(cursor); /* process */
	tid = cursor_u32(cursor);
	text = cursor_text(cursor);
	if (text)
		name_thread(names, tid, text, strlen(text));
}

/* A thread that began or ended: the processes of both, the threads of both. */
static void take_task(struct task_names *names, struct cursor *cursor, int is_end)
{
	uint32_t tid, parent;

	cursor_u64(cursor);
	tid = cursor_u32(cursor);
	parent = cursor_u32(cursor);
	if (cursor->is_short)
		return;
	if (is_end)
		drop_thread(names, tid);
	else
		inherit(names, parent, tid);
}

static void take_cgroup(struct task_names *names, struct cursor *cursor)
{
	uint64_t id = cursor_u64(cursor);
	const char *path = cursor_text(cursor);

	if (path)
		name_cgroup(names, id, path, strlen(path));
}

void task_names_take(struct task_names *names, const uint8_t *record, size_t size,
		     int is_big_endian)
{
	struct cursor cursor = cursor_of(record, size, is_big_endian);
	uint32_t type = cursor_u32(&cursor);

	cursor_u32(&cursor); /* misc, size */
	switch (type) {
	case PERF_RECORD_COMM:
		take_comm(names, &cursor);
		break;
	case PERF_RECORD_CGROUP:
		take_cgroup(names, &cursor);
		break;
	default:
		take_task(names, &cursor, type == PERF_RECORD_EXIT);
	}
}

void task_names_free(struct task_names *names)
{
	for (size_t i = 0; i < TID_BLOCKS; i++)
		free(names->blocks[i]);
	for (size_t i = 0; i < names->cgroup_count; i++)
		free(names->cgroups[i]);
	free(names->cgroups);
	free(names->cgroup_ids.ids);
	free(names->names);
}
