/* SPDX-License-Identifier: MIT */
/* Definitions of synthetic events, malformed ones among them, and the kernel's files "hist". */
#include "../test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/synth/synth_pair.h"
#include "kernel/synth/synth_definition.h"

static struct synth_problem problem;

/* The canonical text, or NULL with the problem; valid until the next call. */
static const char *canonical(const char *text)
{
	static char *result;
	struct synth_definition definition;

	free(result);
	free(problem.reason);
	problem.reason = NULL;
	result = NULL;
	if (!synth_definition_read(text, &definition, &problem) &&
	    !synth_definition_check(&definition, &problem))
		result = synth_definition_text(&definition);
	synth_definition_free(&definition);
	return result;
}

static void all_forms_have_one_canonical_form(void **state)
{
	static const char *const same[] = {
		"e u64 id; unsigned int b; char c[16]; char d[]",
		"e u64 id;unsigned int b;char c[16];char d[]",
		"  e  u64   id ; unsigned\tint b ;char[16] c; char[] d ; ",
		"e\tu64 id; unsigned int b; char[16] c; char[] d",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(same) / sizeof(*same); i++)
		assert_string_equal(canonical(same[i]), same[0]);
}

static void all_types_of_the_kernel_are_accepted(void **state)
{
	static const char *const types[] = {
		"u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64", "bool", "char",
		"unsigned char", "int", "unsigned int", "long", "unsigned long", "pid_t", "gfp_t",
	};
	char text[64];

	(void)state;
	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++) {
		snprintf(text, sizeof(text), "e %s x", types[i]);
		assert_string_equal(canonical(text), text);
	}
}

