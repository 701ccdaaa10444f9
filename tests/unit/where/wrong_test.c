/* SPDX-License-Identifier: MIT */
/* Wrong expressions, and the sentence and the place of the caret for each. */
#include "events.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct row {
	const char *expression;
	size_t column; /* of the caret */
	const char *sentence;
	const char *shown; /* NULL: the expression */
};

/* Sentences that are expected more than once. */
#define VALUE \
	"an operator and a value are expected after a name, such as != 0"
#define JOIN \
	"&& or || is expected between comparisons; text with blanks or " \
	"other special characters is written in quotes"
#define BACKWARDS \
	"the name of a field is expected; the value comes after the " \
	"operator"
#define INDEX \
	"an element is [0], [1], and so on up to [65535]"
#define NAME \
	"the name of a field is expected"
#define BITS \
	"the number does not fit into 64 bits"
#define TEXT \
	"text is compared with ==, != or ~; a number has no quotes"
#define GREATER \
	"> takes a number: write 17, 0x11, -1 or 0.5, without quotes"
#define TIME \
	"a time is 19:22:03.5, a date, 2026-01-31, " \
	"2026-01-31T12:00 or 2026-01-31T12:00:00.5Z, seconds, 853.5, or -10s before the end"

/* Wrong whatever the events are. */
static const struct row wrong[] = {
	{ "", 0, "it is empty; write NAME == VALUE, for example status >= 500", NULL },
	{ "  ", 2, "it is empty; write NAME == VALUE, for example status >= 500", NULL },
	{ "()", 1, "a comparison is expected after \"(\"", NULL },
	{ "status", 6, VALUE, NULL },
	{ "!status", 7, VALUE, NULL },
	{ "status && id == 1", 7, VALUE, NULL },
	{ "(status)", 7, VALUE, NULL },
	{ "status == 1 &&", 14, "a comparison is expected after \"&&\"", NULL },
	{ "status == 1 || ", 15, "a comparison is expected after \"||\"", NULL },
	{ "&& status == 1", 0, "a comparison is expected at the beginning", NULL },
	{ "status == 1 && && id == 2", 15,
	  "a comparison is expected after \"&&\"", NULL },
	{ "status == 1 & id == 2", 12,
	  "\"and\" between comparisons is written &&", NULL },
	{ "status == 1 | id == 2", 12, "\"or\" between comparisons is written ||", NULL },
	{ "status == 1 and id == 2", 12,
	  "\"and\" between comparisons is written &&", NULL },
	{ "status == 1 OR id == 2", 12,
	  "\"or\" between comparisons is written ||", NULL },
	{ "status == 1 id == 2", 12, JOIN, NULL },
	{ "status == 1 o", 12, JOIN, NULL },
	{ "status == 1 order == 2", 12, JOIN, NULL },
	{ "status == 1, id == 2", 13, JOIN, NULL },
	{ "(status == 1", 0, "the parenthesis is not closed", NULL },
	{ "a == 1 && ((status == 1 || b == 2)", 10,
	  "the parenthesis is not closed", NULL },
	{ "status == 1)", 11, "the parenthesis has no \"(\"", NULL },
	{ "(status == 1))", 13, "the parenthesis has no \"(\"", NULL },
	{ "!", 1, "a comparison is expected after \"!\"", NULL },
	{ "!!", 2, "a comparison is expected after \"!\"", NULL },
	{ "status = 1", 7, "\"=\" is not an operator; write ==", NULL },
	{ "status =~ x", 7, "\"=~\" is not an operator; a glob is matched by ~", NULL },
	{ "status !~ x", 7, "\"!~\" is not an operator; write !(NAME ~ \"GLOB\")", NULL },
	{ "status <> 1", 7, "\"<>\" is not an operator; write !=", NULL },
	{ "status === 1", 7, "\"===\" is not an operator; write ==", NULL },
	{ "status == == 1", 10,
	  "a value is expected after an operator; operators are == != < <= > >= & ~", NULL },
	{ "status == !1", 10, "a value is expected; \"!\" comes before a name", NULL },
	{ "status == ", 10, "a value is expected after \"==\"", NULL },
	{ "(status == )", 11, "a value is expected after \"==\"", NULL },
	{ "status == && id == 1", 10, "a value is expected after \"==\"", NULL },
	{ "status ^ 1", 7,
	  "an operator is expected after a name: == != < <= > >= & or ~", NULL },
	{ "status | 1", 7, "\"|\" is not an operator; write || for \"or\"", NULL },
	{ "status is 1", 7,
	  "an operator is expected after a name: == != < <= > >= & or ~", NULL },
	{ "status in (1, 2)", 7,
	  "an operator is expected after a name: == != < <= > >= & or ~", NULL },
	{ "1 < status < 5", 0, BACKWARDS, NULL },
	{ "status < 5 < id", 11,
	  "a comparison has one operator; join comparisons with && or ||", NULL },
	{ "5 == status", 0, BACKWARDS, NULL },
	{ "\"GET\" == verb", 0, BACKWARDS, NULL },
	{ "-5 < delta", 0, BACKWARDS, NULL },
	{ "verb == \"GET", 8, "the quote is not closed", NULL },
	{ "verb == 'GET\"", 8, "the quote is not closed", NULL },
	{ "verb == GET POST", 12, JOIN, NULL },
	{ "path == /a;b", 10, JOIN, NULL },
	{ "path == $HOME", 8, "a value is a number, a word, or text in quotes", NULL },
	{ "path == (a)", 8, "a value is a number, a word, or text in quotes", NULL },
	{ "user-id == 5", 4,
	  "a name with other characters than letters, digits and _ is written in "
	  "backquotes, `a-b`", NULL },
	{ "a:b == 5", 1,
	  "a name with other characters than letters, digits and _ is written in "
	  "backquotes, `a-b`", NULL },
	{ "`user id == 5", 0, "the name has no closing `", NULL },
	{ "`` == 5", 0, NAME, NULL },
	{ "a. == 5", 0, NAME, NULL },
	{ "a.5 == 5", 0, NAME, NULL },
	{ "a..b == 5", 0, NAME, NULL },
	{ "a[ == 5", 0, INDEX, NULL },
	{ "a[x] == 5", 0, INDEX, NULL },
	{ "a[-1] == 5", 0, INDEX, NULL },
	{ "a[1 == 5", 0, INDEX, NULL },
	{ "a[65536] == 5", 0, INDEX, NULL },
	{ ".a == 5", 0, NAME, NULL },
	{ "id == 18446744073709551616", 6, BITS, NULL },
	{ "id == -9223372036854775809", 6, BITS, NULL },
	{ "id == 0x10000000000000000", 6, BITS, NULL },
	{ "id < abc", 5,
	  "id is a number, 17 or 0x11; if a field of text is meant, use quotes", NULL },
	{ "status < \"abc\"", 9, TEXT, NULL },
	{ "status >= '5'", 10, TEXT, NULL },
	{ "status < null", 9, "null is compared with == or !=", NULL },
	{ "verb == \"a\\qb\"", 10, "in \"\" a backslash begins an escape of JSON; write \\\\, or "
	  "text in ''", NULL },
	{ "verb == \"\\u12g4\"", 9, "in \"\" a backslash begins an escape of JSON; write \\\\, or "
	  "text in ''", NULL },
	{ "verb == \"a\\\"", 8, "the quote is not closed", NULL },
	{ "status & 1.5", 9, "& takes a whole number", NULL },
	{ "status & x", 9,
	  "& takes a number: write 17, 0x11, -1 or 0.5, without quotes", NULL },
	{ "status > 010", 9,
	  "> takes a number: write it without zeros in front, or as 0x and hex "
	  "digits", NULL },
	{ "status > 5x", 9, GREATER, NULL },
	{ "status > --5", 9, GREATER, NULL },
	{ "status > 1.2.3", 9, GREATER, NULL },
	{ "path ~ \"a[b\"", 9,
	  "the bracket is not closed; write \\[ for the character", NULL },
	{ "path ~ \"a[\"", 9,
	  "the bracket is not closed; write \\[ for the character", NULL },
	{ "path ~ \"a[]\"", 9,
	  "the bracket is not closed; write \\[ for the character", NULL },
	{ "path ~ 'a\\'", 9, "a character is expected after the \"\\\"", NULL },
	{ "path ~ '!a'", 8,
	  "a \"!\" in front would invert the glob in the kernel; write !(NAME ~ "
	  "\"GLOB\"), or \\! for the character", NULL },
	{ "pid == foo", 7, "pid is a number, 17 or 0x11", NULL },
	{ "pid == \"5\"", 7, "pid is a number, 17 or 0x11", NULL },
	{ "pid == 1.5", 7, "pid is a number without decimals", NULL },
	{ "pid ~ 5", 6, "pid is a number, and ~ compares text", NULL },
	{ "comm == 5", 8,
	  "comm is text, and digits as text are written in quotes", NULL },
	{ "comm < a", 7, "comm is text, which is compared with ==, != or ~", NULL },
	{ "cpu == true", 7, "cpu is a number, 17 or 0x11", NULL },
	{ "meta.id == \"x\"", 11, "id is a number, 17 or 0x11", NULL },
	{ "meta.level == debug", 14,
	  "level is 1 to 255, or critical, error, warning, information or verbose, "
	  "which are 1 to 5", NULL },
	{ "level == debug", 9,
	  "level is 1 to 255, or critical, error, warning, information or verbose, "
	  "which are 1 to 5; if a field of text is meant, use quotes", NULL },
	{ "level <= fatal", 9,
	  "level is 1 to 255, or critical, error, warning, information or verbose, "
	  "which are 1 to 5; if a field of text is meant, use quotes", NULL },
	{ "opcode == begin", 10,
	  "opcode is 0 to 255, or info, start, stop, collection_start, "
	  "collection_stop, extension, reply, resume, suspend, send or receive; if "
	  "a field of text is meant, use quotes", NULL },
	{ "meta.event == 5", 14,
	  "event is text, and digits as text are written in quotes", NULL },
	{ "event < a", 8,
	  "event is text, which is compared with ==, != or ~; if a field of text is "
	  "meant, use quotes", NULL },
	{ "keyword == all", 11,
	  "keyword is a number, 17 or 0x11; if a field of text is meant, use quotes", NULL },
	{ "activity == 0123", 12,
	  "activity is a UUID, 01234567-89ab-cdef-0123-456789abcdef; if a field of "
	  "text is meant, use quotes", NULL },
	{ "activity == 01234567-89ab-cdef-0123-456789abcdeg", 12,
	  "activity is a UUID, 01234567-89ab-cdef-0123-456789abcdef; if a field of "
	  "text is meant, use quotes",
	  "activity == 01234567-89ab-cdef-0123-..." },
	{ "activity < 01234567-89ab-cdef-0123-456789abcdef", 11,
	  "activity is text, which is compared with ==, != or ~; if a field of text "
	  "is meant, use quotes",
	  "activity < 01234567-89ab-cdef-0123-..." },
	{ "time == noon", 8, "cannot parse the time \"noon\": " TIME, NULL },
	{ "time > \"2026-02-30\"", 7, "cannot parse the time \"2026-02-30\": " TIME, NULL },
	{ "time > 19:22:03", 7, "time is seconds, 853.5, or a date, '2026-01-31T12:00'", NULL },
	{ "time > -10s", 7, "time is seconds, 853.5, or a date, '2026-01-31T12:00'", NULL },
	{ "time ~ 5", 7, "time is compared with == != < <= > or >=", NULL },
	{ "time & 5", 7, "time is compared with == != < <= > or >=", NULL },
	{ "cgroup < \"a\"", 9,
	  "cgroup is text, which is compared with ==, != or ~", NULL },
	{ "status == 1 \x01 x", 12, JOIN, "status == 1 ? x" },
	{ "\x1b[31m == 1", 0, NAME, "?[31m == 1" },
	{ "verb == \"\x1b[31m", 8, "the quote is not closed", "verb == \"?[31m" },
	{ "verb == \"caf\xc3\xa9\" x", 15, JOIN, NULL },
	{ "verb == \"\xff\xfe\" x", 13, JOIN, "verb == \"??\" x" },
	{ "verb == \"\xe6\x97\xa5\xe6\x9c\xac\" x", 15, JOIN, NULL },
	{ "verb == \"\xc2\x9b\" x", 12, JOIN, "verb == \"?\" x" },
	{ "verb == \"a\tb\" x", 14, JOIN, "verb == \"a?b\" x" },
};

