/* SPDX-License-Identifier: MIT */
/* Series of a collector's metrics, whatever names programs choose. */
#include <stdlib.h>
#include <string.h>

#include "collect/metrics/metrics.h"
#include "test.h"

static struct event_counts counts;
static struct metrics_series *series;
static size_t number;

static void make(const struct event_kind *kinds, size_t count)
{
	for (size_t i = 0; i < count; i++)
		event_counts_add(&counts, &kinds[i], 10 + i);
	number = metrics_series_make(&counts, &series);
}

static void forget(void)
{
	metrics_series_free(series, number);
	event_counts_free(&counts);
}

static void names_are_cut_and_equal_ones_are_one_series(void **state)
{
	char one[60001], other[300];
	const struct event_kind kinds[] = {
		{ .number = 0, .group = "p", .name = one },
		{ .number = 1, .group = "p", .name = other },
	};

	(void)state;
	memset(one, '"', sizeof(one) - 1);
	memset(other, '"', sizeof(other) - 1);
	one[sizeof(one) - 1] = other[sizeof(other) - 1] = '\0';
	make(kinds, 2);
	assert_int_equal(number, 1);
	assert_int_equal(series->events, 2);
	assert_int_equal(series->bytes, 21);
	assert_int_equal(strlen(series->labels), strlen("provider=\"p\",event=\"\"") + 512);
	forget();
}

static void names_are_cut_between_characters(void **state)
{
	char name[400];
	const struct event_kind kind = { .group = name, .name = "e" };

	(void)state;
	memset(name, 'x', 255);
	strcpy(name + 255, "\xe2\x82\xac and more");
	make(&kind, 1);
	assert_int_equal(strlen(series->labels), strlen("provider=\"\",event=\"e\"") + 255);
	assert_null(strchr(series->labels, '\xe2'));
	forget();
}

static void names_that_fit_are_whole(void **state)
{
	char name[257];
	const struct event_kind kind = { .group = "p", .name = name };

	(void)state;
	memset(name, 'x', 256);
	name[256] = '\0';
	make(&kind, 1);
	assert_non_null(strstr(series->labels, name));
	forget();
}

/* Bytes that are no UTF-8 become characters that another name may have. */
static void providers_that_look_alike_are_one_series(void **state)
{
	static const char wanted[] =
		"_provider_limited_events_total{provider=\"\xc3\xbf\"} ";
	static struct kept_counts kept;
	static struct metrics metrics = { .kept = &kept, .of_providers = { .rate = 1 } };
	const struct event_kind kinds[] = {
		{ .number = 0, .group = "\xff" },
		{ .number = 1, .group = "\xc3\xbf" },
	};
	struct bytes text = { 0 };
	const char *found;

	(void)state;
	for (int i = 0; i < 8; i++)
		rate_limits_pass_provider(&metrics.of_providers, &kinds[i % 2]);
	metrics_text(&metrics, &text);
	bytes_add(&text, "", 1);
	found = strstr((const char *)text.at, wanted);
	assert_non_null(found);
	assert_null(strstr(found + 1, wanted));
	assert_true(strtol(found + sizeof(wanted) - 1, NULL, 10) >= 4);
	bytes_free(&text);
	rate_limits_free(&metrics.of_providers);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_cut_and_equal_ones_are_one_series),
		cmocka_unit_test(names_are_cut_between_characters),
		cmocka_unit_test(names_that_fit_are_whole),
		cmocka_unit_test(providers_that_look_alike_are_one_series),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
