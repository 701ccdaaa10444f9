/* SPDX-License-Identifier: MIT */
#include "test.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <userevents/event.h>

#include "describe/definition.h"

static void good(const char *definition)
{
	struct ue_definition_error error = { 0 };

	if (ue_definition_check(definition, 0, &error))
		fail_msg("\"%s\" refused at %zu: %s", definition, error.offset,
			 error.reason);
}

/* The definition is rejected, at this part, and the reason contains this text. */
static void bad(const char *definition, const char *part, const char *about)
{
	struct ue_definition_error error = { 0 };

	if (ue_definition_check(definition, 0, &error) != -EINVAL)
		fail_msg("\"%s\" accepted", definition);
	assert_int_equal(error.length, strlen(part));
	assert_memory_equal(definition + error.offset, part, error.length);
	if (!strstr(error.reason, about))
		fail_msg("\"%s\": the reason does not say \"%s\": %s", definition,
			 about, error.reason);
	assert_int_equal(ue_definition_check(definition, 0, NULL), -EINVAL);
}

static void every_type_is_accepted(void **state)
{
	(void)state;
	good("tick");
	good("tick u8 a; u16 b; u32 c; u64 d; s8 e; s16 f; s32 g; s64 h");
	good("tick char a; unsigned char b; short c; unsigned short d; int e; "
	     "unsigned int f");
	good("tick char[1] a; char[1024] b; unsigned char[20] c");
	good("tick __rel_loc char[] a; __data_loc char[] b; __rel_loc u8[] c");
	good("tick __rel_loc unsigned char[] a; __data_loc unsigned int[] b");
	good("tick struct point p 8; struct point_2 q 65535");
	good("tick u32 a;");
	good("tick u32 a;u8 b");
	good("tick ");
	good("My.Provider-1_L4K1 u8 a");
}

static void names(void **state)
{
	(void)state;
	bad("", "", "missing");
	bad(" u32 a", "", "missing");
	bad("a/b u32 a", "/", "directory");
	bad("tick:flag u32 a", ":", "flags");
	bad("a;b", ";", "separates");
	bad("ti\tck u32 a", "\t", "control");
	bad("tick\nu32 a", "\n", "control");
	bad("ti\x7f" "ck u32 a", "\x7f", "control");
	bad("..", "..", "directory");
}

static void long_names(void **state)
{
	struct ue_definition_error error;
	char text[300];

	(void)state;
	memset(text, 'n', sizeof(text));
	text[255] = '\0';
	good(text);
	assert_int_equal(ue_definition_check(text, UE_EVENT_MULTI_FORMAT, &error),
			 -EINVAL);
	assert_non_null(strstr(error.reason, "238"));
	text[238] = '\0';
	assert_int_equal(ue_definition_check(text, UE_EVENT_MULTI_FORMAT, NULL), 0);
	text[238] = 'n';
	text[255] = 'n';
	text[256] = '\0';
	assert_int_equal(ue_definition_check(text, 0, &error), -EINVAL);
	assert_non_null(strstr(error.reason, "255"));
}

static void long_definitions(void **state)
{
	struct ue_definition_error error;
	char text[600] = "tick u32 ";

	(void)state;
	memset(text + strlen(text), 'f', 600 - strlen(text) - 1);
	text[511] = '\0';
	good(text);
	text[511] = 'f';
	text[512] = '\0';
	assert_int_equal(ue_definition_check(text, 0, &error), -EINVAL);
	assert_int_equal(error.offset, 511);
	assert_int_equal(error.length, 1);
}

/* Definitions that the kernel misreads (its parser, Linux 6.1 and 6.12). */
static void traps_of_the_kernel(void **state)
{
	(void)state;
	bad("tick char name[20]", "name[20]", "brackets");
	bad("tick u32 v[4]", "v[4]", "brackets");
	bad("tick u32[4] v", "u32[4]", "arrays of char");
	bad("tick u32 a; u64 a", "a", "Two fields");
	bad("tick u32 common_pid", "common_pid", "already");
	bad("tick char[0x14] a", "char[0x14]", "decimal");
	bad("tick char[010] a", "char[010]", "decimal");
	bad("tick struct p q 020", "020", "decimal");
}

static void blanks(void **state)
{
	(void)state;
	bad("tick u32  a", " ", "exactly one");
	bad("tick u32 a ; u32 b", " ", "before ';'");
	bad("tick u32 a;u32 b ;u32 c", " ", "before ';'");
	bad("tick ;", "", "missing");
	bad("tick u32 a;;", "", "missing");
	bad("tick u32 a; ; u32 b", "", "missing");
	bad("tick u32\ta", "\t", "tabs");
}

