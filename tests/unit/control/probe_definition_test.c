/* SPDX-License-Identifier: MIT */
/* Definitions of probes, without a kernel: how they are split, warnings and hints. */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/probe/probe.h"

static const char event[] =
	"name: e\nID: 1\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
	"\tfield:u64 id;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:__rel_loc char[] path;\toffset:16;\tsize:4;\tsigned:0;\n"
	"\tfield:__data_loc char[] data;\toffset:20;\tsize:4;\tsigned:0;\n"
	"\tfield:char verb[8];\toffset:24;\tsize:8;\tsigned:1;\n"
	"\tfield:u32 list[4];\toffset:32;\tsize:16;\tsigned:0;\n"
	"\tfield:struct point at;\toffset:48;\tsize:12;\tsigned:0;\n";

static char said[512];

/* "AT: REASON", or "": what is refused or warned of */
static const char *check(const char *definition, int knows_user_texts)
{
	struct fault fault;
	struct probe probe;

	if (!probe_parse(&probe, definition, &fault))
		probe_doubt(&probe, probe.kind == PROBE_EVENT ? event : NULL,
			    knows_user_texts, &fault);
	said[0] = '\0';
	if (fault.reason)
		snprintf(said, sizeof(said), "%zu: %s", fault.at, fault.reason);
	free(fault.reason);
	return said;
}

#define ACCEPTED(text) assert_string_equal(check((text), 1), "")
#define DOUBTED(text, reason) assert_string_equal(check((text), 1), (reason))

/* Every line of definitions in the kernel's kprobetrace document. */
static void definitions_of_the_document_are_accepted(void **state)
{
	(void)state;
	ACCEPTED("p:myprobe do_sys_open dfd=%ax filename=%dx flags=%cx mode=+4($stack)");
	ACCEPTED("r:myretprobe do_sys_open $retval");
	ACCEPTED("p do_sys_open+0x10 +u4(%si) +0(%si):ustring +u0(%si):string");
	ACCEPTED("p:x f +8($stack):x8[8] +0(%di):x32[1] +0(%di):string[1] +0(+0(%di)):string");
	ACCEPTED("p mod:f%return $retval");
	ACCEPTED("r10 f");
	ACCEPTED("p 0xffffffff81000000 @0xffffffff81000000 @jiffies+8 @jiffies-8:u32 @sym");
	ACCEPTED("p f $stack $stack0 $stack15:symbol $comm b=%di:b1@31/32 $arg1:symstr");
	ACCEPTED("p f \\1 \\-1 \\0x10:u8 \\\"text\" \\\"text\":string $comm:string");
	ACCEPTED("p:x /bin/sh:0x1234 %ip %sp @+0x10 +0(%di):string");
	ACCEPTED("p:x /bin/sh:main+4(0x20) %di");
	ACCEPTED("r:x /a:b/c:d $retval $comm");
	ACCEPTED("p:ue_probes/x f");
	ACCEPTED("p:ue_probes.x\tf\t%di  %si ");
}

/* The kernel reports the faults of these, or a newer one takes them. */
static void what_is_not_known_is_left_to_the_kernel(void **state)
{
	(void)state;
	ACCEPTED("f:x vfs_*%return $arg*");
	ACCEPTED("t:x sched_switch prev->pid");
	ACCEPTED("p5:x f");
	ACCEPTED("p:1x f-4%retrun $nope:newer[99999] a=%zz:int");
	ACCEPTED("p: f");
	ACCEPTED("e:x nothing");
	ACCEPTED("e:x s/e $idd %di if");
	ACCEPTED("p:x /bin/sh:1z%newer(zz)");
	ACCEPTED("p");
}

static void definitions_of_other_names_are_refused(void **state)
{
	(void)state;
	DOUBTED("",
		"0: a definition begins with \"p\" (a function's entry or a place), \"r\" (its "
		"return) or \"e\" (an event)");
	DOUBTED("-:x",
		"0: a definition begins with \"p\" (a function's entry or a place), \"r\" (its "
		"return) or \"e\" (an event)");
	DOUBTED("p:sched/x f",
		"2: probes of this command are in the group ue_probes; leave out "
		"\"sched/\"");
	DOUBTED("p:x f\np:y g", "5: a control character ends or splits the line");
	DOUBTED("r5:x /f:1",
		"1: a number of instances is for functions of the kernel alone");
	DOUBTED("p:x /f:main+z",
		"7: \"main+z\" is neither an offset nor FUNCTION[+OFFSET]");
}

static void the_parts_are_found(void **state)
{
	struct fault fault;
	struct probe probe;

	(void)state;
	assert_int_equal(probe_parse(&probe, "r12:n m:f%return a b", &fault), 0);
	assert_true(probe.is_return && part_is(probe.head, "r12") &&
		    part_is(probe.name, "n"));
	assert_true(part_is(probe.module, "m") && part_is(probe.symbol, "f"));
	assert_true(part_is(probe.place, "m:f%return") && part_is(probe.rest, " a b"));
	assert_int_equal(probe_parse(&probe, "p f+0x10%return", &fault), 0);
	assert_true(probe.is_return && part_is(probe.symbol, "f") && probe.offset == 16);
	assert_int_equal(probe_parse(&probe, "p /a:b/c:d+8%return(0x20) x", &fault), 0);
	assert_int_equal(probe.kind, PROBE_PROGRAM);
	assert_true(part_is(probe.path, "/a:b/c") && part_is(probe.symbol, "d"));
	assert_true(part_is(probe.suffix, "%return(0x20)") && probe.offset == 8);
	assert_int_equal(probe_parse(&probe, "e:n s/e a if x == 1 && y", &fault), 0);
	assert_true(part_is(probe.module, "s") && part_is(probe.symbol, "e"));
	assert_true(part_is(probe.rest, " a if x == 1 && y"));
}

