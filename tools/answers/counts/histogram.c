/* SPDX-License-Identifier: MIT */
/*
 * Counts numbers in log-linear buckets.
 *
 * A double begins with its exponent. So its first bits, read as a whole number, are the
 * number of a bucket: the exponent, and 7 bits of the mantissa for 128 equal parts of the
 * octave. Buckets of numbers below 0 count down from -1. 32 buckets are a part, and parts exist
 * where there are numbers; a hash table finds them.
 */
#include "histogram.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/memory.h"
#include "common/cli/message.h"
#include "common/text/text_table.h"

#define MANTISSA_BITS 7
#define PART_BITS 5
#define PART_BUCKETS (1 << PART_BITS)

struct histogram_part {
	int32_t number; /* that of its first bucket, divided by PART_BUCKETS */
	uint64_t counts[PART_BUCKETS];
};

/* Buckets */

static int32_t bucket_of(double number)
{
	uint64_t bits;
	int32_t bucket;

	memcpy(&bits, &number, sizeof(bits));
	bucket = (int32_t)((bits & INT64_MAX) >> (52 - MANTISSA_BITS));
	return number < 0 ? -bucket - 1 : bucket;
}

/* The end of a bucket that is nearer to 0. */
static double inner_end(int32_t bucket)
{
	uint64_t bits = (uint64_t)(bucket < 0 ? -bucket - 1 : bucket) << (52 - MANTISSA_BITS);
	double end;

	memcpy(&end, &bits, sizeof(end));
	return bucket < 0 ? -end : end;
}

static double low_end(int32_t bucket)
{
	return bucket < 0 ? inner_end(bucket - 1) : inner_end(bucket);
}

static double high_end(int32_t bucket)
{
	return bucket < 0 ? inner_end(bucket) : inner_end(bucket + 1);
}

/* Parts */

static struct histogram_part *add_part(struct histogram *histogram, int32_t number)
{
	struct histogram_part *part;

	histogram->parts = xgrow(histogram->parts, histogram->part_count, sizeof(*part));
	part = &histogram->parts[histogram->part_count];
	*part = (struct histogram_part){ .number = number };
	key_table_add(&histogram->by_number, (uint32_t)number, histogram->part_count++);
	return part;
}

static struct histogram_part *find_part(struct histogram *histogram, int32_t number)
{
	const uint32_t found = key_table_find(&histogram->by_number, (uint32_t)number);

	if (found == KEY_UNKNOWN)
		return add_part(histogram, number);
	return &histogram->parts[found];
}

static void count(struct histogram *histogram, int32_t bucket, uint64_t more)
{
	/* Divides with the result rounded down, below 0 too. */
	const int32_t number = (bucket - (bucket & (PART_BUCKETS - 1))) / PART_BUCKETS;

	find_part(histogram, number)->counts[bucket & (PART_BUCKETS - 1)] += more;
}

/* Adding numbers */

/* Neumaier's sum: the part that an addition rounds off is kept, and added at the end. */
static void add_to_sum(struct histogram *histogram, long double number)
{
	const long double sum = histogram->sum + number;

	if (fabsl(histogram->sum) >= fabsl(number))
		histogram->sum_error += histogram->sum - sum + number;
	else
		histogram->sum_error += number - sum + histogram->sum;
	histogram->sum = sum;
}

static void widen(struct histogram *histogram, const struct value *least,
		  const struct value *greatest)
{
	if (!histogram->count || value_compare(least, &histogram->least) < 0)
		histogram->least = *least;
	if (!histogram->count || value_compare(greatest, &histogram->greatest) > 0)
		histogram->greatest = *greatest;
}

void histogram_add(struct histogram *histogram, const struct value *value)
{
	const double number = value_as_double(value);

	if (!isfinite(number)) {
		histogram->not_finite++;
		return;
	}
	widen(histogram, value, value);
	histogram->count++;
	histogram->has_floats |= value->type == VALUE_FLOAT;
	add_to_sum(histogram, number);
	count(histogram, bucket_of(number), 1);
}

void histogram_add_whole(struct histogram *histogram, int64_t number)
{
	histogram_add(histogram, &(struct value){ .type = VALUE_SIGNED, .whole = number });
}

