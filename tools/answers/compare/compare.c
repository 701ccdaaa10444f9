/* SPDX-License-Identifier: MIT */
/*
 * Tells differences from noise.
 *
 * Events that follow each other are alike: a slow second has a thousand slow requests, which
 * are one observation and not a thousand. A test that takes events for independent, as that of
 * Mann and Whitney does, finds a difference between any two recordings. So a side is cut into
 * blocks of equal time, up to 64 of them, each with its count and its histogram; their width
 * doubles as the side gets longer. A bootstrap draws as many blocks, with repetition, from each
 * side (Efron; with blocks: Kunsch 1989), and compares these as a whole: the rate and
 * the percentiles. The changes of 1000 rounds, without the least and the greatest half percent,
 * are the interval. It is the same each time, as the random numbers are.
 */
#include "compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/memory.h"

#define ROUNDS 1000u
#define LEFT_OUT 5u /* of the rounds, at each end */
/* With less, an interval would say nothing. */
#define EVENTS_LEAST 20u
#define BLOCKS_LEAST 8u

const double compared_shares[PERCENTILES_COMPARED] = { 0.5, 0.9, 0.99 };

/* Blocks */

static void fold_row(struct compared_row *row, int side)
{
	uint64_t *counts = row->counts[side];
	struct histogram *values = row->values[side];

	for (uint32_t i = 0; i < BLOCKS_MAX / 2; i++) {
		counts[i] = counts[2 * i] + counts[2 * i + 1];
		if (!values)
			continue;
		if (i) {
			values[i] = values[2 * i];
			values[2 * i] = (struct histogram){ .count = 0 };
		}
		histogram_merge(&values[i], &values[2 * i + 1]);
		histogram_free(&values[2 * i + 1]);
		values[2 * i + 1] = (struct histogram){ .count = 0 };
	}
	memset(counts + BLOCKS_MAX / 2, 0, BLOCKS_MAX / 2 * sizeof(*counts));
}

static struct compared_side *side_at(struct comparison *comparison, int side)
{
	return &comparison->sides[comparison->is_split ? 0 : side];
}

/* Twice as long blocks, of one side, or of both if these are of one recording. */
static void fold(struct comparison *comparison, int side)
{
	for (uint32_t i = 0; i < comparison->count; i++)
		for (int of = 0; of < 2; of++)
			if (of == side || comparison->is_split)
				fold_row(&comparison->rows[i], of);
	side_at(comparison, side)->width *= 2;
}

/* The block of a time. Times before the first, of files in no order, are in the first block. */
static uint32_t block_of(struct comparison *comparison, int side, int64_t time)
{
	struct compared_side *of = side_at(comparison, side);
	uint64_t since;

	if (!of->has_time)
		*of = (struct compared_side){ 1, time, time, BLOCK_LEAST };
	if (time <= of->first)
		return 0;
	if (time > of->last)
		of->last = time;
	since = (uint64_t)time - (uint64_t)of->first;
	while (since / (uint64_t)of->width >= BLOCKS_MAX && of->width <= INT64_MAX / 2)
		fold(comparison, side);
	return (uint32_t)(since / (uint64_t)of->width) % BLOCKS_MAX;
}

int comparison_has_row(const struct comparison *comparison, const struct event_kind *kind)
{
	return kind->event < comparison->kinds && comparison->by_kind[kind->event];
}

struct compared_row *comparison_row(struct comparison *comparison, const struct event_kind *kind)
{
	const uint32_t number = kind ? kind->event : 0, old = comparison->kinds;

	if (number >= old) {
		comparison->kinds = number * 2 + 64;
		comparison->by_kind = xrealloc(comparison->by_kind,
					       comparison->kinds * sizeof(*comparison->by_kind));
		memset(comparison->by_kind + old, 0,
		       (comparison->kinds - old) * sizeof(*comparison->by_kind));
	}
	if (!comparison->by_kind[number]) {
		comparison->rows = xgrow(comparison->rows, comparison->count,
					 sizeof(*comparison->rows));
		comparison->rows[comparison->count] = (struct compared_row){ .kind = kind };
		comparison->by_kind[number] = ++comparison->count;
	}
	return &comparison->rows[comparison->by_kind[number] - 1];
}

