/* SPDX-License-Identifier: MIT */
/* Finds the numbers of values in a hash table. */
#include "group_table.h"

#include <stdlib.h>
#include <string.h>

#include "common/cli/memory.h"
#include "common/cli/message.h"

#define TABLE_LEAST 64u

struct value value_keep(const struct value *value)
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
