/* SPDX-License-Identifier: MIT */
/* Divides the entries of a histogram by the values of their keys. */
#include "group_counts.h"

#include <stdlib.h>

#include "common/cli/memory.h"

static struct value value_of_cell(const struct key_field *field, const struct hist_cell *cell)
{
	if (field->is_text)
		return (struct value){ .type = VALUE_TEXT, .text = cell->text,
				       .length = cell->length };
	return (struct value){
		.type = field->is_signed ? VALUE_SIGNED : VALUE_UNSIGNED,
		.whole = field->is_signed ? key_field_signed(field, cell->low) :
					    (int64_t)cell->low,
	};
}

struct keyed_entry {
	const struct hist_entry *entry;
	struct value by[HIST_KEYS_MAX];
};

static int compare_keys(const struct value *one, const struct value *other)
{
	int result = 0;

	for (size_t i = 0; !result && i < HIST_KEYS_MAX && one[i].type != VALUE_NONE; i++)
		result = value_compare(&one[i], &other[i]);
	return result;
}

static int compare_entries(const void *one, const void *other)
{
	return compare_keys(((const struct keyed_entry *)one)->by,
			    ((const struct keyed_entry *)other)->by);
}

static int compare_groups(const void *one, const void *other)
{
	const struct group_count *a = one, *b = other;

	if (a->count != b->count)
		return a->count < b->count ? 1 : -1;
	return compare_keys(a->by, b->by);
}

static void set_keys(const struct group_counts *counts, const struct hist_entry *entry,
		     struct keyed_entry *keyed)
{
	keyed->entry = entry;
	for (size_t i = counts->first_by; i < counts->field_count; i++)
		keyed->by[i - counts->first_by] = value_of_cell(&counts->fields[i],
								&entry->keys[i]);
}

/* Sorted by their keys, to be freed. The kernel may print one just before it counts it. */
static struct keyed_entry *sort_entries(const struct group_counts *counts,
					const struct hist_table *table, size_t *count)
{
	struct keyed_entry *sorted = xcalloc(table->count, sizeof(*sorted));

	*count = 0;
	for (size_t i = 0; i < table->count; i++)
		if (table->entries[i].hits)
			set_keys(counts, &table->entries[i], &sorted[(*count)++]);
	qsort(sorted, *count, sizeof(*sorted), compare_entries);
	return sorted;
}

static struct group_count *begin_group(struct group_counts *counts,
				       const struct keyed_entry *entry)
{
	struct group_count *group;

	counts->groups = xgrow(counts->groups, counts->group_count, sizeof(*group));
	group = &counts->groups[counts->group_count++];
	*group = (struct group_count){ .count = 0 };
	group->ranges.is_signed = counts->fields[0].is_signed;
	for (size_t i = 0; i < HIST_KEYS_MAX; i++)
		group->by[i] = entry->by[i];
	return group;
}

static void add_entry(struct group_counts *counts, struct group_count *group,
		      const struct bucket_plan *plan, const struct hist_entry *entry)
{
	struct range range;

	group->count += entry->hits;
	counts->count += entry->hits;
	if (counts->fields[0].is_text)
		return;
	range = bucket_plan_range(plan, &counts->fields[0], entry->section, &entry->keys[0]);
	range.count = entry->hits;
	ranges_add(&group->ranges, &range);
	ranges_add(&counts->sum, &range);
}

void group_counts_make(struct group_counts *counts, const struct hist_table *table,
		       const struct bucket_plan *plan)
{
	struct keyed_entry *sorted;
	struct group_count *group = NULL;
	size_t count;

	counts->first_by = !counts->fields[0].is_text;
	counts->sum.is_signed = counts->fields[0].is_signed;
	sorted = sort_entries(counts, table, &count);
	for (size_t i = 0; i < count; i++) {
		if (!i || compare_entries(&sorted[i - 1], &sorted[i]))
			group = begin_group(counts, &sorted[i]);
		add_entry(counts, group, plan, sorted[i].entry);
	}
	free(sorted);
	for (size_t i = 0; i < counts->group_count; i++)
		ranges_sort(&counts->groups[i].ranges);
	ranges_sort(&counts->sum);
	if (counts->group_count)
		qsort(counts->groups, counts->group_count, sizeof(*counts->groups),
		      compare_groups);
}

void group_counts_free(struct group_counts *counts)
{
	for (size_t i = 0; i < counts->group_count; i++)
		ranges_free(&counts->groups[i].ranges);
	free(counts->groups);
	ranges_free(&counts->sum);
	counts->groups = NULL;
	counts->group_count = 0;
	counts->count = 0;
}