void comparison_count(struct comparison *comparison, struct compared_row *row, int side,
		      const struct record *record)
{
	if (record->sample.present & UE_META_TIME)
		row->counts[side][block_of(comparison, side, record->sample.time)]++;
	else
		comparison->without_time++;
}

static uint64_t bytes_of(const struct comparison *comparison, int side)
{
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < comparison->count; i++)
		for (uint32_t j = 0; comparison->rows[i].values[side] && j < BLOCKS_MAX; j++)
			bytes += histogram_bytes(&comparison->rows[i].values[side][j]);
	return bytes;
}

/* Hostile numbers make each histogram large; fewer of them then have to do. */
static void limit_memory(struct comparison *comparison, int side)
{
	for (int i = 0; i < 6 && bytes_of(comparison, side) > COMPARED_BYTES &&
			side_at(comparison, side)->width <= INT64_MAX / 2; i++)
		fold(comparison, side);
}

void comparison_value(struct comparison *comparison, struct compared_row *row, int side,
		      const struct record *record, const struct value *value)
{
	uint32_t block;

	if (!isfinite(value_as_double(value))) {
		comparison->not_finite++;
		return;
	}
	for (int i = 0; i < 2 && !row->values[i]; i++)
		row->values[i] = xcalloc(BLOCKS_MAX, sizeof(*row->values[i]));
	if (!(record->sample.present & UE_META_TIME)) {
		comparison->without_time++;
		return;
	}
	block = block_of(comparison, side, record->sample.time);
	row->counts[side][block]++;
	histogram_add(&row->values[side][block], value);
	if (++comparison->calls % 4096 == 0)
		limit_memory(comparison, side);
}

void comparison_free(struct comparison *comparison)
{
	for (uint32_t i = 0; i < comparison->count; i++)
		for (int side = 0; side < 2; side++) {
			AUTO_FREE struct histogram *values =
				comparison->rows[i].values[side];

			for (uint32_t j = 0; values && j < BLOCKS_MAX; j++)
				histogram_free(&values[j]);
		}
	free(comparison->rows);
	free(comparison->by_kind);
}

/* Rounds of the bootstrap */

static uint64_t next_random(uint64_t *state) /* splitmix64, Vigna 2015 */
{
	uint64_t mixed = *state += 0x9e3779b97f4a7c15u;

	mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9u;
	mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111ebu;
	return mixed ^ mixed >> 31;
}

static uint32_t blocks_of(const struct compared_side *side)
{
	return !side->has_time ? 0 :
	       (uint32_t)(((uint64_t)side->last - (uint64_t)side->first) / (uint64_t)side->width) + 1;
}

/* The last block ends at the last event. */
static double seconds_of(const struct compared_side *side, uint32_t block)
{
	const double width = (double)side->width;
	const double last = (double)((uint64_t)side->last - (uint64_t)side->first);
	const int is_last = block + 1 == blocks_of(side);

	return (is_last ? last - width * block : width) / 1e9;
}

/* Some blocks, as one. */
struct drawn {
	double rate;
	int has_values; /* else there are no percentiles */
	double percentiles[PERCENTILES_COMPARED];
};

/*
 * The buckets that any block of a side has, and how much of them each block has. Of hostile
 * numbers, which have more than BUCKETS_MAX of them, neighbours are one.
 */
#define BUCKETS_MAX 4096u

struct matrix {
	uint32_t count;
	double *numbers;		 /* that stand for the buckets, in order */
	uint64_t (*counts)[BLOCKS_MAX]; /* by bucket */
};

static uint32_t bucket_at(const struct histogram_bucket *buckets, size_t count, double number)
{
	size_t low = 0, high = count;

	while (high - low > 1) {
		const size_t middle = (low + high) / 2;

		if (buckets[middle].middle <= number)
			low = middle;
		else
			high = middle;
	}
	/* the nearer one, as ends of a block's own buckets may be cut */
	return (uint32_t)(low + (low + 1 < count && buckets[low + 1].middle - number <
							   number - buckets[low].middle));
}

