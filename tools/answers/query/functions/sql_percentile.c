/* SPDX-License-Identifier: MIT */
/*
 * The aggregates percentile(X, P), median(X), p50(X), p90(X), p99(X) and p999(X): exact,
 * by the nearest rank, so that each is a value that occurred.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "sql_functions.h"

struct number {
	int is_real;
	union {
		int64_t whole;
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
	return number->is_real ? number->real : (double)number->whole;
}

static int compare(const void *one, const void *other)
{
	const struct number *a = one, *b = other;
	const double x = as_double(a), y = as_double(b);

	if (!a->is_real && !b->is_real)
		return (a->whole > b->whole) - (a->whole < b->whole);
	return (x > y) - (x < y);
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

int sql_is_number(sqlite3_context *context, sqlite3_value *value)
{
	const char *name = sqlite3_user_data(context);
	const int type = sqlite3_value_numeric_type(value);
	char *text;

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

static void step(sqlite3_context *context, int count, sqlite3_value **values)
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
	number.is_real = sqlite3_value_numeric_type(values[0]) == SQLITE_FLOAT;
	if (number.is_real)
		number.real = sqlite3_value_double(values[0]);
	else
		number.whole = sqlite3_value_int64(values[0]);
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

static void finish(sqlite3_context *context)
{
	struct numbers *numbers = sqlite3_aggregate_context(context, 0);
	const struct number *number;

	if (!numbers || !numbers->count)
		return; /* NULL */
	qsort(numbers->items, numbers->count, sizeof(*number), compare);
	number = &numbers->items[rank(numbers)];
	if (number->is_real)
		sqlite3_result_double(context, number->real);
	else
		sqlite3_result_int64(context, number->whole);
	sqlite3_free(numbers->items);
}

int sql_percentile_add(sqlite3 *handle)
{
	static const struct {
		const char *name;
		int arguments;
		const char *shown;
	} all[] = {
		{ "percentile", 2, "percentile()" },
		{ "median", 1, "median()" },
		{ "p50", 1, "p50()" },
		{ "p90", 1, "p90()" },
		{ "p99", 1, "p99()" },
		{ "p999", 1, "p999()" },
	};
	int result = SQLITE_OK;

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]) && !result; i++)
		result = sqlite3_create_function_v2(
			handle, all[i].name, all[i].arguments,
			SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS,
			(void *)all[i].shown, NULL, step, finish, NULL);
	return result;
}
