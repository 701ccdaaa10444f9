/* SPDX-License-Identifier: MIT */
/*
 * Numbers for values: 0, 1, 2, ... in the order in which values appear, up to a limit. All
 * further values share the number GROUP_OTHERS.
 */
#ifndef UE__TOOLS_ANSWERS_QUESTION_GROUP_TABLE_H
#define UE__TOOLS_ANSWERS_QUESTION_GROUP_TABLE_H

#include <stdint.h>

#include "common/events/field.h"

#define GROUP_OTHERS UINT32_MAX

struct group {
	uint32_t space; /* values of different spaces are different */
	uint64_t hash;
	struct value value; /* with text of its own */
};

struct group_table {
	uint32_t most;
	uint32_t count;
	struct group *groups;
	uint32_t *table; /* a hash table of numbers, each 1 higher; a power of two of them */
	uint32_t table_size;
	uint64_t compound; /* values that were arrays or structs, which share a group */
};

uint32_t group_find(struct group_table *table, uint32_t space, const struct value *value);
/* Report why groups are missing. by: the field; others: how many events GROUP_OTHERS has. */
void groups_report(const struct group_table *table, const struct field *by,
		   uint64_t others);
void groups_free(struct group_table *table);

/* How many different processes there are in each of several sets. */

/* The limit of all sets together; 8 bytes each, in a table that is at most half full. */
#define PID_SETS_MAX 262144u

struct pid_sets {
	uint64_t *table; /* set << 32 | pid, plus 1 */
	uint32_t table_size;
	uint32_t count;
};

/*
 * Add a process to a set, which is less than UINT32_MAX: 1 if it is new there, 0 if it is
 * not, -1 if there is no room for it.
 */
int pid_sets_add(struct pid_sets *sets, uint32_t set, uint32_t pid);
void pid_sets_free(struct pid_sets *sets);

#endif
