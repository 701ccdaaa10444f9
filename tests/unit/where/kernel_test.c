/* SPDX-License-Identifier: MIT */
/* Expressions, and what of them goes to the kernel. */
#include "events.h"

#include <stdlib.h>
#include <string.h>

#include "common/records/byte_cursor.h"

#define BOTH (WHERE_KERNEL_TEXT | WHERE_KERNEL_TID)

struct row {
	const char *expression;
	const char *filter; /* NULL: nothing */
};

#define NOTHING_PASSES "CPU < 0"

/* Expressions about user_events:order (events.c). */
static const struct row classic[] = {
	{ "status == 404", "status == 404" },
	{ "status != 404", "status != 404" },
	{ "status < 404", "status < 404" },
	{ "status <= 404", "status <= 404" },
	{ "status > 404", "status > 404" },
	{ "status >= 404", "status >= 404" },
	{ "status & 4", "status & 4" },
	{ "!(status == 404)", "status != 404" },
	{ "!(status != 404)", "status == 404" },
	{ "!(status < 404)", "status >= 404" },
	{ "!(status <= 404)", "status > 404" },
	{ "!(status > 404)", "status <= 404" },
	{ "!(status >= 404)", "status < 404" },
	{ "!(status & 4)", "!status & 4" },
	{ "status == 0x194", "status == 404" },
	{ "status == true", "status == 1" },
	{ "delta == -5", "delta == -5" },
	{ "delta == -9223372036854775808", "delta == -9223372036854775808" },
	{ "id == 18446744073709551615", "id == 18446744073709551615" },
	/* beyond the range of the field, which the kernel would cut */
	{ "small == 300", NOTHING_PASSES },
	{ "small != 300", NULL },
	{ "small < 300", NULL },
	{ "small > 300", NOTHING_PASSES },
	{ "small >= 0", "small >= 0" },
	{ "small >= -1", NULL },
	{ "small < -1", NOTHING_PASSES },
	{ "small & 0x1ff", "small & 255" },
	{ "small & 0x100", NOTHING_PASSES },
	{ "!(small & 0x100)", NULL },
	{ "tiny == 200", NOTHING_PASSES },
	{ "tiny & 64", "tiny & 64" },
	{ "tiny & 128", NULL },
	{ "delta & -1", NULL },
	/* with decimals */
	{ "status == 404.0", "status == 404" },
	{ "status == 404.5", NOTHING_PASSES },
	{ "status != 404.5", NULL },
	{ "status < 404.5", "status <= 404" },
	{ "status <= 404.5", "status <= 404" },
	{ "status > 404.5", "status > 404" },
	{ "status >= 404.5", "status > 404" },
	{ "status < 1e30", NULL },
	{ "delta > -0.5", "delta > -1" },
	/* Text: an array */
	{ "verb == GET", "verb == \"GET\"" },
	{ "verb != GET", "verb != \"GET\"" },
	{ "verb == 'a\"b'", "verb == 'a\"b'" },
	{ "verb == \"caf\xc3\xa9\"", NULL },
	{ "verb ~ \"G*\"", "verb ~ \"\\G*\"" },
	{ "verb ~ \"*T\"", "verb ~ \"*\\T*\"" },
	{ "verb ~ \"1*\"", "verb ~ \"\\1*\"" },
	{ "verb ~ \"?[ab]T\"", "verb ~ \"?*?*\\T*\"" },
	{ "verb ~ \"a**b\"", "verb ~ \"\\a*b*\"" },
	{ "verb ~ *", NULL },
	{ "!(verb ~ \"G*\")", NULL },
	/* dynamic text */
	{ "path == /x", "path == \"/x\"" },
	{ "path == ''", "path == \"\" || !path ~ \"*\"" },
	{ "path != /x", NULL }, /* "/x" and a NUL and more is not "/x" */
	{ "path ~ \"/x/*\"", "path ~ \"\\/x/*\"" },
	{ "path ~ \"*/x\"", "path ~ \"*\\/x\"" },
	{ "path ~ \"\\*\\?!\"", "path ~ \"\\*\\?\\!\"" },
	{ "path ~ \"\\\\*\\\\?!\"", "path ~ \"\\\\*\\\\?*\\!\"" },
	{ "!(path ~ \"*/x\")", "!path ~ \"*\\/x\" || !path ~ \"*\"" },
	{ "!(path ~ \"?x\")", NULL },
	{ "path ~ \"\xc3\xa9x\"", "path ~ \"?*\\x\"" },
	/* what the first event will show to be a fault */
	{ "path == 5", NULL },
	{ "status == abc", NULL },
	{ "status ~ 4*", NULL },
	{ "raw == 00ff", NULL },
	{ "raw[1] == 255", NULL },
	/* Names that the event lacks */
	{ "nothing == 1", NOTHING_PASSES },
	{ "!(nothing == 1)", NOTHING_PASSES },
	{ "level <= warning", NOTHING_PASSES },
	{ "activity != 01234567-89ab-cdef-0123-456789abcdef", NOTHING_PASSES },
	/* Properties */
	{ "pid == 10", NULL },
	{ "tid == 10", "common_pid == 10" },
	{ "tid != 10", "common_pid != 10" },
	{ "tid == -1", NOTHING_PASSES },
	{ "tid & 0xffffffff", "common_pid & 2147483647" },
	{ "cpu == 3", "CPU == 3" },
	{ "meta.cpu >= 3", "CPU >= 3" },
	{ "cpu & 3", NULL },
	{ "comm == bash", "comm == \"bash\"" },
	{ "!(comm ~ \"b*\")", "!comm ~ \"\\b*\"" },
	{ "!(comm ~ \"*\")", NOTHING_PASSES },
	{ "comm ~ \"*sh\"", "comm ~ \"*\\sh\"" },
	{ "time > 5", NULL },
	{ "provider == user_events", NULL },
	{ "provider == Shop", NOTHING_PASSES },
	{ "event == order", NULL },
	{ "event ~ \"*:orders\"", NOTHING_PASSES },
	{ "event != order", NOTHING_PASSES },
	/* Joints */
	{ "status == 1 && id == 2", "status == 1 && id == 2" },
	{ "status == 1 || id == 2", "status == 1 || id == 2" },
	{ "status == 1 && pid == 2", "status == 1" },
	{ "status == 1 || pid == 2", NULL },
	{ "!(status == 1 || pid == 2)", "status != 1" },
	{ "!(status == 1 && pid == 2)", NULL },
	{ "status == 1 && nothing == 2", NOTHING_PASSES },
	{ "status == 1 || nothing == 2", "status == 1" },
	{ "(status == 1 || id == 2) && tiny == 3", "(status == 1 || id == 2) && tiny == 3" },
	{ "status == 1 || id == 2 && tiny == 3", "status == 1 || id == 2 && tiny == 3" },
	{ "status == 1 && (id == 2 || tiny == 3)", "status == 1 && (id == 2 || tiny == 3)" },
	{ "status == 1 && (id == 2 || pid == 3)", "status == 1" },
	{ "status == 1 && (id == 2 || nothing == 3)", "status == 1 && id == 2" },
	{ "status == 1 && path != x", "status == 1" },
	{ "status == 1 && path == ''", "status == 1 && (path == \"\" || !path ~ \"*\")" },
	{ "status == 1 || (id == 2 || tiny == 3)", "status == 1 || id == 2 || tiny == 3" },
	{ "event == order && comm == a || event == other && comm == b", "comm == \"a\"" },
};