static void fields_of_events_are_known(void **state)
{
	(void)state;
	ACCEPTED(
		"e:x user_events/e a=$id +8($id):u32 $data:string $verb:string +0($verb):x8[8]");
	ACCEPTED("e:x user_events/e +4($path):string $comm:string");
	DOUBTED("e:x s/e $path:string",
		"8: the kernel looks for this field 4 bytes too early; write "
		"+4($path):string");
	DOUBTED("e:x s/e $path", "8: the field is text; write +4($path):string");
	DOUBTED("e:x s/e a=$verb", "10: the field is text; write $verb:string");
	DOUBTED("e:x s/e $comm", "8: $comm is a string; write $comm:string");
	DOUBTED("e:x s/e $list",
		"8: the field \"list\" is an array or a struct, of which the kernel "
		"fetches a wrong number");
	DOUBTED("e:x s/e $id $at",
		"12: the field \"at\" is an array or a struct, of which the kernel "
		"fetches a wrong number");
	assert_string_equal(check("e:x s/e $data:string", 0), "");
	assert_string_equal(
		check("e:x user_events/e $verb:string", 0),
		"18: this kernel does not know that the field \"verb\" is text; Linux "
		"6.4 does");
	DOUBTED("p:x /f:1 \\\"t\"",
		"9: the kernel stores an empty text in probes of programs");
	DOUBTED("p:x f $comm:u8", "12: $comm is a string; write $comm without a type");
	DOUBTED("p:x f # %di",
		"6: '#' begins a comment for the kernel, which ignores the rest");
}

static void expect_hint(const char *marked, const char *reason, const char *expected)
{
	char *command = strdup(marked), *mark = strchr(command, '^'), *hint;
	struct refusal refusal = { .reason = (char *)(uintptr_t)reason,
				   .command = command,
				   .at = (size_t)(mark - command) };
	struct fault fault;
	struct probe probe;

	memmove(mark, mark + 1, strlen(mark));
	assert_int_equal(probe_parse(&probe, command, &fault), 0);
	hint = probe_hint(&probe, probe.kind == PROBE_EVENT ? event : NULL, &refusal);
	assert_string_equal(hint ? hint : "", expected);
	free(hint);
	free(command);
}

static void the_kernels_reasons_get_a_fix(void **state)
{
	(void)state;
	expect_hint("p:x f %di:^int", "Unknown type is specified",
		    "did you mean \"s32\"?");
	expect_hint("p:x f %di:^x33[4]", "Unknown type is specified",
		    "did you mean \"x32\"?");
	expect_hint("p:x f %di:^nothing_like_it", "Unknown type is specified", "");
	expect_hint("p:x f %di:^u8", "Unknown type is specified", "");
	expect_hint("p:x f a=$stack1:^x8[8] %si", "String accepts only memory argument",
		    "what is in memory is +0($stack1):x8[8]");
	expect_hint("p:x f +u0($arg2):x8[^8]", "String accepts only memory argument",
		    "the kernel has no arrays of a program's memory (\"u\")");
	expect_hint("e:x s/e a=^$idd", "Invalid $-variable specified",
		    "did you mean \"$id\"?");
	expect_hint("e:x s/e ^a=$idd", "Attached event does not have this field",
		    "did you mean \"$id\"?");
	expect_hint("e:x s/e ^%di", "Invalid fetch argument",
		    "an event has no registers; take its fields: $FIELD");
	expect_hint("p:x f ^$nope", "Invalid $-variable specified", "");
	expect_hint("p:x f ^", "No argument expression", "");
#ifdef __x86_64__
	expect_hint("p:x f fd=^%rdi", "Invalid register name", "did you mean \"%di\"?");
	expect_hint("p:x /f:1 ^$arg2", "Invalid $-variable specified",
		    "in a program, argument 2 is in %si at the entry");
	expect_hint("p:x /f:1 ^$arg7", "Invalid $-variable specified",
		    "in a program, take a register");
#endif
}

/* None may crash; sanitizers look at this test as well. */
static void any_prefix_of_a_definition_is_parsed(void **state)
{
	static const char *const texts[] = {
		"r12:name mod:func+0x10%return a=+u4(-8(%di)):x8[12] b=@sym-8:b4@3/32 $arg12",
		"p:n /bin/sh:main+0x10%return(0x20) a=\\\"text\":string[3] @+0x12:u8",
		"e:n sys/event a=+4($path):string $comm:string if a == 1",
	};
	char text[128];

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		for (size_t length = 0; length <= strlen(texts[i]); length++) {
			char *exact = strndup(texts[i], length);

			check(exact, 1);
			free(exact);
			snprintf(text, sizeof(text), "%s", texts[i]);
			for (const char *c = " :/()[]@$%+-\\\"#\n\x80"; *c && text[length]; c++) {
				text[length] = *c;
				check(text, 0);
			}
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(definitions_of_the_document_are_accepted),
		cmocka_unit_test(what_is_not_known_is_left_to_the_kernel),
		cmocka_unit_test(definitions_of_other_names_are_refused),
		cmocka_unit_test(the_parts_are_found),
		cmocka_unit_test(fields_of_events_are_known),
		cmocka_unit_test(the_kernels_reasons_get_a_fix),
		cmocka_unit_test(any_prefix_of_a_definition_is_parsed),
	};

	return cmocka_run_group_tests_name("probe", tests, NULL, NULL);
}
