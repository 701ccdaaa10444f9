/* SPDX-License-Identifier: MIT */
/* Long expressions, and reports after the last event. */
#include "events.h"

#include <stdio.h>
#include <string.h>

/* Long ones */

static const char *repeated(const char *text, unsigned times, const char *joint)
{
	static char result[1 << 20];
	size_t length = 0;

	for (unsigned i = 0; i < times; i++) {
		strcpy(result + length, i ? joint : "");
		strcat(result + length, text);
		length += strlen(result + length);
	}
	return result;
}

static const char *errors_of(const char *expression)
{
	struct where *where;

	errors_begin();
	where = where_parse(expression);
	where_free(where);
	return errors_end();
}

static void size_is_limited(void **state)
{
	char text[4096];

	(void)state;
	assert_string_equal(errors_of(repeated("a == 1", 1024, "||")), "");
	assert_string_equal(errors_of(repeated("a==1", 1025, "||")),
			    "userevents: cannot parse the expression: it has more than 1024 "
			    "comparisons\n"
			    "    ...a==1||a==1||a==1||a==1||a==1||a==1||a==1||a==1||a==1\n"
			    "                                                       ^\n");
	assert_string_equal(errors_of(repeated("!", 60000, "")) + 12,
			    "cannot parse the expression: a comparison is expected "
			    "after \"!\"\n"
			    "    ...!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!\n"
			    "                                                       ^\n");
	assert_non_null(strstr(errors_of(repeated("x", 65536, "")), "more than 65535 bytes"));
	assert_non_null(strstr(errors_of(repeated("(", 65, "")), "nested more than 64 deep\n"));
	strcpy(text, repeated("!(", 64, ""));
	strcat(text, "a == 1");
	strcat(text, repeated(")", 64, ""));
	assert_string_equal(errors_of(text), "");
}

static void a_part_of_a_long_expression_is_shown(void **state)
{
	char text[4096];

	(void)state;
	strcpy(text, repeated("name == \"caf\xc3\xa9\"", 20, " || "));
	strcat(text, " || name = 1 || ");
	strcat(text, repeated("name == \"\xe6\x97\xa5\xe6\x9c\xac\"", 20, " || "));
	assert_string_equal(errors_of(text),
			    "userevents: cannot parse the expression: \"=\" is not an "
			    "operator; write ==\n"
			    "    ...f\xc3\xa9\" || name == \"caf\xc3\xa9\" || name == \"caf\xc3\xa9\" || "
			    "name = 1 || name == \"\xe6\x97\xa5\xe6\x9c\xac\" ||...\n"
			    "                                                       ^\n");
}

/* At the end */

static const char *report_of(const char *expression, const char *events)
{
	struct where *where;
	int is_reported;
	const char *errors;

	for (const char *event = events; *event; event++)
		usual_event(*event);
	errors_begin();
	where = where_parse(expression);
	for (; *events; events++)
		where_passes(where, &usual_event(*events)->event);
	is_reported = where_report(where);
	where_free(where);
	errors = errors_end();
	assert_int_equal(is_reported, *errors != '\0');
	return errors;
}

static void names_that_no_event_had_are_reported(void **state)
{
	static const char *const rows[][3] = {
		{ "pth == x", "c", "no event has a field \"pth\"; did you mean \"path\"?" },
		{ "pth != x && !(pth == y)", "ce",
		  "no event has a field \"pth\"; did you mean \"path\"?" },
		/* unevaluated parts are checked too */
		{ "id == 1 && statsu == 5", "c",
		  "no event has a field \"statsu\"; did you mean \"status\"?" },
		{ "zzzzzzzz == 1", "ce", "no event has a field \"zzzzzzzz\"" },
		{ "client.prot == 1", "e", "no event has a field \"client.prot\"; did you mean "
					   "\"port\"?" },
		{ "size[0] == 1", "e", "no event has a field \"size[0]\"; did you mean "
				       "\"sizes\"?" },
		{ "sizes[3] == 1", "e", "no event has a field \"sizes[3]\"" },
		{ "level == 5", "c", "no event has the property \"level\", which events of "
				     "EventHeader tracepoints have" },
		{ "level == \"debug\"", "ce", "no event has a field \"level\"; its value is not "
					      "one of the property level" },
		{ "time > 2026-01-31", "c", "the times of events cannot be compared with those "
					    "in the expression: one is a date, the other "
					    "seconds of the recording's clock" },
		{ "pth == x", "", NULL },
		{ "pth == x || path == x", "", NULL },
		{ "path == x || id == 1", "c", NULL },
		{ "level == 5", "ce", NULL },
		{ "client.port == 1 && small == 1", "ce", NULL },
	};
	char text[512];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		snprintf(text, sizeof(text), "%s%s%s", rows[i][2] ? "userevents: " : "",
			 rows[i][2] ? rows[i][2] : "", rows[i][2] ? "\n" : "");
		assert_string_equal(report_of(rows[i][0], rows[i][1]), text);
	}
	assert_string_equal(report_of("aaaaaaa == 1 && bbbbbbb == 2", "c"),
			    "userevents: no event has a field \"aaaaaaa\"\n"
			    "userevents: no event has a field \"bbbbbbb\"\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(size_is_limited),
		cmocka_unit_test(a_part_of_a_long_expression_is_shown),
		cmocka_unit_test(names_that_no_event_had_are_reported),
	};

	return cmocka_run_group_tests(tests, NULL, events_end);
}
