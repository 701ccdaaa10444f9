/* SPDX-License-Identifier: MIT */
#include "test.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <userevents/decode/record.h>

#define HEAD                                                                          \
	"name: tick\nID: 1234\nformat:\n"                                             \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"        \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"        \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
#define TAIL "\nprint fmt: \"field:u8 no;\toffset:9;\tsize:1;\"\n"

static struct ue_record_field fields[16];
static struct ue_record_layout format;
static char out[1024];

static int parse(const char *text, uint32_t flags)
{
	return ue_record_layout_parse(&format, "user_events", text, strlen(text), fields,
				      16, flags);
}

static const char *json(const void *bytes, size_t length)
{
	const struct ue_render_opts opts = { .size = sizeof(opts), .meta = UE_META_NONE };

	assert_true(ue_record_to_json(&format, bytes, length, &opts, out, sizeof(out)) > 0);
	return out;
}

/* One field with a declaration, and a record of only this field. */
static const char *one(const char *declaration, unsigned int size, int is_signed,
		       const void *bytes, size_t length)
{
	char text[1024];

	snprintf(text, sizeof(text),
		 HEAD "\tfield:%s;\toffset:8;\tsize:%u;\tsigned:%d;\n" TAIL, declaration,
		 size, is_signed);
	assert_int_equal(parse(text, UE_RECORD_LITTLE_ENDIAN), 1);
	return json(bytes, length);
}

#define ONE(declaration, size, is_signed, bytes) \
	one((declaration), (size), (is_signed), (bytes), sizeof(bytes) - 1)

static void a_format_file_is_read(void **state)
{
	(void)state;
	assert_int_equal(parse(HEAD "\tfield:u32 a;\toffset:8;\tsize:4;\tsigned:0;\n"
				    "\tfield:s64 b;\toffset:12;\tsize:8;\tsigned:1;\n" TAIL,
			       UE_RECORD_LITTLE_ENDIAN), 2);
	assert_int_equal(format.id, 1234);
	assert_int_equal(format.common_size, 8);
	assert_int_equal(format.fixed_size, 12);
	assert_memory_equal(format.name, "tick", format.name_length);
	assert_int_equal(fields[1].offset, 4);
	assert_memory_equal(fields[1].type, "s64", fields[1].type_length);
	assert_string_equal(json("\1\0\0\0\377\377\377\377\377\377\377\377", 12),
			    "{\"a\":1,\"b\":-1}");
}

static void types_have_their_names(void **state)
{
	(void)state;
	assert_string_equal(ONE("u8 x", 1, 0, "\377"), "{\"x\":255}");
	assert_string_equal(ONE("s16 x", 2, 1, "\376\377"), "{\"x\":-2}");
	assert_string_equal(ONE("unsigned int x", 4, 0, "\1\0\0\200"), "{\"x\":2147483649}");
	assert_string_equal(ONE("__u64 x", 8, 0, "\0\0\0\0\1\0\0\0"), "{\"x\":4294967296}");
	assert_string_equal(ONE("int8_t x", 1, 1, "\377"), "{\"x\":-1}");
	assert_string_equal(ONE("pid_t x", 4, 1, "\377\377\377\377"), "{\"x\":-1}");
	assert_string_equal(ONE("bool x", 1, 0, "\1"), "{\"x\":true}");
	assert_string_equal(ONE("double x", 8, 0, "\0\0\0\0\0\0\370?"), "{\"x\":1.5}");
	assert_string_equal(ONE("unsigned long x", 8, 0, "\377\0\0\0\0\0\0\0"),
			    "{\"x\":\"0xFF\"}");
	assert_string_equal(ONE("unsigned long long x", 8, 0, "\377\0\0\0\0\0\0\0"),
			    "{\"x\":255}");
	assert_string_equal(ONE("long x", 4, 1, "\377\377\377\377"), "{\"x\":-1}");
	assert_string_equal(ONE("const char *x", 8, 0, "\20\0\0\0\0\0\0\0"),
			    "{\"x\":\"0x10\"}");
	assert_string_equal(ONE("struct point x", 3, 0, "\1\2\377"),
			    "{\"x\":\"01 02 ff\"}");
	assert_string_equal(ONE("odd_t x", 3, 0, "\1\2\3"), "{\"x\":\"01 02 03\"}");
}

