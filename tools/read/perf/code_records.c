/* SPDX-License-Identifier: MIT */
/*
 * Takes the records of a perf recording that tell which code processes have mapped, and stacks.
 *
 * A stack is a list of addresses with marks between them, which say whose the next addresses
 * are: the kernel's, the program's, or a guest's. Those of the program are taken.
 */
#include "perf_input.h"

#include <linux/perf_event.h>
#include <string.h>

#include "common/records/byte_cursor.h"

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

static void take_task(struct code_maps *maps, struct cursor *cursor, uint32_t type,
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
		take_task(maps, &cursor, type, time);
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
