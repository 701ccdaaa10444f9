/* SPDX-License-Identifier: MIT */
/* Keeps the names that records of a perf recording give to threads and control groups. */
#include "perf_input.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/memory.h"
#include "common/records/byte_cursor.h"

#define NAMES_MAX 131072u
/*
 * The limit for groups that were named since a turn; there may be as many from before
 * it.
 */
#define CGROUP_BYTES_MAX ((size_t)16 << 20)
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

static void free_groups(struct group_names *groups)
{
	for (size_t i = 0; i < groups->count; i++)
		free(groups->paths[i]);
	free(groups->paths);
	key_table_free(&groups->ids);
}

/* Those that were not named since the last turn are forgotten. */
static void turn_groups(struct task_names *names)
{
	free_groups(&names->groups_before);
	names->groups_before = names->groups;
	names->groups = (struct group_names){ .count = 0 };
}

static const char *find_group(const struct group_names *groups, uint64_t id)
{
	uint32_t known = key_table_find(&groups->ids, id);

	return known == KEY_UNKNOWN ? NULL : groups->paths[known];
}

static void add_group(struct group_names *groups, uint64_t id, const char *path,
		      size_t length)
{
	groups->bytes += length + CGROUP_BYTES;
	groups->paths = xgrow(groups->paths, groups->count, sizeof(*groups->paths));
	key_table_set(&groups->ids, id, (uint32_t)groups->count);
	groups->paths[groups->count++] = xstrndup(path, length);
}

/* A group that moved, or whose parent did, has another name; the old one counts until a turn. */
static void name_cgroup(struct task_names *names, uint64_t id, const char *path,
			size_t length)
{
	const char *known = find_group(&names->groups, id);

	if (known && strlen(known) == length && !memcmp(known, path, length))
		return;
	if (names->groups.bytes + length + CGROUP_BYTES > CGROUP_BYTES_MAX)
		turn_groups(names);
	add_group(&names->groups, id, path, length);
}

const char *task_names_cgroup(const struct task_names *names, uint64_t id)
{
	const char *path = find_group(&names->groups, id);

	return path ? path : find_group(&names->groups_before, id);
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
	free_groups(&names->groups);
	free_groups(&names->groups_before);
	free(names->names);
}

/*
 * Takes the records of a perf recording that tell which code processes have mapped, and stacks.
 *
 * A stack is a list of addresses with marks between them, which say whose the next addresses
 * are: the kernel's, the program's, or a guest's. Those of the program are taken.
 */

/* Bits of a header's misc; some are later than headers of Debian 11. */
#define MISC_DATA (1u << 13)	     /* of PERF_RECORD_MMAP: no code */
#define MISC_EXEC (1u << 13)	     /* of PERF_RECORD_COMM: the thread runs another program */
#define MISC_HAS_BUILD_ID (1u << 14) /* of PERF_RECORD_MMAP2 */

/* Marks are the last 4,095 numbers (enum perf_callchain_context). */
#define FIRST_MARK ((uint64_t)PERF_CONTEXT_MAX)
#define MARK_OF_USER ((uint64_t)PERF_CONTEXT_USER)

int perf_code_has(uint32_t type)
{
	return type == PERF_RECORD_MMAP || type == PERF_RECORD_MMAP2;
}

/* The device, inode and generation of a file, or in their place its build-id. */
static void take_identity(struct cursor *cursor, int has_build_id,
			  struct module_identity *identity)
{
	const uint8_t *bytes = cursor_take(cursor, 24);
	struct cursor inside;

	if (!bytes)
		return;
	if (!has_build_id) {
		inside = cursor_of(bytes + 8, 8, cursor->is_big_endian);
		identity->inode = cursor_u64(&inside);
		return;
	}
	identity->build_id_size = bytes[0] > BUILD_ID_MOST ? BUILD_ID_MOST : bytes[0];
	memcpy(identity->build_id, bytes + 4, identity->build_id_size);
}

static void take_map(struct code_maps *maps, struct cursor *cursor, uint32_t type,
		     uint32_t misc, uint64_t time)
{
	struct module_identity identity = { .inode = 0 };
	struct code_map map = { .time = time };
	const uint32_t pid = cursor_u32(cursor);
	uint64_t size;
	const char *path;

	cursor_u32(cursor); /* thread */
	map.begin = cursor_u64(cursor);
	size = cursor_u64(cursor);
	map.offset = cursor_u64(cursor);
	if (type == PERF_RECORD_MMAP2) {
		take_identity(cursor, (misc & MISC_HAS_BUILD_ID) != 0, &identity);
		cursor_u64(cursor); /* rights, flags */
	}
	path = cursor_text(cursor);
	/* the kernel's own code has no process, and lies in the upper half */
	if (!path || misc & MISC_DATA || size > INT64_MAX || map.begin > INT64_MAX)
		return;
	map.end = map.begin + size;
	map.module = module_of(path, strlen(path), &identity);
	code_maps_add(maps, pid, &map);
}

static void take_code_task(struct code_maps *maps, struct cursor *cursor, uint32_t type,
		      uint64_t time)
{
	const uint32_t pid = cursor_u32(cursor), parent = cursor_u32(cursor);
	const uint32_t tid = cursor_u32(cursor);

	if (cursor->is_short)
		return;
	if (type == PERF_RECORD_FORK)
		code_maps_fork(maps, parent, pid, time);
	else if (pid == tid)
		code_maps_exit(maps, pid);
}

void perf_code_take(struct code_maps *maps, const uint8_t *record, size_t size, uint64_t time,
		    int is_big_endian)
{
	struct cursor cursor = cursor_of(record, size, is_big_endian);
	const uint32_t type = cursor_u32(&cursor);
	const uint32_t misc = cursor_u16(&cursor);

	cursor_u16(&cursor); /* size */
	if (perf_code_has(type))
		take_map(maps, &cursor, type, misc, time);
	else if (type == PERF_RECORD_FORK || type == PERF_RECORD_EXIT)
		take_code_task(maps, &cursor, type, time);
	else if (type == PERF_RECORD_COMM && misc & MISC_EXEC)
		code_maps_exec(maps, cursor_u32(&cursor), time);
}

uint32_t perf_code_frames(struct code_maps *maps, const struct perf_sample *sample,
			  int is_big_endian, struct stack_frame *frames, uint64_t *all)
{
	uint32_t count = 0;
	int is_users = 1;

	*all = 0;
	for (uint64_t i = 0; i < sample->chain_count && count < FRAMES_MOST; i++) {
		const uint64_t address = load_u64(sample->chain + i * 8, is_big_endian);

		if (address >= FIRST_MARK) {
			is_users = address == MARK_OF_USER;
			continue;
		}
		++*all;
		if (!is_users || address > INT64_MAX)
			continue;
		frames[count].address = address;
		code_maps_find(maps, sample->pid, count > 0, &frames[count]);
		count++;
	}
	return count;
}
