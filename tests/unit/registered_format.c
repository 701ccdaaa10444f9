/* SPDX-License-Identifier: MIT */
#include "test.h"

#include <string.h>

#include "kernel/registered_format.h"

/* As Linux 6.1 prints it, with a bracket that the kernel does not print. */
static const char format[] =
	"name: tick\nID: 1234\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
	"\tfield:u32 status;\toffset:8;\tsize:4;\tsigned:0;\n"
	"\tfield:char path[<1852>];\toffset:12;\tsize:20;\tsigned:1;\n"
	"\tfield:__rel_loc char text[];\toffset:32;\tsize:4;\tsigned:1;\n"
	"\tfield:struct point p;\toffset:36;\tsize:8;\tsigned:1;\n\n"
	"print fmt: \"status=%u\", REC->status\n";

static int is_format_of(const char *text, const char *definition)
{
	return ue__format_matches(text, definition, (uint32_t)strcspn(definition, " "));
}

static void matches(const char *definition)
{
	assert_true(is_format_of(format, definition));
}

static void differs(const char *definition)
{
	assert_false(is_format_of(format, definition));
}

static void the_same_fields_match(void **state)
{
	(void)state;
	matches("tick u32 status; char[20] path; __rel_loc char[] text; struct "
		"point p 8");
}

static void other_fields_do_not_match(void **state)
{
	(void)state;
	differs("tick");
	differs("tick u32 status; char[20] path; __rel_loc char[] text");
	differs("tick u64 status; char[20] path; __rel_loc char[] text; struct "
		"point p 8");
	differs("tick u32 state; char[20] path; __rel_loc char[] text; struct point "
		"p 8");
	differs("tick s32 status; char[20] path; __rel_loc char[] text; struct point "
		"p 8");
	differs("tick u32 status; char[20] path; u32 text; struct point p 8");
	differs("tick u32 status; char[20] path; __rel_loc char[] text; u64 p");
	differs("tick u32 status; char[21] path; __rel_loc char[] text; struct point "
		"p 8");
	differs("tick char[20] path; u32 status; __rel_loc char[] text; struct point "
		"p 8");
	differs("tick u32 status; char[20] path; __rel_loc char[] text; struct point "
		"p 8; u8 more");
}

static void a_field_may_begin_like_a_common_one(void **state)
{
	(void)state;
	assert_true(is_format_of("\tfield:u32 common_count;\toffset:8;\tsize:4;",
				       "tick u32 common_count"));
	assert_true(is_format_of("\tfield:__data_loc char[] s;\toffset:8;\tsize:4;",
				       "tick __data_loc char[] s"));
}

static void damaged_text_does_not(void **state)
{
	(void)state;
	assert_false(is_format_of("\tfield:u32 a", "tick u32 a"));
	assert_false(is_format_of("\tfield:u32 a;", "tick u32 a"));
	assert_true(is_format_of("", "tick"));
}

static void an_unreadable_format_file_is_no_mismatch(void **state)
{
	(void)state;
	assert_true(ue__registered_as("/nonexistent", "tick u32 a", 4));
	assert_true(ue__registered_as(NULL, "tick u32 a", 4));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_same_fields_match),
		cmocka_unit_test(other_fields_do_not_match),
		cmocka_unit_test(a_field_may_begin_like_a_common_one),
		cmocka_unit_test(damaged_text_does_not),
		cmocka_unit_test(an_unreadable_format_file_is_no_mismatch),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