static void malformed_definitions_are_refused_at_their_place(void **state)
{
	static const struct {
		const char *text;
		size_t at;
		const char *reason;
	} malformed[] = {
		{ "", 0, "it has no name; write NAME TYPE FIELD; ..." },
		{ " ; u8 a", 1, "it has no name; write NAME TYPE FIELD; ..." },
		{ "e", 1, "it has no field; write NAME TYPE FIELD; ..." },
		{ "1e u8 a", 0, "the name \"1e\" is not made of letters, digits and \"_\"" },
		{ "a/b u8 a", 0, "the name \"a/b\" is not made of letters, digits and \"_\"" },
		{ "e u8", 2, "the field \"u8\" is one word; write a type and a name" },
		{ "e u8 a;; u8 b", 7, "there is no field before this \";\"" },
		{ "e ; u8 b", 2, "there is no field before this \";\"" },
		{ "e u8 a b c d", 2, "the field \"u8 a b c d\" has too many words" },
		{ "e u8 1a", 2, "the field's name \"1a\" is not made of letters, digits and "
				"\"_\"" },
		{ "e u8 a; u16 a", 8, "two fields are called \"a\"" },
		{ "e s32 common_pid", 2, "the field's name \"common_pid\" begins with "
					 "\"common_\", as those of the kernel do" },
		{ "e short a", 2, "synthetic events have no type \"short\"; write s16" },
		{ "e long long a", 2, "synthetic events have no type \"long long\"; write s64" },
		{ "e unsigned a", 2, "synthetic events have no type \"unsigned\"; write "
				     "unsigned int" },
		{ "e __rel_loc char[] a", 2, "synthetic events have no type \"__rel_loc char\"; "
					     "write char" },
		{ "e u8 b; double a", 8,
		  "synthetic events have no type \"double\", but u8 to u64, s8 to s64, bool, char, "
		  "int, long, unsigned ..., pid_t and gfp_t" },
		{ "e char *a", 2, "the field \"*a\" is a pointer; texts are char a[]" },
		{ "e u32 a[4]", 2, "the array \"a\" is not of char; the kernel has no other "
				   "arrays in synthetic events" },
		{ "e unsigned char a[4]", 2, "the array \"a\" is not of char; the kernel has no "
					     "other arrays in synthetic events" },
		{ "e char a[257]", 2, "the text \"a\" has 257 bytes, and the kernel keeps 256 at "
				      "most; write char a[]" },
		{ "e char a[0]", 2, "the length in \"char a[0]\" is not a number in brackets" },
		{ "e char a[010]", 2, "the length in \"char a[010]\" is not a number in "
				      "brackets" },
		{ "e char a[4", 2, "the length in \"char a[4\" is not a number in brackets" },
		{ "e char a[4]x", 2, "the length in \"char a[4]x\" is not a number in "
				     "brackets" },
		{ "e char[4] a[4]", 2, "the length in \"char[4] a[4]\" is not a number in "
				       "brackets" },
		{ "e char a[99999999999999999999]", 2,
		  "the length in \"char a[99999999999999999999]\" is not a number in brackets" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(malformed) / sizeof(*malformed); i++) {
		assert_null(canonical(malformed[i].text));
		assert_string_equal(problem.reason, malformed[i].reason);
		assert_int_equal(problem.at, malformed[i].at);
	}
}

static void sixty_four_fields_are_the_most(void **state)
{
	char text[2048] = "e";
	size_t length = 1;

	(void)state;
	for (int i = 0; i < 64; i++)
		length += (size_t)snprintf(text + length, sizeof(text) - length, " u8 f%d;", i);
	assert_non_null(canonical(text));
	snprintf(text + length, sizeof(text) - length, " u8 last");
	assert_null(canonical(text));
	assert_string_equal(problem.reason, "it has more than 64 fields");
	assert_int_equal(problem.at, length + 1);
}

static void triggers_are_ours_by_their_variables(void **state)
{
	(void)state;
	assert_true(synth_pair_owns("hist:keys=id:vals=hitcount:lat__ns=common_timestamp", "lat"));
	assert_true(synth_pair_owns("hist:keys=id:a=b,lat__from1=path:size=128", "lat"));
	/* of another event, of none, and a reference alone */
	assert_false(synth_pair_owns("hist:keys=id:lat__x__ns=common_timestamp", "lat"));
	assert_true(synth_pair_owns("hist:keys=id:lat__x__ns=common_timestamp", "lat__x"));
	assert_false(synth_pair_owns("hist:keys=id:flat__ns=common_timestamp", "lat"));
	assert_false(synth_pair_owns("hist:keys=id:x=common_timestamp-$lat__ns", "lat"));
	assert_false(synth_pair_owns("hist:keys=lat__ns:sort=lat__ns", "lat"));
	assert_false(synth_pair_owns("", "lat"));
}

#define MAX_TRIGGER                                                             \
	"hist:keys=shard,id:vals=hitcount:lat__dns=common_timestamp-$lat__ns"    \
	":sort=hitcount:size=131072:clock=global:onmax($lat__dns).save(delta,path)"
#define CHANGE_TRIGGER                                                          \
	"hist:keys=delta:vals=hitcount:lat__pair=$lat__pid,lat__to1=delta"       \
	":sort=hitcount:size=131072:onchange($lat__to1).trace(lat,delta)"
#define FORMAT                                                                  \
	"name: done\nID: 1\nformat:\n"                                           \
	"\tfield:u64 id;\toffset:8;\tsize:8;\tsigned:0;\n"                       \
	"\tfield:u32 shard;\toffset:16;\tsize:4;\tsigned:0;\n"                   \
	"\tfield:s64 delta;\toffset:20;\tsize:8;\tsigned:1;\n"                   \
	"\tfield:__rel_loc char[] path;\toffset:28;\tsize:4;\tsigned:0;\n"

static const char hist[] =
	"# event histogram\n#\n# trigger info: hist:keys=x:vals=hitcount [active]\n#\n\n"
	"{ x:          7 } hitcount:          1\n\nTotals:\n    Hits: 99\n    Entries: 98\n"
	"    Dropped: 97\n"
	"\n\n# event histogram\n#\n# trigger info: " MAX_TRIGGER " [active]\n#\n\n"
	"{ shard:          3, id:         12 } hitcount:          2\n"
	"\tmax:        500  delta: 18446744073709551611  path: /a  b                 \n"
	"\tmax:        500  delta: 18446744073709551611  path: /a  b                 \n"
	"{ shard:          4, id:         13 } hitcount:          1\n"
	"\tmax:       1700  delta:          2  path: /c\n"
	"\n\nSnapshot taken (see tracing/snapshot).  Details:\n"
	"\ttriggering value { onmax($lat__dns) }:       1700"
	"\ttriggered by event with key: { shard:          4, id:         13 }\n"
	"\nTotals:\n    Hits: 3\n    Entries: 2\n    Dropped: 1\n"
	"\n\n# event histogram\n#\n# trigger info: " CHANGE_TRIGGER " [active]\n#\n\n"
	"{ delta: 18446744073709551611 } hitcount:          1\n"
	"\tchanged: 18446744073709551611\n\nTotals:\n    Hits: 5\n    Entries: 5\n"
	"    Dropped: 0\n";

static void what_onmax_saved_is_read(void **state)
{
	char format[] = FORMAT;
	struct hist_state read;

	(void)state;
	hist_state_parse(MAX_TRIGGER, hist, format, &read);
	assert_string_equal(read.on, "max");
	assert_int_equal(read.hits, 3);
	assert_int_equal(read.entries, 2);
	assert_int_equal(read.dropped, 1);
	assert_string_equal(read.snapshot, "shard=4, id=13");
	assert_int_equal(read.saved_count, 2);
	assert_string_equal(read.saved[0].value, "1700");
	assert_string_equal(read.saved[0].key, "shard=4, id=13");
	assert_string_equal(read.saved[1].key, "shard=3, id=12");
	assert_int_equal(read.saved[1].count, 2);
	assert_string_equal(read.saved[1].fields[0].name, "delta");
	assert_string_equal(read.saved[1].fields[0].value, "-5");
	assert_true(read.saved[1].fields[0].is_number);
	assert_string_equal(read.saved[1].fields[1].value, "/a  b");
	assert_false(read.saved[1].fields[1].is_number);
	hist_state_free(&read);
}

static void a_signed_value_that_changed_has_its_sign(void **state)
{
	char format[] = FORMAT;
	struct hist_state read;

	(void)state;
	hist_state_parse(CHANGE_TRIGGER, hist, format, &read);
	assert_string_equal(read.on, "change");
	assert_int_equal(read.hits, 5);
	assert_int_equal(read.saved_count, 1);
	assert_string_equal(read.saved[0].value, "-5");
	assert_string_equal(read.saved[0].key, "delta=-5");
	hist_state_free(&read);
}

/* The texts of events are in the file as they are. */
static void any_text_is_read_without_harm(void **state)
{
	const size_t length = sizeof(hist) - 1;
	char format[] = FORMAT, text[sizeof(hist)];

	(void)state;
	for (size_t i = 0; i < length; i++) {
		static const char wrong[] = "\n{}:=,$ \t\0";

		for (size_t j = 0; j < sizeof(wrong); j++) {
			struct hist_state read;

			memcpy(text, hist, sizeof(hist));
			text[i] = wrong[j];
			hist_state_parse(MAX_TRIGGER, text, format, &read);
			hist_state_free(&read);
			hist_state_parse(CHANGE_TRIGGER, text, NULL, &read);
			hist_state_free(&read);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_forms_have_one_canonical_form),
		cmocka_unit_test(all_types_of_the_kernel_are_accepted),
		cmocka_unit_test(malformed_definitions_are_refused_at_their_place),
		cmocka_unit_test(sixty_four_fields_are_the_most),
		cmocka_unit_test(triggers_are_ours_by_their_variables),
		cmocka_unit_test(what_onmax_saved_is_read),
		cmocka_unit_test(a_signed_value_that_changed_has_its_sign),
		cmocka_unit_test(any_text_is_read_without_harm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