void histogram_merge(struct histogram *histogram, const struct histogram *other)
{
	histogram->not_finite += other->not_finite;
	for (int i = 0; i < HISTOGRAM_SUMS; i++)
		histogram->sums[i] += other->sums[i];
	if (!other->count)
		return;
	widen(histogram, &other->least, &other->greatest);
	histogram->count += other->count;
	histogram->has_floats |= other->has_floats;
	add_to_sum(histogram, other->sum);
	histogram->sum_error += other->sum_error;
	for (uint32_t i = 0; i < other->part_count; i++)
		for (int32_t j = 0; j < PART_BUCKETS; j++)
			if (other->parts[i].counts[j])
				count(histogram, other->parts[i].number * PART_BUCKETS + j,
				      other->parts[i].counts[j]);
}

/* Answers */

double histogram_mean(const struct histogram *histogram)
{
	if (!histogram->count)
		return 0;
	return (double)((histogram->sum + histogram->sum_error) / histogram->count);
}

static int compare_parts(const void *one, const void *other)
{
	const struct histogram_part *const *a = one, *const *b = other;

	return (*a)->number < (*b)->number ? -1 : 1;
}

/* The parts, from the lowest; to be freed. */
static const struct histogram_part **sorted(const struct histogram *histogram)
{
	const struct histogram_part **parts = xcalloc(histogram->part_count + 1, sizeof(*parts));

	for (uint32_t i = 0; i < histogram->part_count; i++)
		parts[i] = &histogram->parts[i];
	qsort(parts, histogram->part_count, sizeof(*parts), compare_parts);
	return parts;
}

static double limit(const struct histogram *histogram, double number)
{
	const double least = value_as_double(&histogram->least);
	const double greatest = value_as_double(&histogram->greatest);

	return number < least ? least : number > greatest ? greatest : number;
}

/* The middle; of whole numbers one of those that are in the bucket; 0 next to it. */
static double middle(const struct histogram *histogram, int32_t bucket)
{
	const double low = low_end(bucket), high = high_end(bucket);
	const double half = low + (high - low) / 2;

	if (inner_end(bucket) == 0)
		return limit(histogram, 0);
	if (histogram->has_floats)
		return limit(histogram, half);
	return limit(histogram, bucket < 0 ? ceil((floor(low) + 1 + high) / 2) :
					     floor((low + ceil(high) - 1) / 2));
}

static int32_t bucket_of_rank(const struct histogram *histogram, uint64_t rank)
{
	AUTO_FREE const struct histogram_part **parts = sorted(histogram);
	int32_t bucket = 0;
	uint64_t below = 0;

	for (uint32_t i = 0; i < histogram->part_count && below < rank; i++)
		for (int32_t j = 0; j < PART_BUCKETS && below < rank; j++) {
			bucket = parts[i]->number * PART_BUCKETS + j;
			below += parts[i]->counts[j];
		}
	return bucket;
}

double histogram_percentile(const struct histogram *histogram, double share)
{
	/* 0.999 of 1000 is 999, although no double is 0.999. */
	const double rank = ceil(share * (double)histogram->count * (1 - 4e-16));

	if (!histogram->count)
		return 0;
	if (!(rank > 1))
		return value_as_double(&histogram->least);
	if (rank >= (double)histogram->count)
		return value_as_double(&histogram->greatest);
	return middle(histogram, bucket_of_rank(histogram, (uint64_t)rank));
}

static struct histogram_bucket describe(const struct histogram *histogram, int32_t bucket,
					uint64_t numbers)
{
	const int is_whole = !histogram->has_floats;
	const double low = low_end(bucket), high = high_end(bucket);

	return (struct histogram_bucket){
		.low = is_whole ? floor(low) : low,
		.high = is_whole ? ceil(high) : high,
		.middle = middle(histogram, bucket),
		.count = numbers,
	};
}

size_t histogram_buckets(const struct histogram *histogram,
			 struct histogram_bucket **buckets)
{
	AUTO_FREE const struct histogram_part **parts = sorted(histogram);
	size_t found = 0;

	*buckets = xcalloc((size_t)histogram->part_count * PART_BUCKETS + 1, sizeof(**buckets));
	for (uint32_t i = 0; i < histogram->part_count; i++)
		for (int32_t j = 0; j < PART_BUCKETS; j++)
			if (parts[i]->counts[j])
				(*buckets)[found++] = describe(
					histogram, parts[i]->number * PART_BUCKETS + j,
					parts[i]->counts[j]);
	return found;
}

void histogram_free(struct histogram *histogram)
{
	free(histogram->parts);
	key_table_free(&histogram->by_number);
	*histogram = (struct histogram){ 0 };
}

/* Keeps and prints a histogram for each value of a field. */

/* Groups whose bars are drawn. */
#define DRAWN_MOST 5u