/* sys_enter_inotify_rm_watch: the type is the argument's, the value an unsigned long. */
static void the_kernel_reports_the_sign_of_a_value_of_another_size(void **state)
{
	(void)state;
	assert_string_equal(ONE("__s32 wd", 8, 0, "\377\377\377\377\377\377\377\377"),
			    "{\"wd\":18446744073709551615}");
	assert_string_equal(ONE("__s32 wd", 8, 1, "\377\377\377\377\377\377\377\377"),
			    "{\"wd\":-1}");
	assert_string_equal(ONE("__s32 wd", 4, 0, "\377\377\377\377"), "{\"wd\":-1}");
	assert_string_equal(ONE("__rel_loc s32[] v", 4, 0, "\0\0\4\0\377\377\377\377"),
			    "{\"v\":[-1]}");
}

static void text_ends_at_its_nul(void **state)
{
	(void)state;
	assert_string_equal(ONE("char x", 1, 0, "A"), "{\"x\":\"A\"}");
	assert_string_equal(ONE("char x[<1852>]", 5, 1, "ab\0cd"), "{\"x\":\"ab\"}");
	assert_string_equal(ONE("char x[4]", 4, 1, "abcd"), "{\"x\":\"abcd\"}");
	assert_string_equal(ONE("char x[4]", 4, 1, "\303\244\0\0"), "{\"x\":\"\303\244\"}");
	assert_string_equal(ONE("char x[]", 0, 1, "to the end"), "{\"x\":\"to the end\"}");
	assert_string_equal(ONE("unsigned char x[3]", 3, 0, "\1\2\3"), "{\"x\":\"01 02 03\"}");
}

static void bytes_render_as_in_eventheader(void **state)
{
	(void)state;
	assert_string_equal(ONE("u8 x[2]", 2, 0, "\1\377"), "{\"x\":\"01 ff\"}");
	assert_string_equal(ONE("__rel_loc u8[] x", 4, 1, "\0\0\2\0\1\377"),
			    "{\"x\":\"01 ff\"}");
	assert_string_equal(ONE("__data_loc unsigned char[] x", 4, 1, "\14\0\2\0\1\377"),
			    "{\"x\":\"01 ff\"}");
	assert_string_equal(ONE("__rel_loc u8[] x", 4, 1, "\0\0\0\0"), "{\"x\":\"\"}");
	/* numbers, signed or unsigned, and truth values */
	assert_string_equal(ONE("s8 x[2]", 2, 1, "\1\377"), "{\"x\":[1,-1]}");
	assert_string_equal(ONE("bool x[2]", 2, 0, "\1\0"), "{\"x\":[true,false]}");
}

static void no_field_replaces_the_members_of_the_event(void **state)
{
	(void)state;
	assert_int_equal(ue_record_layout_define(&format, "user_events",
		"e u8 n; u8 meta; u8 _n; u8 __meta; u8 nn; u8 metal; u8 _", fields, 16,
		UE_RECORD_LITTLE_ENDIAN), 7);
	ue_record_to_json(&format, "\1\2\3\4\5\6\7", 7, NULL, out, sizeof(out));
	assert_string_equal(out, "{\"n\":\"user_events:e\",\"_n\":1,\"_meta\":2,"
			    "\"__n\":3,\"___meta\":4,\"nn\":5,\"metal\":6,"
			    "\"_\":7}");
}

static void latin1_needs_a_flag(void **state)
{
	(void)state;
	assert_int_equal(parse(HEAD "\tfield:char x[2];\toffset:8;\tsize:2;\tsigned:1;\n",
			       UE_RECORD_LATIN1), 1);
	assert_string_equal(json("\303\244", 2), "{\"x\":\"\303\203\302\244\"}");
}