/* Expressions about Shop_L3K1f. */
static const struct row eventheader[] = {
	{ "status == 1", NULL },
	{ "level > 3", NULL }, /* it may have a field of this name */
	{ "meta.level > 3", NOTHING_PASSES },
	{ "meta.level <= warning", NULL },
	{ "!(meta.level <= warning)", NOTHING_PASSES },
	{ "meta.level == warning && meta.comm == x", "comm == \"x\"" },
	{ "meta.keyword & 0x20", NOTHING_PASSES },
	{ "meta.keyword & 0x10", NULL },
	{ "meta.provider == Shop", NULL },
	{ "meta.provider == user_events", NULL },
	{ "meta.provider == Other", NOTHING_PASSES },
	{ "meta.event == Order", NULL },
	{ "meta.opcode == start", NULL },
	{ "meta.tid == 5", "common_pid == 5" },
	{ "tid == 5", NULL },
};

static void compare(const struct row *row, const struct tracepoint *tracepoint,
		    unsigned abilities)
{
	struct where *where = where_parse(row->expression);
	char *filter;

	assert_non_null(where);
	filter = where_for_kernel_able(where, tracepoint, abilities);
	if (!filter != !row->filter || (filter && strcmp(filter, row->filter)))
		fail_msg("%s: %s, not %s", row->expression, filter ? filter : "nothing",
			 row->filter ? row->filter : "nothing");
	free(filter);
	where_free(where);
}

static void the_kernel_gets_what_it_decides_alike(void **state)
{
	const struct tracepoint *tracepoint = usual_event('c')->record.tracepoint;

	(void)state;
	for (size_t i = 0; i < sizeof(classic) / sizeof(classic[0]); i++)
		compare(&classic[i], tracepoint, BOTH);
	tracepoint = usual_event('e')->record.tracepoint;
	for (size_t i = 0; i < sizeof(eventheader) / sizeof(eventheader[0]); i++)
		compare(&eventheader[i], tracepoint, BOTH);
}

