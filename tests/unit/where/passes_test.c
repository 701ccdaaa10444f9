/* SPDX-License-Identifier: MIT */
/* Right expressions, and whether events pass them. */
#include "events.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct row {
	char event;
	int passes;
	const char *expression;
};

static const struct row rows[] = {
	/* Numbers */
	{ 'c', 1, "status == 404" },
	{ 'c', 0, "status == 405" },
	{ 'c', 0, "status != 404" },
	{ 'c', 1, "status != 405" },
	{ 'c', 1, "status < 405" },
	{ 'c', 0, "status < 404" },
	{ 'c', 1, "status <= 404" },
	{ 'c', 0, "status <= 403" },
	{ 'c', 1, "status > 403" },
	{ 'c', 0, "status > 404" },
	{ 'c', 1, "status >= 404" },
	{ 'c', 0, "status >= 405" },
	{ 'c', 1, "status == 0x194" },
	{ 'c', 1, "status == 0X194" },
	{ 'c', 1, "status==404" },
	{ 'c', 1, "\tstatus\n==\r404 " },
	{ 'c', 1, "status & 4" },
	{ 'c', 1, "status & 0x190" },
	{ 'c', 0, "status & 3" },
	{ 'c', 0, "status & 0" },
	{ 'c', 1, "status == 404.0" },
	{ 'c', 0, "status == 404.5" },
	{ 'c', 1, "status != 404.5" },
	{ 'c', 1, "status < 404.5" },
	{ 'c', 1, "status > 403.5" },
	{ 'c', 1, "status < 4.05e2" },
	{ 'c', 1, "status > -1" },
	{ 'c', 1, "status > -1e300" },
	{ 'c', 0, "status > 1e300" },
	{ 'c', 1, "status != false" },
	{ 'c', 0, "status == true" },
	/* of 64 bits, exactly */
	{ 'c', 1, "id == 18446744073709551615" },
	{ 'c', 1, "id == 0xffffffffffffffff" },
	{ 'c', 0, "id == 18446744073709551614" },
	{ 'c', 1, "id > 18446744073709551614" },
	{ 'c', 0, "id == -1" },
	{ 'c', 1, "id > -1" },
	{ 'c', 1, "id > 9223372036854775807" },
	{ 'c', 1, "id < 18446744073709551616.0" },
	{ 'c', 0, "id == 18446744073709551616.0" },
	{ 'c', 0, "id < 18446744073709549568.0" },
	{ 'c', 1, "id & 0x8000000000000000" },
	{ 'c', 1, "id & -1" },
	{ 'c', 1, "id & 9223372036854775808" },
	{ 'e', 1, "big == 18446744073709551615" },
	{ 'e', 0, "big == -1" },
	/* negative */
	{ 'c', 1, "delta == -5" },
	{ 'c', 1, "delta == -0x5" },
	{ 'c', 1, "delta < 0" },
	{ 'c', 1, "delta < 18446744073709551615" },
	{ 'c', 0, "delta == 18446744073709551611" },
	{ 'c', 1, "delta > -9223372036854775808" },
	{ 'c', 1, "delta > -5.5" },
	{ 'c', 0, "delta > -4.5" },
	{ 'c', 1, "delta & 0x8000000000000000" },
	{ 'c', 0, "delta & 4" },
	{ 'c', 1, "tiny == -100" },
	{ 'c', 0, "tiny == 156" },
	{ 'c', 1, "tiny != 156" },
	{ 'c', 1, "small == 200" },
	{ 'c', 0, "small == -56" },
	{ 'c', 0, "small == 456" },
	{ 'c', 1, "small < 300" },
	{ 'c', 1, "small != 456" },
	{ 'e', 1, "`user id` == -3" },
	{ 'e', 1, "`user id` < 0 && `status` == 500" },
	/* floating point */
	{ 'e', 1, "price == 9.5" },
	{ 'e', 1, "price > 9" },
	{ 'e', 1, "price < 10" },
	{ 'e', 0, "price == 9" },
	{ 'e', 1, "price == 95e-1" },
	{ 'e', 1, "price > .5" },
	{ 'e', 1, "price >= 9.5 && price <= 9.5" },
	{ 'e', 0, "none == 0" },
	{ 'e', 0, "none < 0" },
	{ 'e', 0, "none >= 0" },
	{ 'e', 1, "none != 0" },
	{ 'e', 1, "!(none < 0)" },
	/* true and false */
	{ 'e', 1, "paid == true" },
	{ 'e', 0, "paid == false" },
	{ 'e', 0, "paid != true" },
	{ 'e', 1, "paid == 1" },
	{ 'e', 1, "paid > 0" },
	/* Text */
	{ 'c', 1, "verb == GET" },
	{ 'c', 1, "verb == \"GET\"" },
	{ 'c', 1, "verb == 'GET'" },
	{ 'c', 0, "verb == get" },
	{ 'c', 0, "verb == GE" },
	{ 'c', 0, "verb == GETS" },
	{ 'c', 0, "verb == \"\"" },
	{ 'c', 1, "verb != \"\"" },
	{ 'c', 1, "verb != POST" },
	{ 'c', 1, "verb != \"404\"" },
	{ 'c', 1, "empty == \"\"" },
	{ 'e', 1, "nul != a && nul ~ \"?\" && nul != ab" }, /* globs see it up to the NUL */
	{ 'e', 1, "nul == \"a\\u0000b\"" },
	{ 'c', 0, "empty != ''" },
	{ 'c', 1, "path == \"/caf\xc3\xa9/a*b\"" },
	{ 'c', 1, "path == /caf\xc3\xa9/a*b" },
	{ 'c', 0, "path == /caf*" },
	{ 'e', 1, "path == /order" },
	{ 'e', 0, "path == true" },
	{ 'e', 1, "client.name == alice" },
	{ 'e', 1, "client.name == \"alice\"" },
	/* globs */
	{ 'c', 1, "verb ~ G*" },
	{ 'c', 1, "verb ~ \"*T\"" },
	{ 'c', 1, "verb ~ \"*E*\"" },
	{ 'c', 1, "verb ~ *" },
	{ 'c', 1, "verb ~ \"G?T\"" },
	{ 'c', 1, "verb ~ \"G[A-Z]T\"" },
	{ 'c', 0, "verb ~ \"G[!A-Z]T\"" },
	{ 'c', 1, "verb ~ \"G[!0-9]T\"" },
	{ 'c', 1, "verb ~ GET" },
	{ 'c', 0, "verb ~ GE" },
	{ 'c', 0, "verb ~ g*" },
	{ 'c', 0, "!(verb ~ \"G*\")" },
	{ 'c', 0, "!verb ~ \"G*\"" },
	{ 'c', 1, "!(verb ~ \"P*\")" },
	{ 'c', 1, "empty ~ *" },
	{ 'c', 1, "empty ~ ''" },
	{ 'c', 0, "empty ~ \"?\"" },
	{ 'c', 1, "path ~ \"/caf?/*\"" },
	{ 'c', 0, "path ~ \"/caf?\?/*\"" },
	{ 'c', 1, "path ~ \"*[\xc3\xa0-\xc3\xaf]*\"" },
	{ 'c', 1, "path ~ '*a\\*b'" },
	{ 'c', 0, "path ~ '*/\\*b'" },
	{ 'c', 1, "path ~ '*[*]*'" },
	{ 'c', 1, "path ~ '*/a*b'" },
	{ 'c', 1, "path ~ '*f*a*'" },
	{ 'c', 1, "path ~ '*[]*]b'" },
	{ 'c', 1, "path ~ '*[x*-]b'" },
	{ 'e', 1, "twice ~ \"*ab\" && twice ~ \"*abaab\"" }, /* begins anew at a star */
	{ 'e', 0, "path ~ 5*" },
	{ 'e', 0, "path ~ 5" },
	/* Bytes */
	{ 'c', 1, "raw == 00ff10aa" },
	{ 'c', 1, "raw == \"00ff10aa\"" },
	{ 'c', 1, "raw == \"00 ff 10 AA\"" },
	{ 'c', 1, "raw == 0x00ff10aa" },
	{ 'c', 0, "raw == 00ff10" },
	{ 'c', 0, "raw == 12345678" },
	{ 'c', 1, "raw != 12345678" },
	{ 'c', 1, "raw[1] == 255" },
	{ 'c', 0, "raw[4] == 0" },
	/* Places */
	{ 'e', 1, "client.port == 8080" },
	{ 'e', 1, "sizes[0] == 7 && sizes[1] == 8 && sizes[2] == 9" },
	{ 'e', 0, "sizes[3] >= 0" },
	{ 'e', 0, "sizes[3] < 0" },
	{ 'e', 0, "client.none == 1" },
	{ 'e', 0, "client[0] == 1" },
	{ 'e', 0, "status.a == 1" },
	/* Names that an event lacks: as null in SQL */
	{ 'c', 0, "nothing == 1" },
	{ 'c', 0, "nothing != 1" },
	{ 'c', 0, "!(nothing == 1)" },
	{ 'c', 0, "!nothing == 1" },
	{ 'c', 0, "nothing ~ *" },
	{ 'c', 0, "!(nothing ~ *)" },
	{ 'c', 1, "nothing == 1 || status == 404" },
	{ 'c', 0, "nothing == 1 && status == 404" },
	{ 'c', 1, "!(nothing == 1 && status == 1)" },
	{ 'c', 0, "!(nothing == 1 || status == 1)" },
	/* Properties */
	{ 'c', 1, "pid == 10 && tid == 11 && cpu == 3" },
	{ 'e', 1, "pid == 10 && tid == 11 && cpu == 3" },
	{ 'c', 1, "comm == worker" },
	{ 'c', 1, "comm ~ \"w*\"" },
	{ 'c', 1, "comm != bash" },
	{ 'c', 1, "meta.comm == worker" },
	{ 'c', 1, "cpu & 2" },
	{ 'c', 1, "provider == user_events" },
	{ 'c', 1, "event == order" },
	{ 'c', 1, "event == user_events:order" },
	{ 'c', 0, "event == user_events:orders" },
	{ 'c', 1, "event ~ \"user_*:or*\"" },
	{ 'c', 1, "event ~ or*" },
	{ 'e', 1, "provider == Shop" },
	{ 'e', 1, "event == Order" },
	{ 'e', 1, "event == Shop:Order" },
	{ 'e', 1, "event != Shop:Orders" },
	{ 'e', 1, "!(event == Shop:Orders)" },
	{ 'e', 1, "level == warning" },
	{ 'e', 1, "level == Warning" },
	{ 'e', 1, "level == \"warning\"" },
	{ 'e', 1, "level <= warning" },
	{ 'e', 0, "level < warning" },
	{ 'e', 1, "level >= error" },
	{ 'e', 1, "level == 3" },
	{ 'e', 1, "level < verbose && level != information && level != critical" },
	{ 'e', 1, "opcode == start" },
	{ 'e', 0, "opcode == stop" },
	{ 'e', 1, "opcode == 1" },
	{ 'e', 1, "keyword == 0x1f" },
	{ 'e', 1, "keyword & 0x10" },
	{ 'e', 0, "keyword & 0x20" },
	{ 'e', 1, "id == 7 && version == 2" },
	{ 'e', 1, "activity == 01234567-89ab-cdef-0123-456789abcdef" },
	{ 'e', 1, "activity == \"01234567-89AB-CDEF-0123-456789ABCDEF\"" },
	{ 'e', 1, "activity ~ \"01234567-*\"" },
	{ 'e', 1, "activity ~ \"*-89AB-*\"" },
	{ 'e', 0, "activity != 01234567-89ab-cdef-0123-456789abcdef" },
	{ 'e', 0, "relatedActivity == 01234567-89ab-cdef-0123-456789abcdef" },
	{ 'c', 0, "level <= warning" },
	{ 'c', 0, "!(level <= warning)" },
	{ 'c', 0, "keyword != 0" },
	{ 'c', 1, "time == 853.5" },
	{ 'c', 1, "time >= 853.5" },
	{ 'c', 0, "time < 853.5" },
	{ 'c', 1, "time < 853.500000001" },
	{ 'c', 1, "time > 853 && time < \"854\"" },
	{ 'c', 0, "time < \"2026-01-31T12:00\"" },
	{ 'c', 0, "!(time < 2026-01-31)" },
	{ 'c', 0, "cgroup == \"/x\"" },
	/* Fields hide properties */
	{ 'h', 1, "level == \"warn\"" },
	{ 'h', 0, "level == \"warning\"" },
	{ 'h', 1, "time == 5" },
	{ 'h', 1, "meta.time == 853.5" },
	{ 'h', 1, "pid == 77" },
	{ 'h', 1, "meta.pid == 10" },
	{ 'h', 1, "id == \"abc\"" },
	{ 'h', 1, "event == 9" },
	{ 'h', 1, "meta.event == hiding" },
	{ 'h', 1, "meta == 4" },
	{ 'e', 0, "id == \"abc\"" },
	{ 'e', 0, "level == \"warn\"" },
	{ 'e', 0, "event == 9" },
	/* Joints */
	{ 'c', 1, "(status == 404)" },
	{ 'c', 1, "((((status == 404))))" },
	{ 'c', 1, "!!(status == 404)" },
	{ 'c', 0, "!!!(status == 404)" },
	{ 'c', 0, "! ( status == 404 )" },
	{ 'c', 0, "!status == 404" },
	{ 'c', 1, "!status == 405" },
	{ 'c', 1, "status == 404 || status == 1 && status == 2" },
	{ 'c', 0, "(status == 404 || status == 1) && status == 2" },
	{ 'c', 1, "status == 2 && status == 1 || status == 404" },
	{ 'c', 1, "status==404&&verb==GET&&small==200" },
	{ 'c', 0, "status==404&&verb==GET&&small==201" },
	{ 'c', 1, "status==1||verb==P||small==200" },
	{ 'c', 0, "status==1||verb==P||small==201" },
	{ 'c', 1, "!(status == 1 || verb == POST)" },
	{ 'c', 0, "!(status == 1 || verb == GET)" },
	{ 'c', 1, "!(status == 404 && verb == POST)" },
	{ 'c', 0, "!(status == 404 && verb == GET)" },
	{ 'c', 1, "!(!(status == 404) || !(verb == GET))" },
	{ 'c', 1, "status == 404 && (verb == POST || small == 200) && !(tiny > 0)" },
	{ 'c', 1, "(status == 1 || (verb == GET && (small == 1 || tiny == -100)))" },
};

static void check(const struct row *row)
{
	struct event *event = &usual_event(row->event)->event;
	struct where *where;
	const char *errors;
	int passes;

	errors_begin();
	where = where_parse(row->expression);
	passes = where ? where_passes(where, event) : -2;
	where_free(where);
	errors = errors_end();
	if (passes == row->passes && !*errors)
		return;
	fail_msg("%c: %s: %d, not %d\n%s", row->event, row->expression, passes, row->passes,
		 errors);
}

static void events_pass_what_describes_them(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		check(&rows[i]);
	print_message("%zu expressions\n", sizeof(rows) / sizeof(rows[0]));
}

/* Their opposites: what is known is inverted; of what is not, neither passes. */
static void negations_of_comparisons_fail(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char text[512];
		struct row row = { rows[i].event, 0, text };

		if (!rows[i].passes)
			continue;
		snprintf(text, sizeof(text), "!(%s)", rows[i].expression);
		check(&row);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(events_pass_what_describes_them),
		cmocka_unit_test(negations_of_comparisons_fail),
	};

	return cmocka_run_group_tests(tests, NULL, events_end);
}