static void arrays_have_the_type_of_their_field(void **state)
{
	(void)state;
	assert_string_equal(ONE("u16 x[2]", 4, 0, "\1\0\2\0"), "{\"x\":[1,2]}");
	assert_string_equal(ONE("unsigned long x[2]", 16, 0,
				"\1\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0"),
			    "{\"x\":[\"0x1\",\"0x2\"]}");
	assert_string_equal(ONE("unsigned long long x[2]", 16, 0,
				"\1\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0"),
			    "{\"x\":[1,2]}");
	assert_string_equal(ONE("odd_t x[2]", 4, 0, "\1\0\2\0"), "{\"x\":[1,2]}");
	assert_string_equal(ONE("odd_t x[3]", 4, 0, "\1\0\2\0"), "{\"x\":\"01 00 02 00\"}");
}

static void locations_are_followed(void **state)
{
	(void)state;
	assert_string_equal(ONE("__rel_loc char x[]", 4, 1, "\0\0\3\0hi\0"),
			    "{\"x\":\"hi\"}");
	assert_string_equal(ONE("__data_loc char[] x", 4, 1, "\14\0\3\0hi\0"),
			    "{\"x\":\"hi\"}");
	assert_string_equal(ONE("__rel_loc u16 x[]", 4, 1, "\0\0\4\0\1\0\377\377"),
			    "{\"x\":[1,65535]}");
	assert_string_equal(ONE("__rel_loc s16 x[]", 4, 1, "\0\0\4\0\1\0\377\377"),
			    "{\"x\":[1,-1]}");
	assert_string_equal(ONE("__data_loc char[] x", 2, 1, "\12\0hi"),
			    "{\"x\":\"hi\"}");
	assert_string_equal(ONE("__rel_loc struct p[] x", 4, 1, "\0\0\2\0\1\2"),
			    "{\"x\":\"01 02\"}");
	assert_string_equal(ONE("__data_loc char[] x", 4, 1, "\0\0\0\0"), "{\"x\":\"\"}");
	/* synthetic events; the kernel leaves the other four bytes as they were */
	assert_string_equal(ONE("__data_loc char[] x", 8, 1, "\20\0\3\0\377\1\2\3hi\0"),
			    "{\"x\":\"hi\"}");
}

static void a_missing_field_is_null(void **state)
{
	struct ue_item item;

	(void)state;
	assert_non_null(strstr(ONE("u32 x", 4, 0, "\1\2\3"),
		"{\"x\":null,\"meta\":{\"error\":{\"name\":\"value_past_end\",\"offset\":0,"));
	assert_int_equal(ue_record_item(&format, 0, "123", 3, &item), -EBADMSG);
	assert_int_equal(ue_record_item(&format, 1, "1234", 4, &item), -ENOENT);
	assert_int_equal(ue_record_item(&format, 0, "1234", 4, &item), UE_ITEM_VALUE);
	/* one byte too long; before the record; the offset overflows 16 bits */
	assert_non_null(strstr(ONE("__rel_loc char x[]", 4, 1, "\0\0\4\0hi\0"), "null"));
	assert_non_null(strstr(ONE("__data_loc char[] x", 4, 1, "\7\0\1\0h"), "null"));
	assert_non_null(strstr(ONE("__rel_loc char x[]", 4, 1, "\377\377\377\377"), "null"));
	assert_non_null(strstr(ONE("__data_loc char[] x", 2, 1, "\377\377hi"), "null"));
	assert_non_null(strstr(ONE("__data_loc char[] x", 3, 1, "\0\0\0"), "null"));
	assert_non_null(strstr(ONE("__data_loc char[] x", 8, 1, "\20\0\4\0\0\0\0\0hi\0"),
			       "null"));
	assert_non_null(strstr(ONE("__rel_loc char x[]", 8, 1, "\0\0\1\0\0\0\0\0h"),
			       "null"));
}

static void a_field_beyond_all_bounds_is_in_no_record(void **state)
{
	struct ue_item item;

	(void)state;
	assert_int_equal(parse(HEAD "\tfield:char x[16];\toffset:4294967295;\tsize:16;"
				    "\tsigned:1;\n", 0), 1);
	assert_int_equal(format.fixed_size, UINT32_MAX);
	assert_int_equal(ue_record_item(&format, 0, "123", 3, &item), -EBADMSG);
}

