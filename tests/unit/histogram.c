/* SPDX-License-Identifier: MIT */
/* Histograms against the same answers from all numbers, sorted. */
#include "test.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "answers/counts/histogram.h"

#define NUMBERS 20000

static const double shares[] = { 0, 0.001, 0.01, 0.1, 0.5, 0.9, 0.99, 0.999, 0.9999, 1 };

#define SHARES (sizeof(shares) / sizeof(shares[0]))

static uint64_t seed = 88172645463325252;

static uint64_t random64(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

static void add_float(struct histogram *histogram, double number)
{
	histogram_add(histogram, &(struct value){ .type = VALUE_FLOAT, .number = number });
}

static int compare(const void *one, const void *other)
{
	const double a = *(const double *)one, b = *(const double *)other;

	return (a > b) - (a < b);
}

static double exact(const double *sorted, size_t count, double share)
{
	size_t rank = (size_t)ceil(share * (double)count - 1e-7);

	return sorted[rank ? rank - 1 : 0];
}

static void check(const struct histogram *histogram, double *numbers, size_t count)
{
	long double sum = 0;

	qsort(numbers, count, sizeof(*numbers), compare);
	for (size_t i = 0; i < count; i++)
		sum += numbers[i];
	assert_int_equal(histogram->count, count);
	assert_true(value_as_double(&histogram->least) == numbers[0]);
	assert_true(value_as_double(&histogram->greatest) == numbers[count - 1]);
	assert_true(fabs(histogram_mean(histogram) - (double)(sum / count)) <=
		    1e-12 * fmax(fabs(numbers[0]), fabs(numbers[count - 1])));
	for (size_t i = 0; i < SHARES; i++) {
		const double right = exact(numbers, count, shares[i]);
		const double got = histogram_percentile(histogram, shares[i]);

		if (!(fabs(got - right) <= fabs(right) * HISTOGRAM_ERROR))
			fail_msg("%g of %zu numbers is %.17g, not %.17g", shares[i], count, right,
				 got);
	}
}

/* Numbers of 0 to so many bits. */
static void check_whole(int bits, int is_signed)
{
	static double numbers[NUMBERS];
	struct histogram histogram = { 0 };

	for (size_t i = 0; i < NUMBERS; i++) {
		int64_t number = (int64_t)(random64() >> (64 - bits) >> random64() % (uint64_t)bits);

		if (is_signed && random64() & 1)
			number = -number;
		histogram_add_whole(&histogram, number);
		numbers[i] = (double)number;
	}
	check(&histogram, numbers, NUMBERS);
	histogram_free(&histogram);
}

static void whole_numbers_of_all_sizes(void **state)
{
	(void)state;
	for (int bits = 1; bits < 64; bits++) {
		check_whole(bits, 0);
		check_whole(bits, 1);
	}
}

static void check_floats(double (*draw)(void))
{
	static double numbers[NUMBERS];
	struct histogram histogram = { 0 };

	for (size_t i = 0; i < NUMBERS; i++) {
		numbers[i] = draw();
		add_float(&histogram, numbers[i]);
	}
	check(&histogram, numbers, NUMBERS);
	histogram_free(&histogram);
}

static double uniform(void)
{
	return (double)(random64() >> 11) * 0x1p-53;
}

static double around_zero(void)
{
	return uniform() - 0.5;
}

static double exponential(void)
{
	return -log(1 - uniform());
}

static double of_any_size(void)
{
	return (random64() & 1 ? 1 : -1) * (1 + uniform()) * exp2((double)(random64() % 2046) - 1022);
}

static void floats_of_all_sizes(void **state)
{
	(void)state;
	check_floats(uniform);
	check_floats(around_zero);
	check_floats(exponential);
	check_floats(of_any_size);
}

static void few_numbers(void **state)
{
	double numbers[100];

	(void)state;
	for (size_t count = 1; count <= 100; count++) {
		struct histogram histogram = { 0 };

		for (size_t i = 0; i < count; i++) {
			numbers[i] = (double)(random64() % 1000000);
			histogram_add_whole(&histogram, (int64_t)numbers[i]);
		}
		check(&histogram, numbers, count);
		histogram_free(&histogram);
	}
}

static void ranks_are_rounded_up_but_not_by_rounding_errors(void **state)
{
	struct histogram histogram = { 0 };

	(void)state;
	for (int i = 1; i <= 100; i++)
		histogram_add_whole(&histogram, i);
	for (int i = 1; i <= 100; i++)
		assert_true(histogram_percentile(&histogram, i / 100.0) == i);
	assert_true(histogram_percentile(&histogram, 0.501) == 51);
	histogram_free(&histogram);
}

static void whole_numbers_up_to_256_are_exact(void **state)
{
	(void)state;
	for (int number = -256; number <= 256; number++) {
		struct histogram histogram = { 0 };

		histogram_add_whole(&histogram, -1000);
		histogram_add_whole(&histogram, number);
		histogram_add_whole(&histogram, 1000);
		assert_true(histogram_percentile(&histogram, 0.5) == number);
		histogram_free(&histogram);
	}
}

static void the_ends_of_the_range_are_exact(void **state)
{
	const struct value huge = { .type = VALUE_UNSIGNED, .whole = -2 };
	struct histogram histogram = { 0 };

	(void)state;
	histogram_add(&histogram, &huge);
	histogram_add_whole(&histogram, INT64_MIN + 1);
	histogram_add_whole(&histogram, 1);
	assert_int_equal((uint64_t)histogram.greatest.whole, UINT64_MAX - 1);
	assert_int_equal(histogram.least.whole, INT64_MIN + 1);
	assert_true(histogram_percentile(&histogram, 0.5) == 1);
	histogram_free(&histogram);
}

static void the_mean_survives_cancellation_and_overflow(void **state)
{
	struct histogram histogram = { 0 };

	(void)state;
	add_float(&histogram, 1e300);
	add_float(&histogram, 3);
	add_float(&histogram, -1e300);
	assert_true(histogram_mean(&histogram) == 1);
	histogram_free(&histogram);
	for (int i = 0; i < 4; i++)
		add_float(&histogram, 1.5e308);
	assert_true(fabs(histogram_mean(&histogram) / 1.5e308 - 1) < 1e-15);
	histogram_free(&histogram);
}

static void numbers_that_are_not_finite_are_counted_apart(void **state)
{
	struct histogram histogram = { 0 };

	(void)state;
	add_float(&histogram, NAN);
	add_float(&histogram, INFINITY);
	add_float(&histogram, -INFINITY);
	assert_int_equal(histogram.count, 0);
	assert_int_equal(histogram.not_finite, 3);
	assert_true(histogram_percentile(&histogram, 0.5) == 0);
	assert_true(histogram_mean(&histogram) == 0);
	add_float(&histogram, 2.5);
	assert_int_equal(histogram.count, 1);
	assert_true(histogram_percentile(&histogram, 0.5) == 2.5);
	histogram_free(&histogram);
}

static void zeros_and_the_numbers_nearest_to_them(void **state)
{
	struct histogram histogram = { 0 };

	(void)state;
	add_float(&histogram, -1);
	add_float(&histogram, -0x1p-1074);
	add_float(&histogram, -0.0);
	add_float(&histogram, 0.0);
	add_float(&histogram, 0x1p-1074);
	add_float(&histogram, 1);
	for (int i = 1; i < 5; i++)
		assert_true(fabs(histogram_percentile(&histogram, (i + 0.5) / 6)) < 2.3e-308);
	histogram_free(&histogram);
}

static void a_merged_histogram_is_that_of_all_numbers(void **state)
{
	static double numbers[NUMBERS];
	struct histogram parts[3] = { { 0 } }, whole = { 0 };

	(void)state;
	for (size_t i = 0; i < NUMBERS; i++) {
		numbers[i] = around_zero() * 1e6;
		add_float(&parts[random64() % 2], numbers[i]);
	}
	for (int i = 0; i < 3; i++) {
		histogram_merge(&whole, &parts[i]);
		histogram_free(&parts[i]);
	}
	check(&whole, numbers, NUMBERS);
	histogram_free(&whole);
}

static void buckets_are_in_order_and_hold_every_number(void **state)
{
	struct histogram histogram = { 0 };
	struct histogram_bucket *buckets;
	uint64_t sum = 0;
	size_t count;

	(void)state;
	for (size_t i = 0; i < NUMBERS; i++)
		add_float(&histogram, of_any_size());
	count = histogram_buckets(&histogram, &buckets);
	assert_true(buckets[0].low < value_as_double(&histogram.least));
	assert_true(buckets[count - 1].high > value_as_double(&histogram.greatest));
	for (size_t i = 0; i < count; i++) {
		assert_true(buckets[i].count > 0);
		assert_true(buckets[i].low < buckets[i].high);
		assert_true(buckets[i].middle > buckets[i].low ||
			    (buckets[i].middle == buckets[i].low && buckets[i].low >= 0));
		assert_true(buckets[i].middle < buckets[i].high);
		assert_true(!i || buckets[i - 1].high <= buckets[i].low);
		sum += buckets[i].count;
	}
	assert_int_equal(sum, NUMBERS);
	free(buckets);
	histogram_free(&histogram);
}

static void memory_is_bounded_by_the_range_of_doubles(void **state)
{
	struct histogram histogram = { 0 };

	(void)state;
	for (int i = 0; i < 400000; i++) {
		const uint64_t bits = random64();
		double number;

		memcpy(&number, &bits, sizeof(number));
		add_float(&histogram, number);
	}
	assert_int_equal(histogram.count + histogram.not_finite, 400000);
	assert_uint_in_range(histogram.part_count, 16000, 16384);
	histogram_free(&histogram);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole_numbers_of_all_sizes),
		cmocka_unit_test(floats_of_all_sizes),
		cmocka_unit_test(few_numbers),
		cmocka_unit_test(ranks_are_rounded_up_but_not_by_rounding_errors),
		cmocka_unit_test(whole_numbers_up_to_256_are_exact),
		cmocka_unit_test(the_ends_of_the_range_are_exact),
		cmocka_unit_test(the_mean_survives_cancellation_and_overflow),
		cmocka_unit_test(numbers_that_are_not_finite_are_counted_apart),
		cmocka_unit_test(zeros_and_the_numbers_nearest_to_them),
		cmocka_unit_test(a_merged_histogram_is_that_of_all_numbers),
		cmocka_unit_test(buckets_are_in_order_and_hold_every_number),
		cmocka_unit_test(memory_is_bounded_by_the_range_of_doubles),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
