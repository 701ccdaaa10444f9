/* SPDX-License-Identifier: MIT */
#include "test.h"

#include <stdio.h>
#include <string.h>

#include <userevents/version.h>

static void the_library_is_of_the_version_of_its_headers(void **state)
{
	(void)state;
	assert_int_equal(ue_version(), UE_VERSION);
}

static void the_text_is_the_numbers(void **state)
{
	char text[32];

	(void)state;
	snprintf(text, sizeof(text), "%d.%d.%d", UE_VERSION_MAJOR, UE_VERSION_MINOR,
		 UE_VERSION_PATCH);
	assert_string_equal(text, UE_VERSION_STRING);
}

static void later_versions_are_larger(void **state)
{
	(void)state;
	assert_true(UE_VERSION_NUMBER(0, 1, 255) < UE_VERSION_NUMBER(0, 2, 0));
	assert_true(UE_VERSION_NUMBER(0, 255, 255) < UE_VERSION_NUMBER(1, 0, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_library_is_of_the_version_of_its_headers),
		cmocka_unit_test(the_text_is_the_numbers),
		cmocka_unit_test(later_versions_are_larger),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
