/* SPDX-License-Identifier: MIT */
/*
 * The aggregate histogram(X): how many values there are from each power of two to the
 * next, as a JSON array of {"from":4,"to":8,"count":2}, of negative numbers likewise.
 * Buckets between the first and the last are there also when they are empty.
 */
#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>

#include "sql_functions.h"

/* Whole numbers are counted from 1 on; of smaller ones there are buckets down to 2^-64.
 */
#define LEAST (-64)
#define MOST 1023 /* of a double */
#define EXPONENTS (MOST - LEAST + 1)
#define ZERO (EXPONENTS + 1) /* those nearer to 0 than 2^LEAST */
#define BUCKETS (2 * EXPONENTS + 3)

struct histogram {
	uint64_t counts[BUCKETS];
	int has_fraction;
};

/* Buckets in order: negative ones from the largest exponent down, zero, positive ones. */
static int bucket_of(double number)
{
	int exponent;

	frexp(number, &exponent); /* number is from 2^(exponent - 1) to 2^exponent */
	if (number == 0 || exponent - 1 < LEAST)
		return ZERO;
	if (isinf(number))
		exponent = MOST + 1;
	return number < 0 ? ZERO - 1 - (exponent - 1 - LEAST) :
			    ZERO + 1 + (exponent - 1 - LEAST);
}

/* The begin of a bucket, on the side of 0. */
static double inner_bound(int bucket)
{
	const int distance = bucket < ZERO ? ZERO - bucket : bucket - ZERO;

	return ldexp(bucket < ZERO ? -1 : 1, distance - 1 + LEAST);
}

static double from_of(int bucket)
{
	return bucket == ZERO ? 0 :
	       bucket < ZERO  ? fmax(2 * inner_bound(bucket), -DBL_MAX) :
				inner_bound(bucket);
}

static double to_of(const struct histogram *histogram, int bucket)
{
	if (bucket == ZERO)
		return histogram->has_fraction ? ldexp(1, LEAST) : 1;
	return bucket < ZERO ? inner_bound(bucket) :
			       fmin(2 * inner_bound(bucket), DBL_MAX);
}

static void step(sqlite3_context *context, int count, sqlite3_value **values)
{
	struct histogram *histogram = sqlite3_aggregate_context(context,
								sizeof(*histogram));
	double number;

	(void)count;
	if (!histogram) {
		sqlite3_result_error_nomem(context);
		return;
	}
	if (!sql_is_number(context, values[0]))
		return;
	number = sqlite3_value_double(values[0]);
	histogram->has_fraction |= number != floor(number);
	histogram->counts[bucket_of(number)]++;
}

/* Whole numbers have no buckets between 0 and 1. */
static int exists(const struct histogram *histogram, int bucket)
{
	return histogram->has_fraction || bucket == ZERO ||
	       fabs(inner_bound(bucket)) >= 1;
}

static void finish(sqlite3_context *context)
{
	const struct histogram *histogram = sqlite3_aggregate_context(context, 0);
	sqlite3_str *json = sqlite3_str_new(sqlite3_context_db_handle(context));
	int first = 0, last = BUCKETS - 1;

	while (histogram && first < BUCKETS && !histogram->counts[first])
		first++;
	while (histogram && last >= first && !histogram->counts[last])
		last--;
	for (int i = first; histogram && i <= last; i++)
		if (exists(histogram, i))
			sqlite3_str_appendf(
				json, "%s{\"from\":%.17g,\"to\":%.17g,\"count\":%llu}",
				sqlite3_str_length(json) ? "," : "[", from_of(i),
				to_of(histogram, i),
				(unsigned long long)histogram->counts[i]);
	sqlite3_str_appendall(json, sqlite3_str_length(json) ? "]" : "[]");
	if (sqlite3_str_errcode(json))
		sqlite3_result_error_nomem(context);
	else
		sqlite3_result_text(context, sqlite3_str_value(json), -1,
				    SQLITE_TRANSIENT);
	sqlite3_free(sqlite3_str_finish(json));
}

int sql_histogram_add(sqlite3 *handle)
{
	static const char name[] = "histogram()";

	return sqlite3_create_function_v2(handle, "histogram", 1,
					  SQLITE_UTF8 | SQLITE_DETERMINISTIC |
						  SQLITE_INNOCUOUS,
					  (void *)name, NULL, step, finish, NULL);
}
