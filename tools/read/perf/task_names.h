/* SPDX-License-Identifier: MIT */
/*
 * The names of threads and control groups at one time of a recording.
 *
 * Samples have numbers alone. Records between them have the names: each applies to the
 * samples of later times, so the caller takes both from one queue (sample_queue.h).
 *
 * A recording may have any number of names. Of threads that live at once, 131,072 have
 * names; further ones have none. Of control groups no record says that they ended: those that
 * were named last stay, as many as 16 to 32 MB hold, some 100,000 to 200,000.
 */
#ifndef UE__TOOLS_INPUT_PERF_TASK_NAMES_H
#define UE__TOOLS_INPUT_PERF_TASK_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "perf_attrs.h"

/* Thread ids are below 2^22 (PID_MAX_LIMIT). */
#define TIDS_IN_BLOCK 4096u
#define TID_BLOCKS 1024u

struct task_name;

struct group_names {
	struct id_map ids;
	char **paths;
	size_t count;
	size_t bytes;
};

struct task_names {
	uint32_t *blocks[TID_BLOCKS]; /* by thread id: the place of the name, from 1; 0: none */
	struct task_name *names;
	size_t count;
	uint32_t unused; /* a place without a name, from 1; 0: none */
	struct group_names groups, groups_before;
};

/* Whether a record of this type has names. */
int task_names_has(uint32_t type);
/* Take such a record of so many bytes, with its header; a malformed one changes nothing. */
void task_names_take(struct task_names *names, const uint8_t *record, size_t size,
		     int is_big_endian);

/* The name, which stays until the next record is taken; NULL: not known. */
const char *task_names_thread(const struct task_names *names, uint32_t tid);
const char *task_names_cgroup(const struct task_names *names, uint64_t id);
void task_names_free(struct task_names *names);

#endif