static void fields_hide_properties_from_the_kernel_too(void **state)
{
	static const struct row rows[] = {
		{ "pid == 5", "pid == 5" },
		{ "event == 5", "event == 5" },
		{ "meta.comm == a", "COMM == \"a\"" },
		{ "cpu == 5", "cpu == 5" },
		{ "meta.cpu == 5", "common_cpu == 5" },
		{ "tid == 5", "common_pid == 5" },
		{ "meta.level == 5", "common_cpu < 0" },
	};
	static const char format[] =
		"name: hidden\nID: 5\nformat:\n"
		"\tfield:u32 pid;\toffset:8;\tsize:4;\tsigned:0;\n"
		"\tfield:u32 event;\toffset:12;\tsize:4;\tsigned:0;\n"
		"\tfield:u32 cpu;\toffset:16;\tsize:4;\tsigned:0;\n"
		"\tfield:u32 CPU;\toffset:20;\tsize:4;\tsigned:0;\n"
		"\tfield:u32 comm;\toffset:24;\tsize:4;\tsigned:0;\n"
		"\nprint fmt: \"\"\n";
	struct tracepoint *tracepoint =
		tracepoint_new("sched", "hidden", format, strlen(format),
			       HOST_IS_BIG_ENDIAN);

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct where *where = where_parse(rows[i].expression);
		char *filter;

		assert_non_null(where);
		filter = where_for_kernel_able(where, tracepoint, BOTH);
		if (rows[i].filter)
			assert_string_equal(filter, rows[i].filter);
		else
			assert_null(filter);
		free(filter);
		where_free(where);
	}
	tracepoint_free(tracepoint);
}

/* There are fields of this kind; and one char is a number there, as a pointer to char is text. */
static void fields_that_the_kernel_reads_differently_stay_here(void **state)
{
	static const char format[] =
		"name: odd\nID: 5\nformat:\n"
		"\tfield:u32 twice;\toffset:8;\tsize:4;\tsigned:0;\n"
		"\tfield:u32 twice;\toffset:12;\tsize:4;\tsigned:0;\n"
		"\tfield:char letter;\toffset:16;\tsize:1;\tsigned:1;\n"
		"\tfield:const char * name;\toffset:24;\tsize:8;\tsigned:0;\n"
		"\tfield:float real;\toffset:32;\tsize:4;\tsigned:0;\n"
		"\tfield:u32 a-b;\toffset:36;\tsize:4;\tsigned:0;\n"
		"\tfield:u32 right;\toffset:40;\tsize:4;\tsigned:0;\n"
		"\nprint fmt: \"\"\n";
	static const struct row rows[] = {
		{ "twice == 5", NULL },	 { "letter == a", NULL },   { "letter == 5", NULL },
		{ "name == 0x5", NULL }, { "real == 1", NULL },	    { "`a-b` == 5", NULL },
		{ "right == 5", "right == 5" },
	};
	struct tracepoint *tracepoint =
		tracepoint_new("sched", "odd", format, strlen(format),
			       HOST_IS_BIG_ENDIAN);

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		compare(&rows[i], tracepoint, BOTH);
	tracepoint->format.big_endian = !tracepoint->format.big_endian;
	compare(&(struct row){ "right == 5", NULL }, tracepoint, BOTH);
	tracepoint_free(tracepoint);
}

/* Linux 6.1 takes text of user events for numbers; in a namespace, pids are others. */
static void abilities_are_respected(void **state)
{
	static const struct row rows[] = {
		{ "verb == GET && status == 1", "status == 1" },
		{ "path ~ \"/x*\" || status == 1", NULL },
		{ "comm == bash && path == /x", "comm == \"bash\"" },
		{ "tid == 5", NULL },
	};
	const struct tracepoint *tracepoint = usual_event('c')->record.tracepoint;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		compare(&rows[i], tracepoint, 0);
	compare(&(struct row){ "tid == 5 && verb == GET", "verb == \"GET\"" }, tracepoint,
		WHERE_KERNEL_TEXT);
	assert_int_equal(where_kernel_abilities() & ~(unsigned)BOTH, 0);
}

/* More than a page: nothing. */
static void long_filters_stay_here(void **state)
{
	char text[8192] = "status == 1";
	struct where *where;

	(void)state;
	while (strlen(text) < 5000)
		strcat(text, " || status == 1");
	where = where_parse(text);
	assert_non_null(where);
	assert_null(where_for_kernel(where, usual_event('c')->record.tracepoint));
	where_free(where);
}

/* The kernel may filter all events out, so no name can be missed by them. */
static void names_of_the_tracepoint_are_not_reported(void **state)
{
	struct where *where = where_parse("path == x && pid == 1 && nothing == 2");

	(void)state;
	assert_non_null(where);
	free(where_for_kernel(where, usual_event('c')->record.tracepoint));
	assert_int_equal(where_passes(where, &usual_event('h')->event), 0);
	errors_begin();
	assert_int_equal(where_report(where), 1);
	assert_string_equal(errors_end(), "userevents: no event has a field \"nothing\"\n");
	where_free(where);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_kernel_gets_what_it_decides_alike),
		cmocka_unit_test(fields_hide_properties_from_the_kernel_too),
		cmocka_unit_test(fields_that_the_kernel_reads_differently_stay_here),
		cmocka_unit_test(abilities_are_respected),
		cmocka_unit_test(long_filters_stay_here),
		cmocka_unit_test(names_of_the_tracepoint_are_not_reported),
	};

	return cmocka_run_group_tests(tests, NULL, events_end);
}
