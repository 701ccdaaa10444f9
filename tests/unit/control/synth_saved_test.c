/* SPDX-License-Identifier: MIT */
/* Whose the triggers of synthetic events are, and the kernel's files "hist". */
#include "../test.h"

#include <stdlib.h>
#include <string.h>

#include "kernel/synth/synth.h"

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
		cmocka_unit_test(triggers_are_ours_by_their_variables),
		cmocka_unit_test(what_onmax_saved_is_read),
		cmocka_unit_test(a_signed_value_that_changed_has_its_sign),
		cmocka_unit_test(any_text_is_read_without_harm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
