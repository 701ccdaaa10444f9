/* SPDX-License-Identifier: MIT */
/* Formats of user events that must not be enabled. */
#include "../test.h"

#include <stdlib.h>
#include <string.h>

#include "kernel/tracefs/tracing_files.h"

#define COMMON                                                                       \
	"name: e\nID: 1612\nformat:\n"                                               \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"       \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"       \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
#define FIELD(text, offset, size) \
	"\tfield:" text ";\toffset:" #offset ";\tsize:" #size ";\tsigned:1;\n"
#define END "\nprint fmt: \"\"\n"

static char *fault_in(const char *system, const char *format)
{
	const struct listed_event event = {
		.system = (char *)(uintptr_t)system,
		.name = (char *)(uintptr_t)"e",
		.format = (char *)(uintptr_t)format,
		.format_length = strlen(format),
	};

	return format_fault(&event);
}

static void is_fault(const char *format, const char *expected)
{
	char *fault = fault_in("user_events", format);

	if (expected)
		assert_string_equal(fault ? fault : "none", expected);
	else
		assert_null(fault);
	free(fault);
	assert_null(fault_in("sched", format));
	fault = fault_in("user_events_multi", format);
	assert_int_equal(fault != NULL, expected != NULL);
	free(fault);
}

static void usual_formats_are_trusted(void **state)
{
	(void)state;
	is_fault(COMMON END, NULL);
	is_fault(COMMON FIELD("u32 a", 8, 4) FIELD("__rel_loc char b[]", 12, 4)
			 FIELD("struct c c", 16, 0) END, NULL);
	is_fault(COMMON FIELD("struct large x", 8, 65528) END, NULL);
}

static void a_field_beyond_64_KiB_is_not(void **state)
{
	(void)state;
	is_fault(COMMON FIELD("struct large x", 8, 65529) END,
		 "its field x ends at byte 65537, beyond what the kernel can record");
	is_fault(COMMON FIELD("struct large x", 8, 65528) FIELD("u8 y", 65536, 1) END,
		 "its field y ends at byte 65537, beyond what the kernel can record");
	is_fault(COMMON FIELD("struct large x", 4294967295, 4294967295) END,
		 "its field x ends at byte 8589934590, beyond what the kernel can record");
}

/* As the kernel prints "struct a x 2147483647; struct b y 2147483647; u8 z". */
static void offsets_that_wrap_are_not(void **state)
{
	(void)state;
	is_fault(COMMON FIELD("struct a x", 8, 2147483647) FIELD("struct b y", 2147483655, 2147483647)
			 FIELD("u8 z", 6, 1) END,
		 "its format is malformed, which may hide a field beyond what the kernel can "
		 "record");
	is_fault(COMMON FIELD("u32 x", 8, 4) FIELD("u32 y", 11, 4) END,
		 "its field y begins at byte 11, within the field before it, so its offsets cannot "
		 "be true");
}

static void a_format_that_cannot_be_parsed_is_not(void **state)
{
	static const char expected[] = "its format is malformed, which may hide a field beyond "
				       "what the kernel can record";

	(void)state;
	is_fault(COMMON FIELD("struct a x\n", 8, 70000) END, expected);
	is_fault(COMMON "\tfield:struct a x;\toffset:8;\tsize:4294967296;\tsigned:1;\n" END,
		 expected);
	is_fault("", expected);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(usual_formats_are_trusted),
		cmocka_unit_test(a_field_beyond_64_KiB_is_not),
		cmocka_unit_test(offsets_that_wrap_are_not),
		cmocka_unit_test(a_format_that_cannot_be_parsed_is_not),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
