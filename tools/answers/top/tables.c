/* SPDX-License-Identifier: MIT */
/* Finds rows by key. */
#include "tables.h"

#include <stdlib.h>
#include <string.h>

#include "common/cli/memory.h"
#include "common/cli/safe_text.h"

#define SLOTS_LEAST 64u

static uint32_t hash_of(uint64_t key)
{
	return (uint32_t)((key * 0x9e3779b97f4a7c15u) >> 32);
}

static void put(struct table *table, uint32_t index)
{
	uint32_t at = hash_of(table->rows[index]->key);

	while (table->slots[at &= table->slot_count - 1])
		at++;
	table->slots[at] = index + 1;
}

/* At least half of the slots stay empty. */
static void make_room(struct table *table)
{
	if (table->count < table->slot_count / 2)
		return;
	table->slot_count = table->slot_count ? table->slot_count * 2 : SLOTS_LEAST;
	free(table->slots);
	table->slots = xcalloc(table->slot_count, sizeof(*table->slots));
	for (uint32_t i = 0; i < table->count; i++)
		put(table, i);
}

static struct row *add(struct table *table, uint64_t key)
{
	struct row *row = xcalloc(1, sizeof(*row));

	make_room(table);
	row->key = key;
	row->name = xstrdup(key == OTHERS_KEY ? OTHERS : "");
	table->rows = xgrow(table->rows, table->count, sizeof(*table->rows));
	table->rows[table->count] = row;
	put(table, table->count++);
	return row;
}

struct row *table_find(struct table *table, uint64_t key)
{
	uint32_t at = hash_of(key);

	while (table->slot_count && table->slots[at &= table->slot_count - 1]) {
		struct row *row = table->rows[table->slots[at++] - 1];

		if (row->key == key)
			return row;
	}
	if (table->count >= TABLE_ROWS_MAX - 1 && key != OTHERS_KEY)
		return table_find(table, OTHERS_KEY);
	return add(table, key);
}

void row_set_name(struct row *row, const char *name)
{
	char *safe;

	if (row->key == OTHERS_KEY || !strcmp(row->name, name))
		return;
	safe = xstrdup(name);
	controls_blank(safe, strlen(safe));
	free(row->name);
	row->name = safe;
}

void table_refresh(struct table *table, double seconds)
{
	for (uint32_t i = 0; i < table->count; i++) {
		struct row *row = table->rows[i];

		row->rate = seconds > 0 ? (double)(row->events - row->before) / seconds : 0;
		row->before = row->events;
	}
}

void table_free(struct table *table)
{
	for (uint32_t i = 0; i < table->count; i++) {
		free(table->rows[i]->name);
		free(table->rows[i]);
	}
	free(table->rows);
	free(table->slots);
	*table = (struct table){ 0 };
}
