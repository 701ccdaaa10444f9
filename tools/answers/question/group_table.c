/* SPDX-License-Identifier: MIT */
/* Finds the numbers of values. */
#include "asked_field.h"

#include <stdlib.h>
#include <string.h>

#include "common/cli/memory.h"
#include "common/cli/message.h"

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

uint32_t group_find(struct group_table *table, uint32_t space, const struct value *value)
{
	const uint64_t key = value_hash(value) ^ hash_number(space);
	uint32_t steps = 0, found;

	table->compound += value->type == VALUE_COMPOUND;
	while ((found = key_table_next(&table->by_value, key, &steps)) != KEY_UNKNOWN)
		if (table->groups[found].space == space &&
		    !value_compare(&table->groups[found].value, value))
			return found;
	if (table->count >= table->most)
		return GROUP_OTHERS;
	table->groups = xgrow(table->groups, table->count, sizeof(*table->groups));
	table->groups[table->count] = (struct group){ space, value_keep(value) };
	key_table_add(&table->by_value, key, table->count);
	return table->count++;
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
	key_table_free(&table->by_value);
	*table = (struct group_table){ .most = 0 };
}

/* Counts different processes. */

int seen_processes_add(struct seen_processes *sets, uint32_t set, uint32_t pid)
{
	const uint64_t key = (uint64_t)set << 32 | pid;

	if (key_table_find(&sets->table, key) != KEY_UNKNOWN)
		return 0;
	if (sets->table.count >= SEEN_PROCESSES_MAX)
		return -1;
	key_table_add(&sets->table, key, 0);
	return 1;
}

void seen_processes_free(struct seen_processes *sets)
{
	key_table_free(&sets->table);
}
