/* SPDX-License-Identifier: MIT */
/* Definitions of probes, without a kernel: kernels of all grammars. */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/probe/probe.h"

/* As the READMEs of Linux 6.12 with BTF, and of 6.1, have them. */
static const char new_readme[] =
	"	     args: <name>=fetcharg[:type]\n"
	"	 fetcharg: $stack<index>, $stack, $retval, $comm, $arg<N>,\n"
	"	           <argname>[->field[->field|.field...]],\n"
	"	     kernel return probes support: $retval, $arg<N>, $comm\n"
	"	     type: s8/16/32/64, u8/16/32/64, x8/16/32/64, char, string, symbol,\n"
	"	           b<bit-width>@<bit-offset>/<container-size>, ustring,\n"
	"	           symstr, %pd/%pD, <type>\\[<array-size>\\]\n";
static const char old_readme[] =
	"	     type: s8/16/32/64, u8/16/32/64, x8/16/32/64, string, symbol,\n"
	"	           b<bit-width>@<bit-offset>/<container-size>, ustring,\n"
	"	           <type>\\[<array-size>\\]\n"
	"	    stype: [unsigned] char/int/long, char, short\n";

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

/* "AT: REASON", or "" */
static const char *check(const char *definition, const char *readme, int knows_user_texts)
{
	struct grammar grammar;
	struct fault fault;
	struct probe probe;

	grammar_read(&grammar, readme);
	grammar.knows_user_texts = knows_user_texts;
	if (!probe_parse(&probe, definition, &fault))
		probe_check_arguments(&probe, &grammar,
				      probe.kind == PROBE_EVENT ? event : NULL, &fault);
	said[0] = '\0';
	if (fault.reason)
		snprintf(said, sizeof(said), "%zu: %s", fault.at, fault.reason);
	free(fault.reason);
	return said;
}

#define ACCEPTED(text) assert_string_equal(check((text), new_readme, 1), "")
#define REFUSED(text, reason) assert_string_equal(check((text), new_readme, 1), (reason))
#define OLD(text, reason) assert_string_equal(check((text), old_readme, 0), (reason))

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

static void the_parts_are_found(void **state)
{
	struct fault fault;
	struct probe probe;

	(void)state;
	assert_int_equal(probe_parse(&probe, "r12:n m:f%return a b", &fault), 0);
	assert_true(probe.is_return && probe.maxactive == 12 && part_is(probe.name, "n"));
	assert_true(part_is(probe.module, "m") && part_is(probe.symbol, "f"));
	assert_int_equal(probe.argument_count, 2);
	assert_int_equal(probe_parse(&probe, "p /a:b/c:d%return(0x20) x", &fault), 0);
	assert_int_equal(probe.kind, PROBE_PROGRAM);
	assert_true(part_is(probe.path, "/a:b/c") && part_is(probe.symbol, "d"));
	assert_int_equal(probe_parse(&probe, "e:n s/e a if x == 1 && y", &fault), 0);
	assert_true(part_is(probe.filter, "x == 1 && y") && probe.argument_count == 1);
}

static void arguments_go_with_their_probe(void **state)
{
	(void)state;
	ACCEPTED("r:x f $arg1");
	OLD("r:x f $arg1", "6: this kernel has $argN at the entry of a function alone; add a probe "
			   "\"p\" for it");
	REFUSED("r:x 0xffff $retval", "11: the kernel has $retval only for functions that are given "
				      "by name");
	REFUSED("p:x 0xffff $arg1", "11: the kernel has $argN only for functions that are given by "
				    "name");
	REFUSED("p:x f $arg1x", "6: an argument of a function is $arg1, $arg2, ...");
	REFUSED("p:x f $stack9999", "6: an entry of the stack is $stack0, $stack1, ...");
	REFUSED("p:x /f:1 @sym", "9: symbols are for functions of the kernel; give an address, or "
				 "@+OFFSET in the file");
	REFUSED("p:x /f:1 \\\"t\"", "9: the kernel cannot store a text of the definition in probes "
				    "of programs");
	ACCEPTED("p:x f fd file->f_pos");
	OLD("p:x f fd", "6: \"fd\" is no argument: %REGISTER, $argN, $retval, $stackN, $comm, "
			"@ADDRESS, @SYMBOL, +OFFSET(ARGUMENT), \\NUMBER");
	REFUSED("p:x f a=", "8: an argument is missing");
	REFUSED("p:x f =%di", "6: the name \"\" of an argument is no identifier");
}

