/* SPDX-License-Identifier: MIT */
/* Triggers, as a person and the kernel write them. */
#include "../test.h"

#include <stdlib.h>
#include <string.h>

#include "common/cli/memory.h"
#include "kernel/trigger/trigger.h"

static struct trigger parsed(const char *text)
{
	struct trigger trigger;

	trigger_parse(&trigger, text);
	return trigger;
}

static void expect_text(const char *text, const char *expected)
{
	struct trigger trigger = parsed(text);
	char *got = trigger_text(&trigger);

	assert_string_equal(got, expected);
	free(got);
	trigger_free(&trigger);
}

static void what_the_kernel_lists_is_what_it_accepts(void **state)
{
	(void)state;
	expect_text("stacktrace:count=5 if id > 4", "stacktrace:5 if id > 4");
	expect_text("traceoff:unlimited", "traceoff");
	expect_text("enable_event:sched:sched_switch:count=1", "enable_event:sched:sched_switch:1");
	expect_text("enable_hist:a:b:unlimited if x == 1", "enable_hist:a:b if x == 1");
	expect_text("hist:keys=id:vals=hitcount:sort=hitcount:size=2048:clock=global if id > 4 "
		    "[active]", "hist:keys=id:vals=hitcount:sort=hitcount:size=2048:clock=global "
		    "if id > 4");
	expect_text("hist:keys=id:vals=hitcount [paused]", "hist:keys=id:vals=hitcount");
}

static void what_a_person_writes_is_left_as_it_is(void **state)
{
	static const char *const texts[] = {
		"stacktrace:0x10 \t if  comm == \"a  b\"",
		"snapshot",
		/* "if" within a filter is a part of it */
		"traceon if a == 1 || if == 2",
		"hist:keys=id:onmatch(a.b).trace(c, id) if id > 4",
		/* the kernel reports the faults of these */
		"stacktrace:5x", "stacktrace:1:2", "traceon id > 4", "enable_event::b",
		"stacktrace:99999999999999999999", "hist", "hist:", "hist:keys=id,,x",
		/* of newer kernels */
		"hist2:keys=a,b,c,d:count=7 if x", "stacktrace:5:user", "newer:5",
		"traceoff:count=often",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		expect_text(texts[i], texts[i]);
	expect_text(" \t stacktrace \n", "stacktrace");
	expect_text("newer:count=5 if x", "newer:5 if x");
	expect_text("", "");
}

static void parts_are_found(void **state)
{
	struct trigger trigger = parsed("disable_event:sched:sched_switch:3 if prev_pid == 1");

	(void)state;
	assert_int_equal(trigger.kind, TRIGGER_DISABLE_EVENT);
	assert_string_equal(trigger.target, "sched:sched_switch");
	assert_string_equal(trigger.head, "disable_event:sched:sched_switch");
	assert_string_equal(trigger.filter, "prev_pid == 1");
	assert_string_equal(trigger.line + trigger.filter_at, trigger.filter);
	assert_int_equal(trigger.is_counted, 1);
	assert_int_equal(trigger.left, 3);
	trigger_free(&trigger);
	trigger = parsed("hist:keys=id [paused]");
	assert_int_equal(trigger.is_paused, 1);
	assert_int_equal(trigger.is_counted, 0);
	assert_string_equal(trigger.line, "hist:keys=id");
	assert_null(trigger.filter);
	trigger_free(&trigger);
	trigger = parsed("hist:keys=id:onmatch(a.b).trace(c, id) \tif id > 4");
	assert_string_equal(trigger.head, "hist:keys=id:onmatch(a.b).trace(c, id)");
	assert_string_equal(trigger.filter, "id > 4");
	trigger_free(&trigger);
	/* the kernel takes blanks in place of ':', so a target must be found there */
	trigger = parsed("enable_event \t user_events:x:3 if a");
	assert_string_equal(trigger.target, "user_events:x");
	assert_string_equal(trigger.filter, "a");
	assert_int_equal(trigger.left, 3);
	trigger_free(&trigger);
	trigger = parsed("disable_hist:\r\n user_events:x");
	assert_string_equal(trigger.target, "user_events:x");
	trigger_free(&trigger);
	trigger = parsed("stacktrace 5 if a");
	assert_int_equal(trigger.left, 5);
	assert_string_equal(trigger.filter, "a");
	trigger_free(&trigger);
	trigger = parsed("stacktrace: if a");
	assert_string_equal(trigger.filter, "a");
	trigger_free(&trigger);
	trigger = parsed("newer:count=5 if x");
	assert_int_equal(trigger.kind, TRIGGER_OTHER);
	assert_string_equal(trigger.filter, "x");
	trigger_free(&trigger);
}

static void words_are_found_whole(void **state)
{
	static const char text[] = "hist:keys=common_cpu,cpu_id:x=cpu";

	(void)state;
	assert_ptr_equal(trigger_find_word(text, "cpu"), text + strlen(text) - 3);
	assert_ptr_equal(trigger_find_word(text, "hist"), text);
	assert_null(trigger_find_word(text, "pu"));
	assert_null(trigger_find_word("", "x"));
}

static void expect_meaning(const char *text, const char *expected)
{
	struct trigger trigger = parsed(text);
	char *got = trigger_meaning(&trigger);

	assert_string_equal(got, expected);
	free(got);
	trigger_free(&trigger);
}

static void meanings_say_how_often(void **state)
{
	(void)state;
	expect_meaning("stacktrace", "traces the kernel's stack");
	expect_meaning("traceoff:1", "turns tracing off; 1 more time");
	expect_meaning("snapshot:count=0", "takes a snapshot of the trace; never again");
	expect_meaning("enable_hist:a:b:2", "lets the histograms of a:b go on; 2 more times");
	expect_meaning("enable_event:a", "enable_event");
	expect_meaning("newer:count=5", "a kind that is not known to this version; 5 more times");
	expect_meaning("hist:keys=id,shard:vals=hitcount:sort=hitcount [active]",
		       "counts by id,shard");
	expect_meaning("hist:name=n:keys=id:vals=hitcount,shard [paused]",
		       "counts by id, and sums shard; paused");
}

/* Every begin of these ends somewhere, and no more than the text is read. */
static void a_text_may_end_anywhere(void **state)
{
	static const char *const texts[] = {
		"enable_event:sched:sched_switch:count=5 if id > 4",
		"hist:name=n:keys=id.sym-offset,-(shard+1),common_pid.execname:vals=hitcount,id:"
		"x=id.buckets=1,y=$x:sort=id.descending:size=1024:clock=mono:onmatch(a.b).trace(c,d)"
		":nohitcount if id > 4 [paused]",
	};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		for (size_t length = 0; length <= strlen(texts[i]); length++) {
			char *text = xstrndup(texts[i], length);
			struct trigger trigger = parsed(text);
			char *shown = trigger_text(&trigger), *meaning = trigger_meaning(&trigger);

			assert_true(trigger.rest_at <= length && trigger.filter_at <= length);
			assert_true(strlen(trigger.head) <= length);
			free(shown);
			free(meaning);
			trigger_free(&trigger);
			free(text);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_the_kernel_lists_is_what_it_accepts),
		cmocka_unit_test(what_a_person_writes_is_left_as_it_is),
		cmocka_unit_test(parts_are_found),
		cmocka_unit_test(words_are_found_whole),
		cmocka_unit_test(meanings_say_how_often),
		cmocka_unit_test(a_text_may_end_anywhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
