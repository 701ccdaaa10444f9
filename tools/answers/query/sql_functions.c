/* SPDX-License-Identifier: MIT */
/* The functions of SQL, of one row and of many, and their registration. */
#include "event_tables.h"

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/text/amount.h"

/*
 * The aggregates percentile(X, P), median(X), p50(X), p90(X), p99(X) and p999(X): exact,
 * by the nearest rank, so that each is a value that occurred.
 */

struct number {
	enum { WHOLE, WIDE, REAL } kind;
	union {
		int64_t whole;
		uint64_t wide; /* from 2^63 on */
		double real;
	};
};

struct numbers {
	struct number *items;
	uint64_t count;
	uint64_t room;
	double percent;
};

static double as_double(const struct number *number)
{
	return number->kind == REAL ? number->real :
	       number->kind == WIDE ? (double)number->wide : (double)number->whole;
}

static int compare(const void *one, const void *other)
{
	const struct number *a = one, *b = other;
	const double x = as_double(a), y = as_double(b);

	if (a->kind == REAL || b->kind == REAL)
		return (x > y) - (x < y);
	if (a->kind != b->kind)
		return a->kind == WIDE ? 1 : -1;
	return a->kind == WIDE ? (a->wide > b->wide) - (a->wide < b->wide) :
				 (a->whole > b->whole) - (a->whole < b->whole);
}

static int keep(struct numbers *numbers, const struct number *number)
{
	if (numbers->count == numbers->room) {
		const uint64_t room = numbers->room ? 2 * numbers->room : 64;
		void *items = sqlite3_realloc64(numbers->items, room * sizeof(*number));

		if (!items)
			return SQLITE_NOMEM;
		numbers->items = items;
		numbers->room = room;
	}
	numbers->items[numbers->count++] = *number;
	return SQLITE_OK;
}

/* A number from 2^63 on: 0, or -1 for others. Afterwards SQLite may round it. */
static int wide_value(sqlite3_value *value, uint64_t *number)
{
	if (sqlite3_value_type(value) != SQLITE_TEXT)
		return -1;
	return wide_number_parse((const char *)sqlite3_value_text(value),
				 (size_t)sqlite3_value_bytes(value), number);
}

/* Whether it is a number: 1; 0 for NULL; or 0 with an error in the context. */
static int sql_is_number(sqlite3_context *context, sqlite3_value *value)
{
	const char *name = sqlite3_user_data(context);
	uint64_t wide;
	char *text;
	int type;

	if (!wide_value(value, &wide))
		return 1;
	type = sqlite3_value_numeric_type(value);
	if (type == SQLITE_INTEGER || type == SQLITE_FLOAT)
		return 1;
	if (type == SQLITE_NULL)
		return 0;
	text = sqlite3_mprintf("%s takes numbers, but a value is %s", name,
			       type == SQLITE_BLOB ? "bytes" : "text");
	sqlite3_result_error(context, text ? text : "out of memory", -1);
	sqlite3_free(text);
	return 0;
}

static int take_percent(sqlite3_context *context, struct numbers *numbers, int count,
			sqlite3_value **values)
{
	const char *name = sqlite3_user_data(context);

	numbers->percent = !strcmp(name, "p90()")  ? 90 :
			   !strcmp(name, "p99()")  ? 99 :
			   !strcmp(name, "p999()") ? 99.9 :
						     50;
	if (count < 2)
		return 0;
	numbers->percent = sqlite3_value_double(values[1]);
	if (sqlite3_value_numeric_type(values[1]) <= SQLITE_FLOAT &&
	    numbers->percent >= 0 && numbers->percent <= 100)
		return 0;
	sqlite3_result_error(context, "percentile(X, P): P is a number from 0 to 100",
			     -1);
	return -1;
}

static struct number number_of(sqlite3_value *value)
{
	struct number number = { .kind = WHOLE };
	uint64_t wide;

	if (!wide_value(value, &wide)) {
		number.kind = WIDE;
		number.wide = wide;
	} else if (sqlite3_value_numeric_type(value) == SQLITE_FLOAT) {
		number.kind = REAL;
		number.real = sqlite3_value_double(value);
	} else {
		number.whole = sqlite3_value_int64(value);
	}
	return number;
}

static void number_result(sqlite3_context *context, const struct number *number)
{
	char text[WIDE_NUMBER_LENGTH + 1];

	if (number->kind == REAL) {
		sqlite3_result_double(context, number->real);
	} else if (number->kind == WHOLE) {
		sqlite3_result_int64(context, number->whole);
	} else {
		wide_number_text(text, number->wide);
		sqlite3_result_text(context, text, WIDE_NUMBER_LENGTH, SQLITE_TRANSIENT);
	}
}

