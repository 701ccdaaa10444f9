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

static uint64_t key_of(uint32_t space, const struct value *value)
{
	return value_hash(value) + space;
}

int groups_are_full(const struct group_table *table)
{
	const uint32_t least = table->most > GROUPS_COUNTED ? table->most : GROUPS_COUNTED;

	return !table->is_fixed && table->count >= least;
}

uint32_t group_find(struct group_table *table, uint32_t space, const struct value *value)
{
	const uint64_t key = key_of(space, value);
	uint32_t steps = 0, found;

	table->compound += value->type == VALUE_COMPOUND;
	while ((found = key_table_next(&table->by_value, key, &steps)) != KEY_UNKNOWN) {
		struct group *group = &table->groups[found];

		if (group->space != space || value_compare(&group->value, value))
			continue;
		group->count++;
		return found;
	}
	if (table->is_fixed)
		return GROUP_OTHERS;
	table->groups = xgrow(table->groups, table->count, sizeof(*table->groups));
	table->groups[table->count] = (struct group){ space, 1, table->shed, value_keep(value) };
	key_table_add(&table->by_value, key, table->count);
	return table->count++;
}

/* Fewer groups */

static void free_value(struct group *group)
{
	if (group->value.type == VALUE_TEXT || group->value.type == VALUE_BYTES)
		free((char *)group->value.text);
}

/* Keep those whose number in the list is not GROUP_OTHERS; they get new numbers there. */
static void renumber(struct group_table *table, uint32_t *numbers)
{
	const uint32_t count = table->count;

	table->count = 0;
	key_table_clear(&table->by_value);
	for (uint32_t i = 0; i < count; i++) {
		struct group *group = &table->groups[i];

		if (numbers[i] == GROUP_OTHERS) {
			free_value(group);
			continue;
		}
		key_table_add(&table->by_value, key_of(group->space, &group->value), table->count);
		table->groups[table->count] = *group;
		numbers[i] = table->count++;
	}
}

struct scored {
	double score;
	uint32_t number;
};

/* The highest first; of equal ones, those that appeared first. */
static int by_score(const void *one, const void *other)
{
	const struct scored *a = one, *b = other;

	if (a->score != b->score)
		return (a->score < b->score) - (a->score > b->score);
	return (a->number > b->number) - (a->number < b->number);
}

uint32_t *groups_keep(struct group_table *table, uint32_t most, const double *scores)
{
	AUTO_FREE struct scored *scored = NULL;
	uint32_t *numbers;

	if (table->count <= most)
		return NULL;
	scored = xcalloc(table->count, sizeof(*scored));
	numbers = xcalloc(table->count, sizeof(*numbers));
	for (uint32_t i = 0; i < table->count; i++)
		scored[i] = (struct scored){ scores ? scores[i] : (double)table->groups[i].count,
					     i };
	qsort(scored, table->count, sizeof(*scored), by_score);
	for (uint32_t i = most; i < table->count; i++)
		numbers[scored[i].number] = GROUP_OTHERS;
	renumber(table, numbers);
	return numbers;
}

uint32_t *groups_shed(struct group_table *table)
{
	const uint32_t count = table->count;
	struct group *groups = table->groups;
	uint64_t *counts = xcalloc(count, sizeof(*counts)), most = 0;
	uint32_t *numbers;

	for (uint32_t i = 0; i < count; i++)
		counts[i] = groups[i].count + groups[i].error;
	numbers = groups_keep(table, count / 2, NULL);
	for (uint32_t i = 0; i < count; i++)
		if (numbers[i] == GROUP_OTHERS && counts[i] > most)
			most = counts[i];
	table->shed = most > table->shed ? most : table->shed;
	free(counts);
	return numbers;
}

void groups_fix(struct group_table *table)
{
	table->is_fixed = 1;
	table->compound = 0;
	table->unseen = table->shed;
	table->shed = 0;
	for (uint32_t i = 0; i < table->count; i++)
		table->groups[i].count = table->groups[i].error = 0;
}

/* More than 0. */
static uint64_t least_count(const struct group_table *table)
{
	uint64_t least = UINT64_MAX;

	for (uint32_t i = 0; i < table->count; i++)
		if (table->groups[i].count < least)
			least = table->groups[i].count;
	return least ? least : 1;
}

void groups_report(const struct group_table *table, const struct field *by, uint64_t others)
{
	if (others)
		message("\"(others)\" has %llu event%s, as %s has more values than %u; "
			"--groups N shows more", (unsigned long long)others,
			others == 1 ? "" : "s", by->text, table->most);
	if (table->shed)
		message("cannot count each value of %s, of which there are too many: a row may "
			"have up to %llu more event%s, which are in \"(others)\"", by->text,
			(unsigned long long)table->shed, PLURAL(table->shed));
	if (table->unseen >= least_count(table))
		message("cannot tell that these values of %s have most: another may have up to "
			"%llu event%s, which are in \"(others)\"", by->text,
			(unsigned long long)table->unseen, PLURAL(table->unseen));
	if (table->compound)
		message("cannot group %llu event%s by %s: it is an array or a struct there; "
			"%s[0] or %s.NAME is a part of it", (unsigned long long)table->compound,
			table->compound == 1 ? "" : "s", by->text, by->text, by->text);
}

void groups_free(struct group_table *table)
{
	for (uint32_t i = 0; i < table->count; i++)
		free_value(&table->groups[i]);
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

void seen_processes_join(struct seen_processes *sets, const uint32_t *to, uint32_t count,
			 void (*counted)(void *context, uint32_t set), void *context)
{
	AUTO(key_table_free) struct key_table old = sets->table;

	sets->table = (struct key_table){ .size = 0 };
	for (uint32_t i = 0; i < old.size; i++) {
		const uint32_t set = (uint32_t)(old.slots[i].key >> 32);
		const uint32_t pid = (uint32_t)old.slots[i].key;

		if (!old.slots[i].number)
			continue;
		if (seen_processes_add(sets, set < count ? to[set] : set, pid) > 0 && set < count)
			counted(context, to[set]);
	}
}

void seen_processes_free(struct seen_processes *sets)
{
	key_table_free(&sets->table);
}