int group_order_parse(const char *text, enum group_order *order)
{
	static const char *const names[] = { "count", "total", "p99" };

	*order = BY_COUNT;
	for (int i = 0; i < 3; i++)
		if (text && !strcmp(text, names[i]))
			*order = (enum group_order)i;
	if (!text || !strcmp(text, names[*order]))
		return 0;
	message("cannot sort by \"%s\": --sort is count, total or p99", text);
	return -1;
}

/* numbers: the new ones of groups, or GROUP_OTHERS; freed. */
static void renumber(struct histogram_set *set, uint32_t *numbers)
{
	uint32_t count = 0;

	for (uint32_t i = 0; numbers && i < set->count; i++) {
		if (numbers[i] != GROUP_OTHERS) {
			set->of_group[numbers[i]] = set->of_group[i];
			count++;
			continue;
		}
		histogram_merge(&set->others, &set->of_group[i]);
		histogram_free(&set->of_group[i]);
	}
	set->count = numbers ? count : set->count;
	free(numbers);
}

uint64_t histogram_bytes(const struct histogram *histogram)
{
	return sizeof(*histogram) + histogram->by_number.size * sizeof(struct key_slot) +
	       histogram->part_count * sizeof(struct histogram_part);
}

static uint64_t bytes_of(const struct histogram_set *set)
{
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < set->count; i++)
		bytes += sizeof(struct group) + histogram_bytes(&set->of_group[i]);
	return bytes;
}

static int is_full(struct histogram_set *set)
{
	return groups_are_full(&set->groups) ||
	       (++set->calls % 4096 == 0 && set->count > set->groups.most &&
		bytes_of(set) > SET_BYTES);
}

static uint32_t group_of(struct histogram_set *set, const struct value *value)
{
	if (!set->by)
		return GROUP_OTHERS;
	if (is_full(set))
		renumber(set, groups_shed(&set->groups));
	return group_find(&set->groups, 0, value);
}

int histogram_set_is_uncertain(const struct histogram_set *set)
{
	return set->groups.shed > 0;
}

static double score_of(const struct histogram_set *set, uint32_t group)
{
	const struct histogram *histogram = &set->of_group[group];

	switch (set->order) {
	case BY_TOTAL:
		return (double)histogram->count * histogram_mean(histogram);
	case BY_P99:
		return histogram_percentile(histogram, 0.99);
	default:
		return (double)(histogram->count + histogram->not_finite);
	}
}

void histogram_set_end(struct histogram_set *set)
{
	AUTO_FREE double *scores = xcalloc(set->count + 1, sizeof(*scores));

	for (uint32_t i = 0; i < set->count; i++)
		scores[i] = score_of(set, i);
	renumber(set, groups_keep(&set->groups, set->groups.most, scores));
}

void histogram_set_again(struct histogram_set *set)
{
	groups_fix(&set->groups);
	for (uint32_t i = 0; i < set->count; i++) {
		histogram_free(&set->of_group[i]);
		set->of_group[i] = (struct histogram){ .count = 0 };
	}
	histogram_free(&set->others);
	set->others = (struct histogram){ .count = 0 };
}

struct histogram *histogram_set_find(struct histogram_set *set, const struct value *value)
{
	const uint32_t group = group_of(set, value);

	if (group == GROUP_OTHERS)
		return &set->others;
	if (group >= set->count) {
		set->of_group = xgrow(set->of_group, set->count, sizeof(*set->of_group));
		set->of_group[set->count++] = (struct histogram){ .count = 0 };
	}
	return &set->of_group[group];
}

struct histogram histogram_set_sum(const struct histogram_set *set)
{
	struct histogram sum = { .count = 0 };

	histogram_merge(&sum, &set->others);
	for (uint32_t i = 0; i < set->count; i++)
		histogram_merge(&sum, &set->of_group[i]);
	return sum;
}

struct sorted_group {
	double score;
	uint32_t number;
};

static int compare(const void *one, const void *other)
{
	const struct sorted_group *a = one, *b = other;

	if (a->score != b->score)
		return a->score < b->score ? 1 : -1;
	return (a->number > b->number) - (a->number < b->number);
}

/* Those with the highest scores first; to be freed. */
static const struct histogram **sort(const struct histogram_set *set)
{
	struct sorted_group *groups = xcalloc(set->count + 1, sizeof(*groups));
	const struct histogram **sorted = xcalloc(set->count + 1, sizeof(*sorted));

	for (uint32_t i = 0; i < set->count; i++)
		groups[i] = (struct sorted_group){ score_of(set, i), i };
	qsort(groups, set->count, sizeof(*groups), compare);
	for (uint32_t i = 0; i < set->count; i++)
		sorted[i] = &set->of_group[groups[i].number];
	free(groups);
	return sorted;
}

