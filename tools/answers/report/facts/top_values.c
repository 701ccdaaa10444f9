/* SPDX-License-Identifier: MIT */
/* Counts the most frequent of any number of texts in bounded memory. */
#include "top_values.h"

#include <stdlib.h>
#include <string.h>

#include "common/cli/memory.h"

struct top_values *top_values_new(void)
{
	struct top_values *values = xcalloc(1, sizeof(*values));

	values->is_exact = 1;
	return values;
}

static uint32_t hash_of(const char *text, size_t length)
{
	uint32_t hash = 2166136261u;

	for (size_t i = 0; i < length; i++)
		hash = (hash ^ (unsigned char)text[i]) * 16777619u;
	return hash;
}

static int is_equal(const struct top_value *value, const struct top_value *wanted)
{
	return value->hash == wanted->hash && value->length == wanted->length &&
	       !memcmp(value->text, wanted->text, wanted->length);
}

static struct top_value *find(struct top_values *values, const struct top_value *wanted)
{
	if (values->used && is_equal(&values->items[values->last], wanted))
		return &values->items[values->last];
	for (uint32_t i = 0; i < values->used; i++)
		if (is_equal(&values->items[i], wanted)) {
			values->last = i;
			return &values->items[i];
		}
	return NULL;
}

static struct top_value *least(struct top_values *values)
{
	struct top_value *found = &values->items[0];

	for (uint32_t i = 1; i < values->used; i++)
		if (values->items[i].count < found->count)
			found = &values->items[i];
	return found;
}

static void replace(struct top_values *values, struct top_value *value)
{
	struct top_value *old = least(values);

	values->is_exact = 0;
	value->error = old->count;
	value->count = old->count + 1;
	*old = *value;
}

void top_values_add(struct top_values *values, const char *text, size_t length)
{
	struct top_value value = { .count = 1 }, *known;

	value.length = (uint32_t)(length < TOP_VALUE_LENGTH ? length : TOP_VALUE_LENGTH);
	memcpy(value.text, text, value.length);
	value.hash = hash_of(text, value.length);
	values->total++;
	known = find(values, &value);
	if (known)
		known->count++;
	else if (values->used < TOP_VALUES)
		values->items[values->used++] = value;
	else
		replace(values, &value);
}

static int by_count(const void *one, const void *other)
{
	const struct top_value *a = one, *b = other;
	const size_t length = a->length < b->length ? a->length : b->length;
	int order;

	if (a->count != b->count)
		return a->count < b->count ? 1 : -1;
	order = memcmp(a->text, b->text, length);
	return order ? order : (a->length > b->length) - (a->length < b->length);
}

void top_values_sort(struct top_values *values)
{
	qsort(values->items, values->used, sizeof(values->items[0]), by_count);
	values->last = 0;
}