static void percentile_step(sqlite3_context *context, int count, sqlite3_value **values)
{
	struct numbers *numbers = sqlite3_aggregate_context(context, sizeof(*numbers));
	struct number number;

	if (!numbers) {
		sqlite3_result_error_nomem(context);
		return;
	}
	if (take_percent(context, numbers, count, values) ||
	    !sql_is_number(context, values[0]))
		return;
	number = number_of(values[0]);
	if (keep(numbers, &number))
		sqlite3_result_error_nomem(context);
}

/* The least value that P percent of the values, rounded up, do not exceed. */
static uint64_t rank(const struct numbers *numbers)
{
	const double exact = numbers->percent / 100 * (double)numbers->count;
	uint64_t whole = (uint64_t)exact;

	/* 99.9 % of 1000 is 999, also in binary */
	if (exact - (double)whole > 1e-9 * exact)
		whole++;
	return whole ? whole - 1 : 0;
}

static void percentile_finish(sqlite3_context *context)
{
	struct numbers *numbers = sqlite3_aggregate_context(context, 0);

	if (!numbers || !numbers->count)
		return; /* NULL */
	qsort(numbers->items, numbers->count, sizeof(*numbers->items), compare);
	number_result(context, &numbers->items[rank(numbers)]);
	sqlite3_free(numbers->items);
}

/*
 * The aggregate histogram(X): how many values there are from each power of two to the
 * next, as a JSON array of {"from":4,"to":8,"count":2}, of negative numbers likewise.
 * Buckets between the first and the last are there also when they are empty.
 */

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

static void histogram_step(sqlite3_context *context, int count, sqlite3_value **values)
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

static void histogram_finish(sqlite3_context *context)
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

/* Times before this one, in 2001, are of a clock that began when the machine did. */
#define FIRST_DATE INT64_C(1000000000000000000)

static void call_time_text(sqlite3_context *context, int count, sqlite3_value **values)
{
	const int64_t ns = sqlite3_value_int64(values[0]);
	char text[DATE_TEXT_MAX];

	(void)count;
	if (!sql_is_number(context, values[0]))
		return;
	time_text(text, ns, ns >= FIRST_DATE);
	sqlite3_result_text(context, text, -1, SQLITE_TRANSIENT);
}

static void call_duration_text(sqlite3_context *context, int count, sqlite3_value **values)
{
	char text[QUANTITY_TEXT_MAX];

	(void)count;
	if (!sql_is_number(context, values[0]))
		return;
	quantity_text(text, sqlite3_value_double(values[0]), UNIT_NS);
	sqlite3_result_text(context, text, -1, SQLITE_TRANSIENT);
}

#define BAR_WIDTH 40
#define BAR_WIDTH_MAX 1000

/* '#', as many of WIDTH as N is of OF. */
static void bar(sqlite3_context *context, int count, sqlite3_value **values)
{
	const double width = count > 2 ? sqlite3_value_double(values[2]) : BAR_WIDTH;
	const double share = sqlite3_value_double(values[0]) /
			     sqlite3_value_double(values[1]);
	char text[BAR_WIDTH_MAX + 1];
	int length = 0;

	for (int i = 0; i < count; i++)
		if (!sql_is_number(context, values[i]))
			return;
	if (share > 0 && width > 0) /* not NaN */
		length = (int)(fmin(share, 1) * fmin(width, BAR_WIDTH_MAX) + 0.5);
	for (int i = 0; i < length; i++)
		text[i] = '#';
	sqlite3_result_text(context, text, length, SQLITE_TRANSIENT);
}

/* A scalar has call; an aggregate has step and finish. */
int sql_functions_add(sqlite3 *handle)
{
	static const struct {
		const char *name;
		int arguments;
		const char *shown;
		void (*call)(sqlite3_context *context, int count, sqlite3_value **values);
		void (*step)(sqlite3_context *context, int count, sqlite3_value **values);
		void (*finish)(sqlite3_context *context);
	} all[] = {
		{ "time_text", 1, "time_text()", call_time_text, NULL, NULL },
		{ "duration_text", 1, "duration_text()", call_duration_text, NULL, NULL },
		{ "bar", 2, "bar()", bar, NULL, NULL },
		{ "bar", 3, "bar()", bar, NULL, NULL },
		{ "percentile", 2, "percentile()", NULL, percentile_step, percentile_finish },
		{ "median", 1, "median()", NULL, percentile_step, percentile_finish },
		{ "p50", 1, "p50()", NULL, percentile_step, percentile_finish },
		{ "p90", 1, "p90()", NULL, percentile_step, percentile_finish },
		{ "p99", 1, "p99()", NULL, percentile_step, percentile_finish },
		{ "p999", 1, "p999()", NULL, percentile_step, percentile_finish },
		{ "histogram", 1, "histogram()", NULL, histogram_step, histogram_finish },
	};
	int result = SQLITE_OK;

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]) && !result; i++)
		result = sqlite3_create_function_v2(
			handle, all[i].name, all[i].arguments,
			SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS,
			(void *)all[i].shown, all[i].call, all[i].step, all[i].finish,
			NULL);
	return result;
}