static void make_matrix(const struct histogram *values, struct matrix *matrix)
{
	AUTO(histogram_free) struct histogram sum = { .count = 0 };
	struct histogram_bucket *all, *own;
	size_t count, step;

	for (uint32_t i = 0; i < BLOCKS_MAX; i++)
		histogram_merge(&sum, &values[i]);
	count = histogram_buckets(&sum, &all);
	step = count / BUCKETS_MAX + 1;
	matrix->count = (uint32_t)((count + step - 1) / step);
	matrix->numbers = xcalloc(matrix->count + 1, sizeof(*matrix->numbers));
	matrix->counts = xcalloc(matrix->count + 1, sizeof(*matrix->counts));
	for (size_t i = 0; i < count; i++)
		matrix->numbers[i / step] = all[i].middle;
	for (uint32_t i = 0; i < BLOCKS_MAX; i++) {
		const size_t owned = histogram_buckets(&values[i], &own);

		for (size_t j = 0; j < owned; j++)
			matrix->counts[bucket_at(all, count, own[j].middle) / step][i] +=
				own[j].count;
		free(own);
	}
	free(all);
}

static void free_matrix(struct matrix *matrix)
{
	free(matrix->numbers);
	free(matrix->counts);
}

/* times: how often each block is drawn. */
static void draw_percentiles(const struct matrix *matrix, uint64_t count,
			     const uint32_t times[BLOCKS_MAX], struct drawn *drawn)
{
	uint64_t below = 0;
	int next = 0;

	drawn->has_values = count > 0;
	for (uint32_t i = 0; i < matrix->count && next < PERCENTILES_COMPARED; i++) {
		for (uint32_t j = 0; j < BLOCKS_MAX; j++)
			below += matrix->counts[i][j] * times[j];
		while (next < PERCENTILES_COMPARED &&
		       (double)below >= ceil(compared_shares[next] * (double)count))
			drawn->percentiles[next++] = matrix->numbers[i];
	}
}

static void take_blocks(const struct comparison *comparison, const struct compared_row *row,
			int side, const struct matrix *matrix, const uint32_t times[BLOCKS_MAX],
			struct drawn *drawn)
{
	const struct compared_side *of = &comparison->sides[comparison->is_split ? 0 : side];
	uint64_t count = 0;
	double seconds = 0;

	for (uint32_t i = 0; i < blocks_of(of); i++) {
		count += row->counts[side][i] * times[i];
		seconds += seconds_of(of, i) * times[i];
	}
	*drawn = (struct drawn){ .rate = seconds > 0 ? (double)count / seconds : 0 };
	if (matrix->count)
		draw_percentiles(matrix, count, times, drawn);
}

/* All that there is: percentiles are as exact as those of a histogram. */
static void take_all(const struct comparison *comparison, const struct compared_row *row,
		     int side, struct drawn *drawn)
{
	const struct matrix none = { .count = 0 };
	AUTO(histogram_free) struct histogram sum = { .count = 0 };
	uint32_t once[BLOCKS_MAX];

	for (uint32_t i = 0; i < BLOCKS_MAX; i++) {
		once[i] = 1;
		if (row->values[side])
			histogram_merge(&sum, &row->values[side][i]);
	}
	take_blocks(comparison, row, side, &none, once, drawn);
	for (int i = 0; i < PERCENTILES_COMPARED; i++)
		drawn->percentiles[i] = histogram_percentile(&sum, compared_shares[i]);
}

static void draw(const struct comparison *comparison, const struct compared_row *row, int side,
		 const struct matrix *matrix, uint64_t *state, struct drawn *drawn)
{
	const uint32_t blocks =
		blocks_of(&comparison->sides[comparison->is_split ? 0 : side]);
	uint32_t times[BLOCKS_MAX] = { 0 };

	for (uint32_t i = 0; i < blocks; i++)
		times[next_random(state) % blocks]++;
	take_blocks(comparison, row, side, matrix, times, drawn);
}

/* Results */

static int compare_doubles(const void *one, const void *other)
{
	const double a = *(const double *)one, b = *(const double *)other;

	return (a > b) - (a < b);
}

static double relative(double before, double after)
{
	return before == after ? 0 :
	       before == 0     ? copysign(INFINITY, after) : (after - before) / fabs(before);
}

/* rounds: those that have a change. With few the blocks that have values are too few. */
static void set_change(struct change *change, double before, double after, double *changes,
		       uint32_t rounds)
{
	change->before = before;
	change->after = after;
	change->relative = relative(before, after);
	if (rounds < ROUNDS * 95 / 100)
		change->verdict = COMPARE_TOO_FEW;
	if (change->verdict == COMPARE_TOO_FEW)
		return;
	qsort(changes, rounds, sizeof(*changes), compare_doubles);
	change->low = changes[LEFT_OUT];
	change->high = changes[rounds - 1 - LEFT_OUT];
	change->verdict = change->low > 0 || change->high < 0 ? COMPARE_DIFFERS : COMPARE_NOISE;
}

