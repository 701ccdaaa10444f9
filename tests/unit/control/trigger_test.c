/* SPDX-License-Identifier: MIT */
/* Triggers, as a person and the kernel write them, and the checks of histograms. */
#include "../test.h"

#include <stdlib.h>
#include <string.h>

#include "common/cli/memory.h"
#include "kernel/trigger/trigger.h"

static const char format[] =
	"name: req_start\nID: 416\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
	"\tfield:u64 id;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:u32 shard;\toffset:16;\tsize:4;\tsigned:0;\n"
	"\tfield:__rel_loc char path[];\toffset:20;\tsize:4;\tsigned:1;\n"
	"\tfield:char verb[8];\toffset:24;\tsize:8;\tsigned:1;\n"
	"\tfield:u16 counts[4];\toffset:32;\tsize:8;\tsigned:0;\n"
	"\tfield:struct point at;\toffset:40;\tsize:8;\tsigned:0;\n"
	"\tfield:__data_loc unsigned long[] stack;\toffset:48;\tsize:4;\tsigned:0;\n"
	"\tfield:__data_loc char[] host;\toffset:56;\tsize:4;\tsigned:0;\n"
	"\tfield:u32 cpu;\toffset:52;\tsize:4;\tsigned:0;\n\n"
	"print fmt: \"\"\n";

static const char format_of_print[] =
	"name: print\nID: 5\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"
	"\tfield:unsigned long ip;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:char buf[];\toffset:16;\tsize:0;\tsigned:0;\n\n"
	"print fmt: \"\"\n";

static const struct hist_support newest = { 1, 1, 1 }, oldest = { 0 };

/* Parsing */

static struct trigger parsed(const char *text)
{
	struct trigger trigger;
	struct trigger_fault fault;

