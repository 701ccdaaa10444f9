/* SPDX-License-Identifier: MIT */
/* Finds the numbers of values in a hash table. */
#include "asked_field.h"

#include <stdlib.h>
#include <string.h>

#include "common/cli/memory.h"
#include "common/cli/message.h"

#define TABLE_LEAST 64u

/* A copy of a value, whose text is to be freed. */
static struct value value_keep(const struct value *value)
{
	struct value kept = *value;

	if (value->type != VALUE_TEXT && value->type != VALUE_BYTES)
		return kept;
	kept.text = xmalloc(value->length);
	if (value->length)
		memcpy((char *)kept.text, value->text, value->length);
	return kept;
}

static int is_of(const struct group *group, uint32_t space, uint64_t hash,
		 const struct value *value)
{
	return group->hash == hash && group->space == space &&
	       !value_compare(&group->value, value);
}

static uint32_t *slot_of(const struct group_table *table, uint32_t space, uint64_t hash,
			 const struct value *value)
{
	for (uint64_t at = hash;; at++) {
		uint32_t *slot = &table->table[at & (table->table_size - 1)];

		if (!*slot || is_of(&table->groups[*slot - 1], space, hash, value))
			return slot;
	}
}

/* At least half of the table stays empty. */
static void make_room(struct group_table *table)
{
	if (table->count < table->table_size / 2)
		return;
	table->table_size = table->table_size ? table->table_size * 2 : TABLE_LEAST;
	free(table->table);
	table->table = xcalloc(table->table_size, sizeof(*table->table));
	for (uint32_t i = 0; i < table->count; i++) {
		const struct group *group = &table->groups[i];

		*slot_of(table, group->space, group->hash, &group->value) = i + 1;
	}
}

uint32_t group_find(struct group_table *table, uint32_t space, const struct value *value)
{
	const uint64_t hash = value_hash(value) + space * UINT64_C(0x9e3779b97f4a7c15);
	uint32_t *slot;

	table->compound += value->type == VALUE_COMPOUND;
	make_room(table);
	slot = slot_of(table, space, hash, value);
	if (*slot)
		return *slot - 1;
	if (table->count >= table->most)
		return GROUP_OTHERS;
	table->groups = xgrow(table->groups, table->count, sizeof(*table->groups));
	table->groups[table->count] = (struct group){ space, hash, value_keep(value) };
	*slot = ++table->count;
	return *slot - 1;
}

void groups_report(const struct group_table *table, const struct field *by, uint64_t others)
{
	if (others)
		message("\"(others)\" has %llu event%s, as %s has more values than %u; "
			"--groups N shows more", (unsigned long long)others,
			others == 1 ? "" : "s", by->text, table->most);
	if (table->compound)
		message("cannot group %llu event%s by %s: it is an array or a struct there; "
			"%s[0] or %s.NAME is a part of it", (unsigned long long)table->compound,
			table->compound == 1 ? "" : "s", by->text, by->text, by->text);
}

void groups_free(struct group_table *table)
{
	for (uint32_t i = 0; i < table->count; i++)
		if (table->groups[i].value.type == VALUE_TEXT ||
		    table->groups[i].value.type == VALUE_BYTES)
			free((char *)table->groups[i].value.text);
	free(table->groups);
	free(table->table);
	*table = (struct group_table){ .most = 0 };
}

/* Counts different processes with one hash table for all sets. */

#define PID_TABLE_LEAST 256u

static uint64_t *pid_slot_of(const struct pid_sets *sets, uint64_t key)
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

	sets->table_size = size ? size * 2 : PID_TABLE_LEAST;
	sets->table = xcalloc(sets->table_size, sizeof(*sets->table));
	for (uint32_t i = 0; i < size; i++)
		if (old[i])
			*pid_slot_of(sets, old[i]) = old[i];
	free(old);
}

int pid_sets_add(struct pid_sets *sets, uint32_t set, uint32_t pid)
{
	const uint64_t key = ((uint64_t)set << 32 | pid) + 1;
	uint64_t *slot;

	if (sets->count >= sets->table_size / 2 && sets->table_size < 2 * PID_SETS_MAX)
		grow(sets);
	slot = pid_slot_of(sets, key);
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