static void types_go_with_their_values(void **state)
{
	(void)state;
	OLD("p:x f %di:char", "10: this kernel does not have the type \"char\"; use u8");
	OLD("p:x f %di:symstr", "10: this kernel does not have the type \"symstr\"");
	REFUSED("p:x f %di:", "10: a type must follow ':'");
	REFUSED("p:x f %di:u64[0]", "14: an array has 1 to 64 elements");
	REFUSED("p:x f $stack:symstr", "13: symstr is for an address in a register, on the stack, in "
				       "an argument or in memory of the kernel");
	REFUSED("r:x f $arg1:symstr", "12: symstr is for an address in a register, on the stack, in "
				      "an argument or in memory of the kernel");
	REFUSED("p:x f \\1:u8[2]", "9: an array is in memory: +0(\\1):u8[2]");
	REFUSED("p:x f $comm:string[2]", "12: $comm is a string; write $comm without a type");
	REFUSED("p:x f %di:b0@0/8", "10: bits 0 to 0 are not in a container of 8");
	REFUSED("p:x f %di:b18446744073709551615@1/64",
		"10: bits 1 to 18446744073709551615 are not in a container of 64");
	ACCEPTED("p:x f +u0(%si):ustring[64]");
}

static void expressions_nest_as_deeply_as_the_kernel_takes(void **state)
{
	(void)state;
	ACCEPTED("p:x f +0(+0(+0(+0(+0(+0(+0(+0(+0(+0(+0(+0(+0(%di)))))))))))))");
	REFUSED("p:x f +0(+0(+0(+0(+0(+0(+0(+0(+0(+0(+0(+0(+0(+0(+0(%di)))))))))))))))",
		"6: it is nested too deeply for the kernel");
}

static void fields_of_events_are_known(void **state)
{
	(void)state;
	ACCEPTED("e:x user_events/e a=$id +8($id):u32 $data:string $verb:string +0($verb):x8[8]");
	ACCEPTED("e:x user_events/e +4($path):string $comm:string");
	REFUSED("e:x s/e $path:string", "8: the kernel looks for this field 4 bytes too early; write "
					"+4($path):string");
	REFUSED("e:x s/e +0($path):string", "9: the kernel looks for this field 4 bytes too early: "
					    "the offset is 4 at least");
	REFUSED("e:x s/e $path", "8: the field is text; write +4($path):string");
	REFUSED("e:x s/e $list", "8: the field \"list\" is an array or a struct, of which the kernel "
				 "would fetch a wrong number");
	REFUSED("e:x s/e $at", "8: the field \"at\" is an array or a struct, of which the kernel would "
			       "fetch a wrong number");
	REFUSED("e:x s/e $idd", "8: the event has no field \"idd\"; did you mean \"$id\"?");
	OLD("e:x s/e $data:string", "");
	OLD("e:x user_events/e $verb:string",
	    "18: this kernel does not know that the field \"verb\" is text; Linux 6.4 does");
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

			check(exact, new_readme, 1);
			free(exact);
			snprintf(text, sizeof(text), "%s", texts[i]);
			for (const char *c = " :/()[]@$%+-\\\"#\n\x80"; *c && text[length]; c++) {
				text[length] = *c;
				check(text, old_readme, 1);
			}
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(definitions_of_the_document_are_accepted),
		cmocka_unit_test(the_parts_are_found),
		cmocka_unit_test(arguments_go_with_their_probe),
		cmocka_unit_test(types_go_with_their_values),
		cmocka_unit_test(expressions_nest_as_deeply_as_the_kernel_takes),
		cmocka_unit_test(fields_of_events_are_known),
		cmocka_unit_test(any_prefix_of_a_definition_is_parsed),
	};

	return cmocka_run_group_tests_name("probe", tests, NULL, NULL);
}