	assert_int_equal(trigger_parse(&trigger, text, &fault), 0);
	assert_null(fault.sentence);
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

static void what_a_person_writes_is_tidied(void **state)
{
	(void)state;
	expect_text("  stacktrace:0x10 \t if  id > 4\n", "stacktrace:16 if id > 4");
	expect_text("snapshot", "snapshot");
	/* "if" within a filter is a part of it */
	expect_text("traceon if a == 1 || if == 2", "traceon if a == 1 || if == 2");
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
	expect_meaning("hist:keys=id,shard:vals=hitcount:sort=hitcount [active]",
		       "counts by id,shard");
	expect_meaning("hist:name=n:keys=id:vals=hitcount,shard [paused]",
		       "counts by id, and sums shard; paused");
}

struct wrong {
	const char *text;
	size_t at;
	const char *sentence; /* its begin */
};

static void wrong_triggers_are_refused_where_they_are_wrong(void **state)
{
	static const struct wrong wrong[] = {
		{ "", 0, "no trigger is given" },
		{ " \t\n", 0, "no trigger is given" },
		{ "traceofff", 0, "\"traceofff\" is no trigger; did you mean \"traceoff\"?" },
		{ "enable-event:a:b", 0,
		  "\"enable-event\" is no trigger; did you mean \"enable_event\"?" },
		{ "whatever", 0, "\"whatever\" is no trigger; there are " },
		{ "!traceoff", 0, "it begins with \"!\"" },
		{ "stacktrace:5x", 11, "\"5x\" is no number" },
		{ "stacktrace:count=", 11, "\"count=\" is no number" },
		{ "stacktrace: 5", 11, "\"\" is no number" },
		{ "stacktrace:+5", 11, "\"+5\" is no number" },
		{ "stacktrace:9223372036854775808", 11, "\"9223372036854775808\" is no number" },
		{ "stacktrace:1:2", 12, "nothing can follow the count; remove \":2\"" },
		{ "traceon id > 4", 8, "\"id > 4\" is no part of it" },
		{ "traceon iffy", 8, "\"iffy\" is no part of it" },
		{ "traceon if", 8, "no filter follows \"if\"" },
		{ "enable_event", 12, "no event is given" },
		{ "enable_event:", 13, "no event is given" },
		{ "enable_event if a", 12, "no event is given" },
		{ "enable_event:b", 13, "\"b\" names no event" },
		{ "enable_event::b", 13, "\":b\" names no event" },
		{ "enable_event:a:", 13, "\"a:\" names no event" },
		{ "enable_event:a::1", 13, "\"a::1\" names no event" },
		{ "disable_hist:a:b:", 17, "\"\" is no number" },
		{ "enable_event:a:b:1:2", 18, "nothing can follow" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct trigger trigger;
		struct trigger_fault fault;

		assert_int_equal(trigger_parse(&trigger, wrong[i].text, &fault), -1);
		assert_memory_equal(fault.sentence, wrong[i].sentence, strlen(wrong[i].sentence));
		assert_int_equal(fault.at, wrong[i].at);
		assert_null(trigger.line);
		free(fault.sentence);
	}
}

/* Histograms */

static int check_of(const char *text, const char *of, const struct hist_support *support,
		    struct hist_facts *facts, struct trigger_fault *fault)
{
	struct tracepoint *tracepoint = tracepoint_new("user_events", NULL, of, strlen(of), 0);
	struct trigger trigger = parsed(text);
	int result;

	*fault = (struct trigger_fault){ 0 };
	*facts = (struct hist_facts){ 0 };
	result = hist_check(&trigger, tracepoint, support, facts, fault);
	trigger_free(&trigger);
	tracepoint_free(tracepoint);
	return result;
}

static void good_histograms_pass(void **state)
{
	static const char *const good[] = {
		"hist:keys=id",
		"hist:key=id:val=shard",
		"hist:keys=id.log2,shard.hex,common_pid.execname:values=id,shard:size=0x1000",
		"hist:keys=id:vals=hitcount,shard,id:sort=shard.descending,hitcount.ascending",
		"hist:keys=id.buckets=10:sort=id",
		"hist:keys=id.bucket=0x10",
		"hist:keys=id.sym-offset",
		"hist:keys=id.sym-offset,shard.sym:x=id.sym-offset",
		"hist:keys=id.syscall:vals=hitcount.percent,shard.graph:nohitcount",
		"hist:keys=path,verb,host",
		"hist:keys=common_cpu",
		"hist:keys=cpu", /* a field of the event */
		"hist:keys=stacktrace",
		"hist:keys=common_stacktrace",
		"hist:keys=stack.stacktrace",
		"hist:keys=common_timestamp.usecs",
		"hist:keys=id+shard*2:x=-(id+1),y=5,z=$x",
		"hist:name=mine:keys=id:pause",
		"hist:keys=id:x=user_events.other.$y",
		"hist:keys=id:us=common_timestamp.usecs-$ts0:"
		"onmatch(user_events.req_start).trace(req_lat,id,$us):onmax($us).save(id,path)",
		"hist:keys=id:x=path,p=verb",
	};
	struct hist_facts facts;
	struct trigger_fault fault;

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		if (check_of(good[i], format, &newest, &facts, &fault))
			fail_msg("%s: %s", good[i], fault.sentence);
		assert_int_equal(facts.has_timestamp, strstr(good[i], "common_timestamp") != NULL);
		free(facts.clock);
	}
}

static void the_clock_is_found(void **state)
{
	struct hist_facts facts;
	struct trigger_fault fault;

	(void)state;
	assert_int_equal(check_of("hist:keys=id:ts=common_timestamp:clock=mono", format, &newest,
				  &facts, &fault), 0);
	assert_string_equal(facts.clock, "mono");
	assert_int_equal(facts.has_timestamp, 1);
	free(facts.clock);
}

static void expect_wrong(const struct wrong *wrong, size_t count, const char *of,
			 const struct hist_support *support)
{
	for (size_t i = 0; i < count; i++) {
		struct hist_facts facts;
		struct trigger_fault fault;

		if (!check_of(wrong[i].text, of, support, &facts, &fault))
			fail_msg("%s passes", wrong[i].text);
		free(facts.clock);
		if (strncmp(fault.sentence, wrong[i].sentence, strlen(wrong[i].sentence)) ||
		    fault.at != wrong[i].at)
			fail_msg("%s: at %zu: %s", wrong[i].text, fault.at, fault.sentence);
		free(fault.sentence);
	}
}

#define EXPECT_WRONG(wrong, of, support)                                                      \
	expect_wrong(wrong, sizeof(wrong) / sizeof((wrong)[0]), of, support)

static void wrong_histograms_are_refused_where_they_are_wrong(void **state)
{
	static const struct wrong wrong[] = {
		{ "hist", 0, "no key is given" },
		{ "hist:", 5, "there is nothing between" },
		{ "hist:keys=id:", 13, "there is nothing between" },
		{ "hist:keyz=id", 5, "no key is given; did you mean \"keys=\" by \"keyz=\"?" },
		{ "hist:keys", 5, "\"keys\" is no part of a histogram" },
		{ "hist:keys=id:clera", 13, "\"clera\" is no part of a histogram; did you mean" },
		{ "hist:keys=id,,shard", 13, "a field is missing here" },
		{ "hist:keys=.log2", 10, "a field is missing here" },
		{ "hist:keys=id:vals=", 18, "nothing follows \"vals=\"" },
		{ "hist:keys=counts", 10, "\"counts\" (u16) is neither a number nor text" },
		{ "hist:keys=at", 10, "\"at\" (struct point) is neither a number nor text" },
		{ "hist:keys=verb.log2", 14, "\".log2\" is only for numbers" },
		{ "hist:keys=id:vals=verb", 18, "\"verb\" is no number" },
		{ "hist:keys=id.stacktrace", 12, "\".stacktrace\" is only for stack traces" },
		{ "hist:keys=id.buckets=-5", 12, ".buckets wants" },
		{ "hist:keys=id:vals=shard.sym", 23, "\".sym\" cannot be used in values" },
		{ "hist:keys=CPU", 10, "the kernel cannot remove a histogram of \"cpu\"" },
		{ "hist:keys=id:size=64", 18, "the size must be a power of two from 128 to 131072; "
		  "write size=128" },
		{ "hist:keys=id:size=", 18, "nothing follows \"size=\"" },
		{ "hist:keys=id:x=id,y", 18, "\"y\" is no definition of a variable" },
		{ "hist:keys=id:x=id/", 18, "a field is missing here" },
		{ "hist:keys=id:x=*id", 15, "a field is missing here" },
		{ "hist:keys=id:a=1,b=1,c=1,d=1,e=1,f=1,g=1,h=1,i=1,j=1,k=1,l=1,m=1,n=1,o=1,p=1,"
		  "q=1", 77, "the kernel takes 16 variables at most" },
		{ "hist:keys=id:onchange($x)", 13, "the action is not complete" },
		{ "hist:keys=id:sort=", 18, "nothing follows \"sort=\"" },
		{ "hist:keys=id:sort=id,", 21, "\"\" is none of the keys and values" },
	};
	static const struct wrong of_print[] = {
		{ "hist:keys=buf", 10, "\"buf\" has no fixed size" },
	};

	(void)state;
	EXPECT_WRONG(wrong, format, &newest);
	EXPECT_WRONG(of_print, format_of_print, &newest);
}

static void features_that_a_kernel_lacks_are_refused(void **state)
{
	static const struct wrong wrong[] = {
		{ "hist:keys=path", 10, "\"path\" is text, which this kernel does not read" },
		{ "hist:keys=id:x=verb", 15, "\"verb\" is text, which this kernel does not read" },
		{ "hist:keys=common_stacktrace", 10, "this kernel has no common_stacktrace" },
		{ "hist:keys=stack.stacktrace", 15, "this kernel has no \".stacktrace\"" },
		{ "hist:keys=id:vals=hitcount.percent", 26, "this kernel has no \".percent\"" },
		{ "hist:keys=id:vals=id:nohitcount", 21, "this kernel has no \"nohitcount\"" },
		{ "hist:keys=id:vals=id:NOHC", 21, "this kernel has no \"NOHC\"" },
	};
	struct hist_facts facts;
	struct trigger_fault fault;

	(void)state;
	EXPECT_WRONG(wrong, format, &oldest);
	assert_int_equal(check_of("hist:keys=stacktrace:vals=shard.percent", format, &oldest,
				  &facts, &fault), 0);
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
			struct tracepoint *tracepoint = tracepoint_new("user_events", NULL, format,
								       strlen(format), 0);
			struct hist_facts facts = { 0 };
			struct trigger_fault fault;
			struct trigger trigger;

			if (!trigger_parse(&trigger, text, &fault) && trigger.kind == TRIGGER_HIST)
				hist_check(&trigger, tracepoint, &newest, &facts, &fault);
			if (fault.sentence)
				assert_true(fault.at <= length);
			free(fault.sentence);
			free(facts.clock);
			trigger_free(&trigger);
			tracepoint_free(tracepoint);
			free(text);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_the_kernel_lists_is_what_it_accepts),
		cmocka_unit_test(what_a_person_writes_is_tidied),
		cmocka_unit_test(parts_are_found),
		cmocka_unit_test(meanings_say_how_often),
		cmocka_unit_test(wrong_triggers_are_refused_where_they_are_wrong),
		cmocka_unit_test(good_histograms_pass),
		cmocka_unit_test(the_clock_is_found),
		cmocka_unit_test(wrong_histograms_are_refused_where_they_are_wrong),
		cmocka_unit_test(features_that_a_kernel_lacks_are_refused),
		cmocka_unit_test(a_text_may_end_anywhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
