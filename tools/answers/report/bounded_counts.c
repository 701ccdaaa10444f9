/* SPDX-License-Identifier: MIT */
/* Counts of values and of times, in bounded memory. */
#include <stdlib.h>
#include <string.h>

#include "common/cli/memory.h"
#include "facts.h"
#include "common/cli/message.h"
#include "common/text/amount.h"
#include "common/text/text_table.h"

/* Counts the most frequent of any number of texts in bounded memory. */

struct top_values *top_values_new(void)
{
	struct top_values *values = xcalloc(1, sizeof(*values));

	values->is_exact = 1;
	return values;
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
	value.hash = hash_bytes(text, value.length);
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

/* Counts events over time, in bins that widen as the time does. */

/* The difference of any two times, also of the least and the greatest. */
static uint64_t distance(int64_t from, int64_t to)
{
	return (uint64_t)to - (uint64_t)from;
}

static int fits(const struct time_scale *scale, unsigned int shift)
{
	return distance(scale->first >> shift, scale->last >> shift) < BIN_COUNT;
}

void time_scale_include(struct time_scale *scale, int64_t time)
{
	if (!scale->is_set)
		scale->first = scale->last = scale->base = time;
	scale->is_set = 1;
	if (time >= scale->first && time <= scale->last)
		return;
	if (time < scale->first)
		scale->first = time;
	if (time > scale->last)
		scale->last = time;
	while (!fits(scale, scale->shift))
		scale->shift++;
	scale->base = scale->first >> scale->shift;
}

/* The bin of a time that the scale includes. */
static int time_scale_bin(const struct time_scale *scale, int64_t time)
{
	return (int)distance(scale->base, time >> scale->shift);
}

static uint32_t sum(uint32_t one, uint32_t other)
{
	return one > UINT32_MAX - other ? UINT32_MAX : one + other;
}

void time_bins_adapt(struct time_bins *bins, const struct time_scale *scale)
{
	const unsigned int wider = scale->shift - bins->shift;
	uint32_t counts[BIN_COUNT] = { 0 };

	if (!wider && bins->base == scale->base)
		return;
	for (int i = 0; i < BIN_COUNT; i++)
		if (bins->counts[i]) {
			uint64_t at = distance(scale->base, (bins->base + i) >> wider);

			counts[at] = sum(counts[at], bins->counts[i]);
		}
	memcpy(bins->counts, counts, sizeof(counts));
	bins->shift = scale->shift;
	bins->base = scale->base;
}

void time_bins_add(struct time_bins *bins, const struct time_scale *scale, int64_t time,
		   uint32_t count)
{
	uint32_t *at;

	time_bins_adapt(bins, scale);
	at = &bins->counts[time_scale_bin(scale, time)];
	*at = sum(*at, count);
}

/* Finds pairs of which an expression leaves out one event. */

#define ADVICE "\"userevents latency --where\" selects pairs"

void cut_pairs_begin(struct cut_pairs *cut)
{
	cut->pairs.data_size = sizeof(int);
}

void cut_pairs_take(struct cut_pairs *cut, struct event *event, int is_left_out)
{
	struct pair pair;

	pairs_take(&cut->pairs, event, &pair);
	if (pair.ended)
		cut->count += *(const int *)pair.ended->data != is_left_out;
	if (pair.opened)
		*(int *)pair.opened->data = is_left_out;
}

void cut_pairs_put(uint64_t count, struct bytes *out)
{
	if (!count)
		return;
	bytes_addf(out, "<p class=\"warn\">The expression of --where leaves out the start or the stop "
		   "of %s, which are not shown, and what is left of them may be in wrong pairs; ",
		   counted(count, "pair"));
	markup_string(out, ADVICE);
	bytes_put(out, ". So starts that never ended are not shown, either.</p>\n");
}

void cut_pairs_report(uint64_t count)
{
	if (count)
		message("cannot show all pairs: --where leaves out the start or the stop of %llu; "
			ADVICE, (unsigned long long)count);
}

void cut_pairs_free(struct cut_pairs *cut)
{
	pairs_free(&cut->pairs);
}
