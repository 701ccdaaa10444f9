/* SPDX-License-Identifier: MIT */
/* The numbers that processors may have, in lists of sysfs. */
#include "test.h"

#include "record/target/perf_rings.h"

static void the_highest_number_counts(void **state)
{
	static const struct {
		const char *list;
		size_t count;
	} lists[] = {
		{ "0\n", 1 },
		{ "0", 1 },
		{ "0-1\n", 2 },
		{ "0-127\n", 128 },
		{ "0,2-3\n", 4 },
		{ "0-3,8-11\n", 12 },
		{ "5\n", 6 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		assert_int_equal(processors_in_list(lists[i].list), lists[i].count);
}

static void other_texts_have_none(void **state)
{
	static const char *const texts[] = {
		"", "\n", "-", "-1", "0-", "0,", "0,\n", "all", "0 1", "0-1x", " 0", "65536",
		"0-99999999999999999999",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		assert_int_equal(processors_in_list(texts[i]), 0);
}

static void this_machine_has_one(void **state)
{
	(void)state;
	assert_true(processors_possible() >= 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_highest_number_counts),
		cmocka_unit_test(other_texts_have_none),
		cmocka_unit_test(this_machine_has_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