static const struct value *value_of_group(const struct histogram_set *set,
					  const struct histogram *histogram)
{
	return &set->groups.groups[histogram - set->of_group].value;
}

static void put_table(const struct histogram_set *set, const struct histogram **sorted,
		      enum unit unit, struct bytes *to)
{
	struct text_table table = { .columns = 0 };

	table_column(&table, set->by->field.text, 0);
	distribution_columns(&table);
	for (uint32_t i = 0; i < set->count; i++) {
		table_value(&table, value_of_group(set, sorted[i]));
		distribution_row(sorted[i], unit, &table);
	}
	if (set->others.count || set->others.not_finite) {
		table_cell(&table, "(others)");
		distribution_row(&set->others, unit, &table);
	}
	table_put(&table, to);
}

static void put_title(const struct histogram_set *set, const struct value *value,
		      struct bytes *to)
{
	bytes_add(to, "\n", 1);
	bytes_put(to, set->by->field.text);
	bytes_add(to, " ", 1);
	value_put(value, to);
	bytes_add(to, ":\n", 2);
}

/* canvas: NULL without bars. */
static void put_groups(const struct histogram_set *set, enum unit unit,
		       const struct canvas *canvas, struct bytes *to)
{
	AUTO_FREE const struct histogram **sorted = sort(set);

	bytes_add(to, "\n", 1);
	put_table(set, sorted, unit, to);
	for (uint32_t i = 0; canvas && i < set->count && i < DRAWN_MOST && sorted[i]->count; i++) {
		put_title(set, value_of_group(set, sorted[i]), to);
		bars_put(sorted[i], unit, canvas, to);
	}
}

void histogram_set_each(const struct histogram_set *set,
			void (*call)(void *context, const struct value *value,
				     const struct histogram *histogram),
			void *context)
{
	AUTO_FREE const struct histogram **sorted = sort(set);

	for (uint32_t i = 0; i < set->count; i++)
		call(context, value_of_group(set, sorted[i]), sorted[i]);
	if (set->others.count)
		call(context, NULL, &set->others);
}

void histogram_set_put(const struct histogram_set *set, enum unit unit, struct bytes *to)
{
	AUTO(histogram_free) struct histogram sum = histogram_set_sum(set);
	struct canvas canvas;

	canvas_begin(&canvas);
	distribution_put(&sum, unit, to);
	if (!set->has_no_bars) {
		bytes_add(to, "\n", 1);
		bars_put(&sum, unit, &canvas, to);
	}
	if (set->by)
		put_groups(set, unit, set->has_no_bars ? NULL : &canvas, to);
}

static void add_group(const struct histogram_set *set, const struct histogram *histogram,
		      struct bytes *json)
{
	distribution_json(histogram, 1, json);
	json_count(json, "notFinite", histogram->not_finite);
	if (set->more)
		set->more(histogram, json);
	json_close(json, '}');
}

static void add_groups(const struct histogram_set *set, struct bytes *json)
{
	AUTO_FREE const struct histogram **sorted = sort(set);

	json_string(json, "by", set->by->field.text);
	json_open(json, "groups", '[');
	for (uint32_t i = 0; i < set->count; i++) {
		json_open(json, NULL, '{');
		json_value(json, "value", value_of_group(set, sorted[i]));
		if (set->groups.groups[sorted[i] - set->of_group].error)
			json_count(json, "missing",
				   set->groups.groups[sorted[i] - set->of_group].error);
		add_group(set, sorted[i], json);
	}
	if (set->others.count || set->others.not_finite) {
		json_open(json, NULL, '{');
		json_boolean(json, "others", 1);
		add_group(set, &set->others, json);
	}
	json_close(json, ']');
}

const char *const histogram_members[] = { "groups", "buckets", NULL };

void histogram_set_json(const struct histogram_set *set, struct bytes *json)
{
	AUTO(histogram_free) struct histogram sum = histogram_set_sum(set);

	json_float(json, "relativeError", HISTOGRAM_ERROR);
	distribution_json(&sum, 1, json);
	if (set->by)
		add_groups(set, json);
}

void histogram_set_report(const struct histogram_set *set)
{
	if (set->by)
		groups_report(&set->groups, &set->by->field,
			      set->others.count + set->others.not_finite);
}

void histogram_set_free(struct histogram_set *set)
{
	for (uint32_t i = 0; i < set->count; i++)
		histogram_free(&set->of_group[i]);
	free(set->of_group);
	histogram_free(&set->others);
	groups_free(&set->groups);
}