/* Wrong for the event that the first character names. */
static const struct row unfit[] = {
	{ "cpath == 5", 8,
	  "cannot compare field \"path\" of user_events:order with a number: it is "
	  "text; write the text in quotes", NULL },
	{ "cpath == 0x5", 8,
	  "cannot compare field \"path\" of user_events:order with a number: it is "
	  "text; write the text in quotes", NULL },
	{ "cpath < 5", 7,
	  "cannot compare field \"path\" of user_events:order with a number: it is "
	  "text; write the text in quotes", NULL },
	{ "cpath & 5", 7,
	  "cannot compare field \"path\" of user_events:order with a number: it is "
	  "text; write the text in quotes", NULL },
	{ "c!(path == -5)", 10,
	  "cannot compare field \"path\" of user_events:order with a number: it is "
	  "text; write the text in quotes", NULL },
	{ "cstatus == abc", 10,
	  "cannot compare field \"status\" of user_events:order with text: it is a "
	  "number; write 17, 0x11, -1 or 0.5, without quotes", NULL },
	{ "cstatus == \"404\"", 10,
	  "cannot compare field \"status\" of user_events:order with text: it is a "
	  "number; write 17, 0x11, -1 or 0.5, without quotes", NULL },
	{ "cstatus == 0404", 10,
	  "cannot compare field \"status\" of user_events:order with text: it is a "
	  "number; write it without zeros in front, or as 0x and hex digits", NULL },
	{ "cstatus ~ 4*", 9,
	  "cannot compare field \"status\" of user_events:order with a glob: it is "
	  "a number; ~ compares text", NULL },
	{ "craw == 5", 7,
	  "cannot compare field \"raw\" of user_events:order with a number: it is "
	  "bytes; write the bytes in hex, \"00ff\"", NULL },
	{ "craw == xyz", 7,
	  "cannot compare field \"raw\" of user_events:order with text: it is "
	  "bytes; write the bytes in hex, \"00ff\"", NULL },
	{ "craw < 5", 6,
	  "cannot compare field \"raw\" of user_events:order with a number: it is "
	  "bytes; bytes are compared with == or !=", NULL },
	{ "craw ~ 00*", 6,
	  "cannot compare field \"raw\" of user_events:order with a glob: it is "
	  "bytes; bytes are compared with == or !=", NULL },
	{ "eprice & 1", 8,
	  "cannot compare field \"price\" of Shop:Order with a number: it is a "
	  "number; & takes whole numbers", NULL },
	{ "eprice == \"9.5\"", 9,
	  "cannot compare field \"price\" of Shop:Order with text: it is a number; "
	  "write 17, 0x11, -1 or 0.5, without quotes", NULL },
	{ "epaid == \"true\"", 8,
	  "cannot compare field \"paid\" of Shop:Order with text: it is true or "
	  "false; write true or false, without quotes", NULL },
	{ "epaid == yes", 8,
	  "cannot compare field \"paid\" of Shop:Order with text: it is true or "
	  "false; write true or false, without quotes", NULL },
	{ "epaid ~ t*", 7,
	  "cannot compare field \"paid\" of Shop:Order with a glob: it is true or "
	  "false; write true or false, without quotes", NULL },
	{ "eclient == 5", 10,
	  "cannot compare field \"client\" of Shop:Order with a number: it is an "
	  "array or a struct; name an element, as a[0], or a member, as a.b", NULL },
	{ "eclient == a", 10,
	  "cannot compare field \"client\" of Shop:Order with text: it is an array "
	  "or a struct; name an element, as a[0], or a member, as a.b", NULL },
	{ "esizes == 7", 9,
	  "cannot compare field \"sizes\" of Shop:Order with a number: it is an "
	  "array or a struct; name an element, as a[0], or a member, as a.b", NULL },
	{ "esizes ~ 7", 8,
	  "cannot compare field \"sizes\" of Shop:Order with a glob: it is an array "
	  "or a struct; name an element, as a[0], or a member, as a.b", NULL },
	{ "eclient.port == http", 15,
	  "cannot compare field \"client.port\" of Shop:Order with text: it is a "
	  "number; write 17, 0x11, -1 or 0.5, without quotes", NULL },
	{ "e`user id` == x", 13,
	  "cannot compare field \"`user id`\" of Shop:Order with text: it is a "
	  "number; write 17, 0x11, -1 or 0.5, without quotes", NULL },
	{ "hlevel <= warning", 9,
	  "cannot compare field \"level\" of user_events:hiding with text: it is "
	  "text; text is compared with ==, != or ~; the property is meta.level", NULL },
	{ "hlevel == 3", 9,
	  "cannot compare field \"level\" of user_events:hiding with a number: it "
	  "is text; write the text in quotes; the property is meta.level", NULL },
	{ "htime > 2026-01-31", 7,
	  "cannot compare field \"time\" of user_events:hiding with text: it is a "
	  "number; write 17, 0x11, -1 or 0.5, without quotes; the property is "
	  "meta.time", NULL },
	{ "hevent == hiding", 9,
	  "cannot compare field \"event\" of user_events:hiding with text: it is a "
	  "number; write 17, 0x11, -1 or 0.5, without quotes; the property is "
	  "meta.event", NULL },
	{ "hid == 5", 6,
	  "cannot compare field \"id\" of user_events:hiding with a number: it is "
	  "text; write the text in quotes; the property is meta.id", NULL },
};

