/* SPDX-License-Identifier: MIT */
/* Counts different processes with one hash table for all sets. */
#include "pid_sets.h"

#include <stdlib.h>

#include "common/cli/memory.h"

#define TABLE_LEAST 256u

static uint64_t *slot_of(const struct pid_sets *sets, uint64_t key)
{
	uint64_t at = key * UINT64_C(0x9e3779b97f4a7c15) >> 32;

	for (;; at++) {
		uint64_t *slot = &sets->table[at & (sets->table_size - 1)];

		if (!*slot || *slot == key)
			return slot;
	}
}

static void grow(struct pid_sets *sets)
{
	uint64_t *old = sets->table;
	const uint32_t size = sets->table_size;

	sets->table_size = size ? size * 2 : TABLE_LEAST;
	sets->table = xcalloc(sets->table_size, sizeof(*sets->table));
	for (uint32_t i = 0; i < size; i++)
		if (old[i])
			*slot_of(sets, old[i]) = old[i];
	free(old);
}

int pid_sets_add(struct pid_sets *sets, uint32_t set, uint32_t pid)
{
	const uint64_t key = ((uint64_t)set << 32 | pid) + 1;
	uint64_t *slot;

	if (sets->count >= sets->table_size / 2 && sets->table_size < 2 * PID_SETS_MAX)
		grow(sets);
	slot = slot_of(sets, key);
	if (*slot)
		return 0;
	if (sets->count >= PID_SETS_MAX)
		return -1;
	*slot = key;
	sets->count++;
	return 1;
}

void pid_sets_free(struct pid_sets *sets)
{
	free(sets->table);
	*sets = (struct pid_sets){ .table = NULL };
}