static void is_canonical(const char *definition, const char *expected)
{
	struct ue__definition parsed;

	assert_int_equal(ue__definition_parse(definition, 0, &parsed, NULL), 0);
	assert_string_equal(parsed.text, expected);
	assert_int_equal(parsed.length, strlen(expected));
	assert_int_equal(parsed.name_length, strcspn(expected, " "));
}

static void blanks_that_the_kernel_skips_are_removed(void **state)
{
	(void)state;
	is_canonical("tick", "tick");
	is_canonical("tick ", "tick");
	is_canonical("tick   ", "tick");
	is_canonical("tick u32 a", "tick u32 a");
	is_canonical("tick  u32 a", "tick u32 a");
	is_canonical("tick u32 a ", "tick u32 a");
	is_canonical("tick u32 a   ", "tick u32 a");
	is_canonical("tick u32 a;", "tick u32 a");
	is_canonical("tick u32 a; ", "tick u32 a");
	is_canonical("flow int src;int dst;int flags", "flow int src; int dst; int flags");
	is_canonical("tick u32 a;  struct p q 8;char[4] c", "tick u32 a; struct p q 8; char[4] c");
}

/* 511 bytes, as the kernel receives them. */
static void the_canonical_text_has_at_most_511_bytes(void **state)
{
	struct ue_definition_error error;
	char text[600] = "tick u8 a;u8 ";

	(void)state;
	memset(text + strlen(text), 'f', 600 - strlen(text) - 1);
	text[510] = '\0';
	good(text);
	text[510] = 'f';
	text[511] = '\0';
	assert_int_equal(ue_definition_check(text, 0, &error), -EINVAL);
	assert_non_null(strstr(error.reason, "511"));
}

static void types(void **state)
{
	(void)state;
	bad("tick long a", "long", "Not a type");
	bad("tick bool a", "bool", "Not a type");
	bad("tick double a", "double", "Not a type");
	bad("tick u32", "u32", "a type, one blank, and a name");
	bad("tick char[0] a", "char[0]", "1 to 1024");
	bad("tick char[1025] a", "char[1025]", "1 to 1024");
	bad("tick char[] a", "char[]", "__rel_loc");
	bad("tick char[20 a", "char[20", "1 to 1024");
	bad("tick __rel_loc char a", "__rel_loc char", "T[]");
	bad("tick __rel_loc [] a", "__rel_loc []", "T[]");
	bad("tick u32 9lives", "9lives", "identifier");
	bad("tick u32 a-b", "a-b", "identifier");
}

static void structs(void **state)
{
	(void)state;
	bad("tick struct point p", "struct point p", "SIZE");
	bad("tick struct point p 0", "0", "1 to 65535");
	bad("tick struct point p 65536", "65536", "1 to 65535");
	bad("tick struct point p 2147483648", "2147483648", "1 to 65535");
	bad("tick struct point p 8 9", "8 9", "1 to 65535");
	bad("tick struct po-int p 8", "po-int", "tag");
}

/* Every text, cut at every byte, gets an answer; valgrind and ASan detect over-reads. */
static void every_prefix_is_answered(void **state)
{
	static const char text[] = "tick struct point p 8; unsigned char[20] c; "
				   "__rel_loc unsigned char[] d; u8 e;";
	char cut[sizeof(text)];

	(void)state;
	for (size_t length = 0; length < sizeof(text); length++) {
		struct ue_definition_error error;

		memcpy(cut, text, length);
		cut[length] = '\0';
		if (ue_definition_check(cut, 0, &error))
			assert_true(error.offset + error.length <= length);
	}
}

static void NULL_for_a_required_text_is_an_error(void **state)
{
	struct ue_definition_error error = { .length = 1 };
	struct ue_event event;

	(void)state;
	assert_int_equal(ue_definition_check(NULL, 0, &error), -EINVAL);
	assert_int_equal(error.offset + error.length, 0);
	assert_int_equal(ue_event_init(&event, NULL, 0), -EINVAL);
	assert_int_equal(ue_register(-1, &event), -EINVAL);
	assert_int_equal(ue_register(-1, NULL), -EINVAL);
	assert_int_equal(ue_unregister(NULL), -ENOENT);
	assert_int_equal(ue_delete(NULL, NULL), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_type_is_accepted),
		cmocka_unit_test(names),
		cmocka_unit_test(long_names),
		cmocka_unit_test(long_definitions),
		cmocka_unit_test(traps_of_the_kernel),
		cmocka_unit_test(blanks),
		cmocka_unit_test(blanks_that_the_kernel_skips_are_removed),
		cmocka_unit_test(the_canonical_text_has_at_most_511_bytes),
		cmocka_unit_test(types),
		cmocka_unit_test(structs),
		cmocka_unit_test(every_prefix_is_answered),
		cmocka_unit_test(NULL_for_a_required_text_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