static void the_other_fields_are_shown(void **state)
{
	(void)state;
	assert_int_equal(ue_record_layout_define(&format, "user_events",
		"e u8 a; __rel_loc char[] b; u8 c", fields, 16,
		UE_RECORD_LITTLE_ENDIAN), 3);
	ue_record_to_text(&format, "\1\0\0\2\0\2", 6, NULL, out, sizeof(out));
	assert_string_equal(out, "user_events:e a=1 b=null c=2 meta={error={name="
			    "string_past_end offset=1 reason=\"A string is longer than "
			    "the rest of the event.\"}}");
}

static void a_definition_equals_its_format_file(void **state)
{
	static const uint8_t bytes[] = "\1\2\3\4ABC\0\14\0\3\0\201\202\203\204\205\206"
				       "\207\210\377\376\7\10hi";
	char from_format[1024];

	(void)state;
	assert_int_equal(parse(HEAD
		"\tfield:u32 status;\toffset:8;\tsize:4;\tsigned:0;\n"
		"\tfield:char path[<9>];\toffset:12;\tsize:4;\tsigned:1;\n"
		"\tfield:__rel_loc char text[];\toffset:16;\tsize:4;\tsigned:1;\n"
		"\tfield:struct point p;\toffset:20;\tsize:8;\tsigned:1;\n"
		"\tfield:short common_s;\toffset:28;\tsize:2;\tsigned:1;\n"
		"\tfield:unsigned char u;\toffset:30;\tsize:1;\tsigned:0;\n"
		"\tfield:char c;\toffset:31;\tsize:1;\tsigned:1;\n" TAIL,
		UE_RECORD_LITTLE_ENDIAN), 7);
	snprintf(from_format, sizeof(from_format), "%s", json(bytes, sizeof(bytes)));
	assert_int_equal(ue_record_layout_define(&format, "user_events",
		"tick u32 status; char[4] path; __rel_loc char[] text; struct point p 8; "
		"short common_s; unsigned char u; char c", fields, 16,
		UE_RECORD_LITTLE_ENDIAN), 7);
	assert_int_equal(format.fixed_size, 24);
	assert_string_equal(from_format, json(bytes, sizeof(bytes)));
	assert_string_equal(from_format,
		"{\"status\":67305985,\"path\":\"ABC\",\"text\":\"hi\",\"p\":\"81 82 83 84 "
		"85 86 87 88\",\"common_s\":-257,\"u\":7,\"c\":\"\\b\"}");
}

static void the_byte_order_is_the_recordings(void **state)
{
	(void)state;
	assert_int_equal(ue_record_layout_define(&format, "s",
		"e u16 a; __rel_loc s16[] b", fields, 16, UE_RECORD_BIG_ENDIAN), 2);
	assert_string_equal(json("\1\2\0\2\0\0\377\376", 8), "{\"a\":258,\"b\":[-2]}");
}

static void an_eventheader_event_is_recognised(void **state)
{
	static const char definition[] = "P_L4K1 " UE_EVENTHEADER_FIELDS;
	static const uint8_t event[] = "\7\0\0\0\0\0\0\4\6\0\1\0Ev\0u\0\4\0\1\0\0";

	(void)state;
	assert_int_equal(ue_record_layout_define(&format, "user_events", definition,
						 fields, 16, 0), 6);
	assert_true(format.is_eventheader);
	ue_record_to_text(&format, event, sizeof(event) - 1, NULL, out, sizeof(out));
	assert_string_equal(out, "P:Ev u=256 meta={level=info keyword=0x1}");
	format.is_eventheader = 0;
	assert_non_null(strstr(json(event, sizeof(event)), "{\"eventheader_flags\":7,"));
	assert_int_equal(ue_record_layout_define(&format, "user_events", "P_L4K1 u8 a",
						 fields, 16, 0), 1);
	assert_false(format.is_eventheader);
}

