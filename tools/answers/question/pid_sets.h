/* SPDX-License-Identifier: MIT */
/* How many different processes there are in each of several sets. */
#ifndef UE__TOOLS_QUESTION_PID_SETS_H
#define UE__TOOLS_QUESTION_PID_SETS_H

#include <stdint.h>

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
