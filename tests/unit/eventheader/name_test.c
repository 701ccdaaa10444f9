/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include <errno.h>

#include <userevents/eventheader_name.h>
#include <userevents/session.h>

static void parses(void **state)
{
	static const char text[] = "My_Company_Net_L1fK8000000000000001X1GperfG2";
	struct ue_eventheader_name name;

	(void)state;
	assert_int_equal(ue_eventheader_name_parse(text, strlen(text), &name, NULL),
			 0);
	assert_int_equal(name.provider_length, strlen("My_Company_Net"));
	assert_int_equal(name.level, 0x1f);
	assert_true(name.keyword == 0x8000000000000001);
	assert_int_equal(name.options_length, strlen("X1GperfG2"));
	assert_int_equal(name.group_length, 4);
	assert_memory_equal(name.group, "perf", 4);
}

static void parses_without_options(void **state)
{
	struct ue_eventheader_name name;

	(void)state;
	assert_int_equal(ue_eventheader_name_parse("P_L5K0", 6, &name, NULL), 0);
	assert_int_equal(name.options_length, 0);
	assert_int_equal(name.group_length, 0);
	assert_true(name.keyword == 0);
}

static void refuses(const char *text, size_t length, uint32_t fault, size_t offset)
{
	struct ue_eventheader_error error = { 0 };
	struct ue_eventheader_name name;

	assert_int_equal(ue_eventheader_name_parse(text, length, &name, &error),
			 -EOPNOTSUPP);
	assert_int_equal(error.error, -EOPNOTSUPP);
	assert_int_equal(error.fault, fault);
	assert_int_equal(error.offset, offset);
	assert_string_equal(error.name, ue_name(UE_NAME_FAULT, fault));
	assert_string_equal(error.reason, ue_name(UE_NAME_FAULT_REASON, fault));
}

static void refuses_each_fault(void **state)
{
	char longest[257];

	(void)state;
	memset(longest, 'P', sizeof(longest));
	memcpy(longest + 249, "_L5K00", 7);
	assert_int_equal(strlen(longest), 255);
	refuses(longest, 256, UE_FAULT_NAME_TOO_LONG, 255);
	refuses("P\0_L5K0", 7, UE_FAULT_NAME_NUL, 1);
	refuses(NULL, 0, UE_FAULT_NAME_NO_LEVEL, 0);
	refuses("Provider", 8, UE_FAULT_NAME_NO_LEVEL, 8);
	refuses("P_", 2, UE_FAULT_NAME_NO_LEVEL, 2);
	refuses("P_LFK0", 6, UE_FAULT_NAME_NO_LEVEL, 2);
	refuses("P_L105K0", 8, UE_FAULT_NAME_NO_KEYWORD, 5);
	refuses("P_L5K", 5, UE_FAULT_NAME_NO_KEYWORD, 4);
	refuses("P_L5K0-", 7, UE_FAULT_NAME_OPTIONS, 6);
}

static void formats(void **state)
{
	struct ue_eventheader_name name = {
		.provider = "MyCo_Net", .provider_length = 8,
		.group = "perf", .group_length = 4,
		.keyword = 0xf123456789abcdef, .level = 255,
	};
	char out[64];

	(void)state;
	assert_int_equal(ue_eventheader_name_make(&name, out, sizeof(out), NULL),
			 34);
	assert_string_equal(out, "MyCo_Net_LffKf123456789abcdefGperf");
	name.options = "A1Gx";
	name.options_length = 4;
	name.keyword = 0;
	name.level = 5;
	ue_eventheader_name_make(&name, out, sizeof(out), NULL);
	assert_string_equal(out, "MyCo_Net_L5K0A1Gx");
}

static void formats_what_it_parses(void **state)
{
	static const char text[] = "MyCo_L3K2aGmygroup";
	struct ue_eventheader_name name;
	char out[256] = "untouched";

	(void)state;
	ue_eventheader_name_parse(text, strlen(text), &name, NULL);
	assert_int_equal(ue_eventheader_name_make(&name, NULL, 0, NULL), 18);
	assert_int_equal(ue_eventheader_name_make(&name, out, 18, NULL), 18);
	assert_string_equal(out, "untouched");
	assert_int_equal(ue_eventheader_name_make(&name, out, 19, NULL), 18);
	assert_string_equal(out, text);
}

static void check_format(struct ue_eventheader_name name, int result, uint32_t fault,
			 size_t offset)
{
	struct ue_eventheader_error error = { 0 };

	assert_int_equal(ue_eventheader_name_make(&name, NULL, 0, &error),
			 result);
	assert_int_equal(error.fault, fault);
	assert_int_equal(error.offset, offset);
}

static void refuses_to_format(void **state)
{
	struct ue_eventheader_name good = { .provider = "P", .provider_length = 1,
					    .level = 1 };
	struct ue_eventheader_name name = good;
	char provider[300];

	(void)state;
	memset(provider, 'p', sizeof(provider));
	name.provider_length = 0;
	check_format(name, -EINVAL, UE_FAULT_NAME_PROVIDER, 0);
	name.provider = "a b";
	name.provider_length = 3;
	check_format(name, -EINVAL, UE_FAULT_NAME_PROVIDER, 1);
	name = good;
	name.level = 0;
	check_format(name, -EINVAL, UE_FAULT_NAME_NO_LEVEL, 0);
	name = good;
	name.options = "a";
	name.options_length = 1;
	check_format(name, -EINVAL, UE_FAULT_NAME_OPTIONS, 0);
	name.options = "Gx1A1";
	name.options_length = 5;
	check_format(name, -EINVAL, UE_FAULT_NAME_OPTIONS, 3);
	name.options = "A1A2";
	name.options_length = 4;
	check_format(name, -EINVAL, UE_FAULT_NAME_OPTIONS, 2);
	name = good;
	name.group = "aB";
	name.group_length = 2;
	check_format(name, -EINVAL, UE_FAULT_NAME_OPTIONS, 1);
	name = good;
	name.provider = provider;
	name.provider_length = 251;
	check_format(name, -ENAMETOOLONG, UE_FAULT_NAME_TOO_LONG, 255);
	name.provider_length = 250;
	assert_int_equal(ue_eventheader_name_make(&name, NULL, 0, NULL), 255);
	name.provider_length = 300;
	check_format(name, -ENAMETOOLONG, UE_FAULT_NAME_TOO_LONG, 255);
}

static void every_fault_has_a_name(void **state)
{
	(void)state;
	for (uint32_t fault = 0; fault < UE_FAULT_END; fault++) {
		assert_non_null(ue_name(UE_NAME_FAULT, fault));
		assert_non_null(ue_name(UE_NAME_FAULT_REASON, fault));
		for (uint32_t other = 0; other < fault; other++)
			assert_string_not_equal(ue_name(UE_NAME_FAULT, fault),
						ue_name(UE_NAME_FAULT, other));
	}
	assert_string_equal(ue_name(UE_NAME_FAULT, UE_FAULT_END), "unknown");
	assert_non_null(ue_name(UE_NAME_FAULT_REASON, ~0u));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parses),
		cmocka_unit_test(parses_without_options),
		cmocka_unit_test(refuses_each_fault),
		cmocka_unit_test(formats),
		cmocka_unit_test(formats_what_it_parses),
		cmocka_unit_test(refuses_to_format),
		cmocka_unit_test(every_fault_has_a_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
