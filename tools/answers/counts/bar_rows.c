/* SPDX-License-Identifier: MIT */
/* Chooses round limits for the rows of a drawing. */
#include "bar_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Round numbers */

/* The greatest of 1, 2 and 5 times a power of 10 that is not above the number. */
static double round_below(double number)
{
	const double power = pow(10, floor(log10(number)));
	const double digit = number / power;

	/* log10() and pow() may be off by a bit */
	return power * (digit >= 10 ? 10 : digit >= 5 ? 5 : digit >= 2 ? 2 : digit >= 1 ? 1 : 0.5);
}

static double round_above(double number)
{
	const double below = round_below(number), power = pow(10, floor(log10(number)));

	if (below >= number)
		return below;
	return below < power ? power : below < 2 * power ? 2 * power :
	       below < 5 * power ? 5 * power : 10 * power;
}

/* Rows of equal width */

static int make_equal(const struct histogram *histogram, struct bar_rows *rows)
{
	const double low = value_as_double(&histogram->least);
	const double high = value_as_double(&histogram->greatest);
	const double far = fmax(fabs(low), fabs(high));
	double step = (high / 20 - low / 20), first;

	if (!histogram->has_floats && step < 1)
		step = 1;
	if (histogram->has_floats || far > 256) /* not narrower than a bucket */
		step = fmax(step, far / 128);
	if (!(step > 1e-300)) /* one number, or nearly so */
		step = fmax(fabs(high), 1e-300);
	step = round_above(step);
	first = floor(low / step);
	rows->count = 0;
	while (rows->count < BAR_ROWS_MAX && (!rows->count || rows->edges[rows->count] <= high)) {
		rows->edges[rows->count] = (first + (double)rows->count) * step;
		rows->count++;
		rows->edges[rows->count] = (first + (double)rows->count) * step;
	}
	return rows->edges[rows->count] > high ? 0 : -1;
}

/* Rows that grow */

/*
 * The limits of one sign: 0 for numbers up to the first, then powers of 10 with this many
 * decades between them, or, for 0, 1, 2 and 5 times the powers.
 */
struct growth {
	int decades;
	double least;	 /* of all that are not 0, without signs */
	double greatest[2]; /* without signs: of the numbers below 0, of those above */
};

static double next_limit(const struct growth *growth, double limit)
{
	return growth->decades ? limit * pow(10, growth->decades) : round_above(limit * 1.5);
}

static double first_limit(const struct growth *growth)
{
	const double decades = growth->decades ? growth->decades : 1;

	if (!growth->decades)
		return round_below(growth->least);
	return pow(10, floor(log10(growth->least) / decades) * decades);
}

static int add_edge(struct bar_rows *rows, double edge)
{
	if (rows->count > BAR_ROWS_MAX)
		return -1;
	rows->edges[rows->count++] = edge;
	return 0;
}

static int compare(const void *one, const void *other)
{
	const double a = *(const double *)one, b = *(const double *)other;

	return (a > b) - (a < b);
}

/* All limits, first those of numbers above 0, in any order. */
static int add_edges(const struct growth *growth, struct bar_rows *rows, int has_zero)
{
	const double first = first_limit(growth);
	double limit = first;
	int failed = 0;

	if (has_zero || growth->greatest[0] > 0)
		failed |= add_edge(rows, 0);
	for (; !failed && growth->greatest[1] > 0; limit = next_limit(growth, limit)) {
		failed |= add_edge(rows, limit);
		if (limit > growth->greatest[1])
			break;
	}
	for (limit = first; !failed && growth->greatest[0] > 0;
	     limit = next_limit(growth, limit)) {
		failed |= add_edge(rows, -limit);
		if (limit > growth->greatest[0])
			break;
	}
	if (has_zero && !(growth->greatest[1] > 0))
		failed |= add_edge(rows, first);
	return failed;
}

static int make_growing(const struct histogram_bucket *buckets, size_t count,
			struct bar_rows *rows)
{
	static const int steps[] = { 0, 1, 2, 3, 6, 10, 20, 30, 60, 100 };
	struct growth growth = { .least = INFINITY };
	int has_zero = 0;