static void other_members_of_meta_equal_the_names(void **state)
{
	struct ue_sample sample = { .size = sizeof(sample), .present = UE_META_PID,
				    .pid = 7 };
	struct ue_render_opts opts = {
		.size = sizeof(opts), .sample = &sample,
		.meta = UE_META_PID | UE_META_TID | UE_META_PROVIDER | UE_META_EVENT,
	};

	(void)state;
	assert_int_equal(ue_record_layout_define(&format, "user_events", "e u8 a", fields,
						 16, 0), 1);
	ue_record_to_json(&format, "\1", 1, &opts, out, sizeof(out));
	assert_string_equal(out, "{\"a\":1,\"meta\":{\"pid\":7,\"provider\":"
				 "\"user_events\",\"event\":\"e\"}}");
}

static void fields_that_do_not_fit_are_counted(void **state)
{
	(void)state;
	assert_int_equal(ue_record_layout_define(&format, "s", "e u8 a; u8 b; u8 c",
						 fields, 2, 0), 3);
	assert_int_equal(ue_record_layout_define(&format, "s", "e u8 a; u8 b; u8 c",
						 NULL, 0, 0), 3);
}

static void malformed_descriptions_are_rejected(void **state)
{
	(void)state;
	assert_int_equal(parse("", 0), -EBADMSG);
	assert_int_equal(parse("ID: 7\n", 0), -EBADMSG);
	assert_int_equal(parse(HEAD "\tfield:u8 a;\n", 0), -EBADMSG);
	assert_int_equal(parse(HEAD "\tfield:u8 a\toffset:8;\n", 0), -EBADMSG);
	assert_int_equal(parse(HEAD "\tfield:u8 a;\toffset:7;\tsize:1;\n", 0), -EBADMSG);
	assert_int_equal(parse(HEAD "\tfield:u8 a;\toffset:4294967296;\tsize:1;\n", 0),
			 -EBADMSG);
	assert_int_equal(parse("name: x\nID: y\n", 0), -EBADMSG);
	assert_int_equal(parse(HEAD, 3), -EINVAL);
	assert_int_equal(parse(HEAD, 8), -EINVAL);
	assert_int_equal(ue_record_layout_define(&format, "s", "e u8", fields, 16, 0),
			 -EINVAL);
}

#define PROBE(fields, print)                                                            \
	HEAD "\tfield:unsigned long __probe_ip;\toffset:8;\tsize:8;\tsigned:0;\n" fields  \
	     "\nprint fmt: \"(%lx)" print "\", REC->__probe_ip, REC->a\n"

static const char *probe(const char *text, const char *bytes, size_t length)
{
	assert_true(parse(text, UE_RECORD_LITTLE_ENDIAN) > 1);
	return json(bytes, length) + strlen("{\"__probe_ip\":\"0x1\",");
}

#define IP "\1\0\0\0\0\0\0\0"
#define U8(name, at) "\tfield:u8 " name ";\toffset:" at ";\tsize:1;\tsigned:0;\n"
#define U8_2(name, at) "\tfield:u8 " name "[];\toffset:" at ";\tsize:2;\tsigned:0;\n"
#define U16_2(name, at) "\tfield:u16 " name "[];\toffset:" at ";\tsize:4;\tsigned:0;\n"

static void a_probe_prints_its_types(void **state)
{
	(void)state;
	assert_string_equal(probe(PROBE(U8("a", "16") U8("b", "17") U8("c", "18"),
					" a=%u b=0x%x c='%c'"), IP "\20\20A", 11),
			    "\"a\":16,\"b\":\"0x10\",\"c\":\"A\"}");
	/* behind text with quotes, and of arrays */
	assert_string_equal(probe(PROBE(U8_2("a", "16") U16_2("b", "18") U8_2("c", "22"),
					" a={0x%x,0x%x} b={0x%x,0x%x} c={'%c','%c'}"),
				  IP "\1\2\3\0\4\0AB", 16),
			    "\"a\":\"01 02\",\"b\":[\"0x3\",\"0x4\"],\"c\":\"AB\"}");
}