static uint64_t sum_of(const uint64_t counts[BLOCKS_MAX])
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < BLOCKS_MAX; i++)
		sum += counts[i];
	return sum;
}

static int is_too_few(const struct compared *compared)
{
	for (int side = 0; side < 2; side++)
		if (compared->counts[side] < EVENTS_LEAST || compared->blocks[side] < BLOCKS_LEAST)
			return 1;
	return 0;
}

/* The rate is the first quantity; the percentiles follow. */
static struct change *change_of(struct compared *compared, int number)
{
	return number ? &compared->percentiles[number - 1] : &compared->rate;
}

static double quantity_of(const struct drawn *drawn, int number)
{
	return number ? drawn->percentiles[number - 1] : drawn->rate;
}

/* The changes of all rounds: of the rate, and of percentiles in rounds that have some. */
static void draw_rounds(const struct comparison *comparison, const struct compared_row *row,
			double changes[][ROUNDS], uint32_t rounds[PERCENTILES_COMPARED + 1])
{
	struct matrix matrices[2] = { { .count = 0 } };
	uint64_t state = 1;

	for (int side = 0; side < 2 && row->values[side]; side++)
		make_matrix(row->values[side], &matrices[side]);
	for (uint32_t round = 0; round < ROUNDS; round++) {
		struct drawn drawn[2];

		for (int side = 0; side < 2; side++)
			draw(comparison, row, side, &matrices[side], &state, &drawn[side]);
		for (int i = 0; i <= PERCENTILES_COMPARED; i++)
			if (!i || (drawn[0].has_values && drawn[1].has_values))
				changes[i][rounds[i]++] = relative(quantity_of(&drawn[0], i),
								   quantity_of(&drawn[1], i));
	}
	for (int side = 0; side < 2; side++)
		free_matrix(&matrices[side]);
}

void comparison_result(const struct comparison *comparison, const struct compared_row *row,
		       struct compared *compared)
{
	static double changes[PERCENTILES_COMPARED + 1][ROUNDS];
	const int quantities = row->values[0] ? PERCENTILES_COMPARED + 1 : 1;
	uint32_t rounds[PERCENTILES_COMPARED + 1] = { 0 };
	struct drawn all[2];
	double both[2];
	int is_few;

	*compared = (struct compared){ .counts = { 0 } };
	for (int side = 0; side < 2; side++) {
		compared->counts[side] = sum_of(row->counts[side]);
		compared->blocks[side] =
			blocks_of(&comparison->sides[comparison->is_split ? 0 : side]);
		take_all(comparison, row, side, &all[side]);
	}
	is_few = is_too_few(compared);
	if (!is_few)
		draw_rounds(comparison, row, changes, rounds);
	for (int i = 0; i < quantities; i++) {
		struct change *change = change_of(compared, i);

		/* percentiles of nothing are not a number */
		for (int side = 0; side < 2; side++)
			both[side] = i && !compared->counts[side] ? (double)NAN :
								    quantity_of(&all[side], i);
		change->verdict = is_few ? COMPARE_TOO_FEW : COMPARE_NOISE;
		set_change(change, both[0], both[1], changes[i], rounds[i]);
	}
	if (!compared->counts[0] || !compared->counts[1])
		compared->rate.verdict = compared->counts[0] ? COMPARE_GONE : COMPARE_NEW;
}

static double mean_of(const double *numbers, size_t count)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += numbers[i];
	return sum / (double)count;
}

void compare_runs(const double *before, const double *after, size_t count, struct change *change)
{
	static double changes[ROUNDS];
	uint64_t state = 1;

	for (uint32_t round = 0; round < ROUNDS; round++) {
		double one = 0, other = 0;

		for (size_t i = 0; i < count; i++) {
			const size_t drawn = (size_t)(next_random(&state) % count);

			one += before[drawn];
			other += after[drawn];
		}
		changes[round] = relative(one, other);
	}
	*change = (struct change){ .verdict = COMPARE_NOISE };
	set_change(change, mean_of(before, count), mean_of(after, count), changes, ROUNDS);
}