	for (size_t i = 0; i < count; i++) {
		const double middle = buckets[i].middle;

		has_zero |= fabs(middle) < 1e-300;
		if (fabs(middle) < 1e-300)
			continue;
		growth.least = fmin(growth.least, fabs(middle));
		growth.greatest[middle > 0] = fmax(growth.greatest[middle > 0], fabs(middle));
	}
	if (!isfinite(growth.least))
		return -1;
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		growth.decades = steps[i];
		rows->count = 0;
		if (add_edges(&growth, rows, has_zero))
			continue;
		qsort(rows->edges, rows->count, sizeof(rows->edges[0]), compare);
		rows->count--;
		return 0;
	}
	return -1;
}

/* Counting */

/* How many numbers of a bucket are in the row, if it ends within the bucket. */
static uint64_t share_below(const struct histogram_bucket *bucket, double edge)
{
	const double width = bucket->high - bucket->low;

	if (edge <= bucket->low)
		return 0;
	if (edge >= bucket->high)
		return bucket->count;
	return (uint64_t)((double)bucket->count * ((edge - bucket->low) / width) + 0.5);
}

static void divide(struct histogram_bucket left, size_t *row, struct bar_rows *rows)
{
	for (; *row + 1 < rows->count && left.high > rows->edges[*row + 1]; ++*row) {
		const uint64_t below = share_below(&left, rows->edges[*row + 1]);

		left.low = fmax(left.low, rows->edges[*row + 1]);
		rows->counts[*row] += below;
		left.count -= below;
	}
	rows->counts[*row] += left.count;
}

static void add_exactly(const struct value *number, struct bar_rows *rows)
{
	size_t row = 0;

	while (row + 1 < rows->count && value_as_double(number) >= rows->edges[row + 1])
		row++;
	rows->counts[row]++;
}

/*
 * A bucket across an edge is divided, as if its numbers were spread evenly. The least and the
 * greatest number are known exactly.
 */
static void fill(const struct histogram *histogram, const struct histogram_bucket *buckets,
		 size_t count, struct bar_rows *rows)
{
	const int is_single = histogram->count == 1;
	size_t row = 0;

	memset(rows->counts, 0, sizeof(rows->counts));
	add_exactly(&histogram->least, rows);
	if (!is_single)
		add_exactly(&histogram->greatest, rows);
	for (size_t i = 0; i < count; i++) {
		struct histogram_bucket left = buckets[i];

		left.count -= (i == 0) + (i == count - 1 && !is_single);
		if (!histogram->has_floats && left.middle < 0) {
			left.low++; /* belongs to it, and high does not, as above 0 */
			left.high++;
		}
		divide(left, &row, rows);
	}
}

/* Empty rows before the first number and behind the last. */
static void trim(struct bar_rows *rows)
{
	size_t empty = 0;

	while (rows->count && !rows->counts[rows->count - 1])
		rows->count--;
	while (empty < rows->count && !rows->counts[empty])
		empty++;
	rows->count -= empty;
	memmove(rows->edges, rows->edges + empty, (rows->count + 1) * sizeof(rows->edges[0]));
	memmove(rows->counts, rows->counts + empty, rows->count * sizeof(rows->counts[0]));
}

/* Shannon's entropy: how much a row tells of a number. */
static double entropy(const struct bar_rows *rows)
{
	double sum = 0;
	uint64_t count = 0;

	for (size_t i = 0; i < rows->count; i++)
		count += rows->counts[i];
	for (size_t i = 0; i < rows->count; i++) {
		const double share = (double)rows->counts[i] / (double)count;

		if (share > 0)
			sum -= share * log2(share);
	}
	return sum;
}

/* Tells more, or as much in fewer rows. */
static int is_better(const struct bar_rows *one, const struct bar_rows *other)
{
	const double more = entropy(one) - entropy(other);

	return more > 1e-9 || (more > -1e-9 && one->count < other->count);
}

void bar_rows_make(const struct histogram *histogram, struct bar_rows *rows)
{
	struct bar_rows equal = { 0 }, growing = { 0 };
	struct histogram_bucket *buckets;
	size_t count = histogram_buckets(histogram, &buckets);

	*rows = (struct bar_rows){ 0 };
	if (count) {
		const int has_equal = !make_equal(histogram, &equal);
		const int has_growing = !make_growing(buckets, count, &growing);

		fill(histogram, buckets, count, &equal);
		fill(histogram, buckets, count, &growing);
		trim(&equal);
		trim(&growing);
		*rows = has_growing && (!has_equal || is_better(&growing, &equal)) ?
				growing : equal;
	}
	free(buckets);
}