static void a_print_format_of_other_fields_changes_nothing(void **state)
{
	(void)state;
	/* another name, another order, no quote, an end within, no brackets */
	assert_string_equal(probe(PROBE(U8("a", "16"), " b=0x%x"), IP "\20", 9), "\"a\":16}");
	assert_string_equal(probe(PROBE(U8("a", "16") U8("b", "17"), " b=0x%x a=0x%x"),
				  IP "\20\20", 10), "\"a\":16,\"b\":16}");
	assert_string_equal(probe(HEAD "\tfield:unsigned long __probe_ip;\toffset:8;\tsize:8;"
				  "\tsigned:0;\n" U8("a", "16") "print fmt: a=0x%x",
				  IP "\20", 9), "\"a\":16}");
	assert_string_equal(probe(HEAD "\tfield:unsigned long __probe_ip;\toffset:8;\tsize:8;"
				  "\tsigned:0;\n" U8("a", "16") "print fmt: \"(%lx",
				  IP "\20", 9), "\"a\":16}");
	assert_string_equal(probe(HEAD "\tfield:unsigned long __probe_ip;\toffset:8;\tsize:8;"
				  "\tsigned:0;\n" U8("a", "16") "print fmt: \"(%lx) a",
				  IP "\20", 9), "\"a\":16}");
}

static void assert_begins(const char *text, const char *prefix)
{
	char begin[128];

	snprintf(begin, sizeof(begin), "%.*s", (int)strlen(prefix), text);
	assert_string_equal(begin, prefix);
}

#define TEXTS "__data_loc char[][2] x"

static void each_text_of_an_array_has_a_location(void **state)
{
	(void)state;
	assert_string_equal(ONE(TEXTS, 8, 1, "\20\0\3\0\23\0\2\0ab\0c\0"),
			    "{\"x\":[\"ab\",\"c\"]}");
	assert_string_equal(ONE("__data_loc char[][1] x", 4, 1, "\14\0\2\0a\0"),
			    "{\"x\":[\"a\"]}");
	assert_string_equal(ONE(TEXTS, 8, 1, "\20\0\0\0\20\0\2\0c\0"),
			    "{\"x\":[\"\",\"c\"]}");
	/* one of them behind the end; no room for the locations */
	assert_begins(ONE(TEXTS, 8, 1, "\20\0\2\0\20\0\1\0a"),
		      "{\"x\":[null,\"a\"],\"meta\":{\"error\"");
	assert_begins(ONE(TEXTS, 8, 1, "\20\0\2\0"), "{\"x\":null,\"meta\":{\"error\"");
	/* all have the same bytes, as no kernel writes them */
	assert_begins(ONE("__data_loc char[][3] x", 12, 1,
			  "\24\0\7\0\24\0\7\0\24\0\7\0abcdefg"),
		      "{\"x\":[\"abcdefg\",\"abcdefg\",null],\"meta\":{\"error\"");
	assert_begins(ONE("__data_loc char[][9999] x", 4000000000u, 1, "\20\0\2\0"),
		      "{\"x\":null,\"meta\":{\"error\"");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_format_file_is_read),
		cmocka_unit_test(types_have_their_names),
		cmocka_unit_test(the_kernel_reports_the_sign_of_a_value_of_another_size),
		cmocka_unit_test(text_ends_at_its_nul),
		cmocka_unit_test(bytes_render_as_in_eventheader),
		cmocka_unit_test(no_field_replaces_the_members_of_the_event),
		cmocka_unit_test(latin1_needs_a_flag),
		cmocka_unit_test(arrays_have_the_type_of_their_field),
		cmocka_unit_test(locations_are_followed),
		cmocka_unit_test(a_missing_field_is_null),
		cmocka_unit_test(a_field_beyond_all_bounds_is_in_no_record),
		cmocka_unit_test(the_other_fields_are_shown),
		cmocka_unit_test(a_definition_equals_its_format_file),
		cmocka_unit_test(the_byte_order_is_the_recordings),
		cmocka_unit_test(an_eventheader_event_is_recognised),
		cmocka_unit_test(other_members_of_meta_equal_the_names),
		cmocka_unit_test(fields_that_do_not_fit_are_counted),
		cmocka_unit_test(a_probe_prints_its_types),
		cmocka_unit_test(a_print_format_of_other_fields_changes_nothing),
		cmocka_unit_test(each_text_of_an_array_has_a_location),
		cmocka_unit_test(malformed_descriptions_are_rejected),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