/* A sentence that begins with "cannot" is complete. */
static const char *expected(const struct row *row, const char *expression)
{
	static char text[8192];

	snprintf(text, sizeof(text), "userevents: %s%s\n    %s\n    %*s^\n",
		 strncmp(row->sentence, "cannot", 6) ? "cannot parse the expression: " : "",
		 row->sentence, row->shown ? row->shown : expression, (int)row->column, "");
	return text;
}

static void compare(const struct row *row, const char *expression, const char *errors)
{
	if (strcmp(errors, expected(row, expression)))
		fail_msg("%s:\n%s\nis not\n%s", expression, errors, expected(row, expression));
}

static void wrong_expressions_are_explained(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		const struct where *where;

		errors_begin();
		where = where_parse(wrong[i].expression);
		compare(&wrong[i], wrong[i].expression, errors_end());
		assert_null(where);
	}
	print_message("%zu expressions\n", sizeof(wrong) / sizeof(wrong[0]));
}

static void values_that_do_not_fit_are_explained(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(unfit) / sizeof(unfit[0]); i++) {
		struct event *event = &usual_event(*unfit[i].expression)->event;
		struct where *where = where_parse(unfit[i].expression + 1);
		int result;

		assert_non_null(where);
		errors_begin();
		result = where_passes(where, event);
		compare(&unfit[i], unfit[i].expression + 1, errors_end());
		assert_int_equal(result, -1);
		where_free(where);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wrong_expressions_are_explained),
		cmocka_unit_test(values_that_do_not_fit_are_explained),
	};

	return cmocka_run_group_tests(tests, NULL, events_end);
}
