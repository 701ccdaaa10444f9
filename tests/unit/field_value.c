/* SPDX-License-Identifier: MIT */
/* Values of fields: their order, their hashes, and the names that find them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/events/field.h"
#include "test.h"

static struct value whole(int64_t number)
{
	return (struct value){ .type = VALUE_SIGNED, .whole = number };
}

static struct value natural(uint64_t number)
{
	return (struct value){ .type = VALUE_UNSIGNED, .whole = (int64_t)number };
}

static struct value real(double number)
{
	return (struct value){ .type = VALUE_FLOAT, .number = number };
}

static struct value text(const char *text)
{
	return (struct value){ .type = VALUE_TEXT, .text = text, .length = strlen(text) };
}

/* In ascending order, those of one row equal. */
static void values_have_one_order(void **state)
{
	const struct value rows[][3] = {
		{ real(NAN), real(-NAN), real(NAN) },
		{ real(-INFINITY), real(-INFINITY), real(-INFINITY) },
		{ real(-0x1p64), real(-0x1p64), real(-0x1p64) },
		{ whole(INT64_MIN), real(-0x1p63), whole(INT64_MIN) },
		{ whole(INT64_MIN + 1), whole(INT64_MIN + 1), whole(INT64_MIN + 1) },
		{ real(-1.5), real(-1.5), real(-1.5) },
		{ whole(-1), real(-1), whole(-1) },
		{ real(-0.5), real(-0.5), real(-0.5) },
		{ whole(0), natural(0), real(-0.0) },
		{ real(0.5), real(0.5), real(0.5) },
		{ natural(1), whole(1), { .type = VALUE_BOOLEAN, .whole = 1 } },
		{ natural(9007199254740992), real(0x1p53), whole(9007199254740992) },
		{ natural(9007199254740993), whole(9007199254740993),
		  natural(9007199254740993) },
		{ whole(INT64_MAX), natural(INT64_MAX), whole(INT64_MAX) },
		{ natural(0x8000000000000000), real(0x1p63), natural(0x8000000000000000) },
		{ natural(UINT64_MAX), natural(UINT64_MAX), natural(UINT64_MAX) },
		{ real(0x1p64), real(0x1p64), real(0x1p64) },
		{ real(INFINITY), real(INFINITY), real(INFINITY) },
		{ text(""), text(""), text("") },
		{ text("a"), text("a"), text("a") },
		{ text("a\xff"), text("a\xff"), text("a\xff") },
		{ text("ab"), text("ab"), text("ab") },
	};
	const size_t count = sizeof(rows) / sizeof(rows[0]);

	(void)state;
	for (size_t i = 0; i < count * 3; i++) {
		for (size_t j = 0; j < count * 3; j++) {
			const struct value *one = &rows[i / 3][i % 3];
			const struct value *other = &rows[j / 3][j % 3];
			const int expected = (i / 3 > j / 3) - (i / 3 < j / 3);
			const int order = value_compare(one, other);

			if (i / 3 >= 20 || j / 3 >= 20)
				continue;
			assert_int_equal((order > 0) - (order < 0), expected);
			if (!expected)
				assert_true(value_hash(one) == value_hash(other));
		}
	}
	assert_true(value_compare(&rows[20][0], &rows[21][0]) > 0); /* by bytes */
	assert_true(value_compare(&rows[19][0], &rows[21][0]) < 0);
	assert_true(value_hash(&rows[19][0]) != value_hash(&rows[21][0]));
}

static void put(const struct value *value, const char *expected)
{
	struct bytes bytes = { 0 };

	value_put(value, &bytes);
	bytes_add(&bytes, "", 1);
	assert_string_equal((char *)bytes.at, expected);
	bytes_free(&bytes);
}

static void values_are_shown(void **state)
{
	struct value value = { .type = VALUE_BYTES, .text = "\x00\xfe", .length = 2 };

	(void)state;
	put(&value, "00fe");
	value = text("a\x1b[1mb");
	put(&value, "a\\u001b[1mb");
	value = text("\xc2\x9b" "1m \x9b" "1m \xe2\x82\x9b \xc3\xa4\x9b");
	put(&value, "\\u009b1m \\u009b1m \xe2\x82\x9b \xc3\xa4\\u009b");
	value = text("\"C:\\\xe2\x80\xae");
	put(&value, "\\\"C:\\\\\\u202e");
	value = whole(INT64_MIN);
	put(&value, "-9223372036854775808");
	value = natural(UINT64_MAX);
	put(&value, "18446744073709551615");
	value = real(0.1);
	put(&value, "0.1");
	value = whole(-1);
	value.spelling = SPELT_TIME;
	put(&value, "1969-12-31T23:59:59Z");
	value = whole(2);
	value.spelling = SPELT_ERRNO;
	put(&value, "ENOENT(2)");
	value = natural(255);
	value.spelling = SPELT_HEX;
	put(&value, "0xFF");
	value = (struct value){ .type = VALUE_BOOLEAN, .whole = 1 };
	put(&value, "true");
	value = (struct value){ .type = VALUE_NONE };
	put(&value, "-");
}

static void names_are_parsed(void **state)
{
	static const struct {
		const char *text;
		size_t length, steps;
		enum property property;
	} right[] = {
		{ "status", 6, 1, PROPERTY_NONE },
		{ "status==3", 6, 1, PROPERTY_NONE },
		{ "a.b.c", 5, 3, PROPERTY_NONE },
		{ "a[0].b", 6, 3, PROPERTY_NONE },
		{ "a[65535]", 8, 2, PROPERTY_NONE },
		{ "pid", 3, 1, PROPERTY_PID },
		{ "meta.pid", 8, 0, PROPERTY_PID },
		{ "meta.other", 10, 2, PROPERTY_NONE },
		{ "meta[0]", 7, 2, PROPERTY_NONE },
		{ "`a b`.c", 7, 2, PROPERTY_NONE },
		{ "`pid`", 5, 1, PROPERTY_NONE },
		{ "relatedActivity", 15, 1, PROPERTY_RELATED_ACTIVITY },
		{ "\xc3\xa4", 2, 1, PROPERTY_NONE },
	};
	static const char *const wrong[] = {
		"", " a", "3", "[0]", "a.", "a[", "a[]", "a[-1]", "a[1", "a[65536]", "a[ 1]",
		"a.[0]", "``", "`a", "a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p.q",
		"a[18446744073709551617]",
	};
	struct field field;
	const char *problem;

	(void)state;
	for (size_t i = 0; i < sizeof(right) / sizeof(right[0]); i++) {
		assert_int_equal(field_parse(&field, right[i].text, &problem), right[i].length);
		assert_int_equal(field.count, right[i].steps);
		assert_int_equal(field.property, right[i].property);
		field_free(&field);
	}
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_int_equal(field_parse(&field, wrong[i], &problem), 0);
}

/* A record of a definition; the fields that a name finds in it, as they are shown. */
static void show(struct event *event, const char *name, const char *expected)
{
	struct field field;
	struct value value;

	assert_int_equal(field_parse_word(&field, name), 0);
	field_get(&field, event, &value);
	put(&value, expected);
	field_free(&field);
}

static void fields_of_classic_events_are_found(void **state)
{
	static const uint8_t bytes[] = {
		200, 0, 0, 0,		/* status */
		0xfe, 0xff,		/* delta */
		'a', 'b', 0,		/* verb */
		9, 8,			/* blob */
		7, 0, 0, 0,		/* pid */
	};
	struct tracepoint *tracepoint = tracepoint_define(
		"done u32 status; s16 delta; char[3] verb; unsigned char[2] blob; u32 pid", 0);
	struct record record = {
		.bytes = bytes,
		.length = sizeof(bytes),
		.sample = { .present = UE_META_PID | UE_META_COMM, .pid = 12, .comm = "shop" },
	};
	struct event_kinds kinds = { 0 };
	struct event event;

	(void)state;
	assert_non_null(tracepoint);
	tracepoint->has_no_common = 1;
	record.tracepoint = tracepoint;
	event_read(&event, &record, &kinds);
	assert_string_equal(event.kind->shown, "user_events:done");
	show(&event, "status", "200");
	show(&event, "delta", "-2");
	show(&event, "verb", "ab");
	show(&event, "blob", "0908");
	show(&event, "blob[1]", "8");
	show(&event, "blob[2]", "-");
	show(&event, "pid", "7");
	show(&event, "meta.pid", "12");
	show(&event, "comm", "shop");
	show(&event, "tid", "-");
	show(&event, "level", "-");
	show(&event, "event", "done");
	show(&event, "provider", "user_events");
	show(&event, "status.x", "-");
	show(&event, "nothing", "-");
	event_kinds_free(&kinds);
	tracepoint_free(tracepoint);
}

/* Names of files and records may be any bytes, and any number of them. */
static void kinds_are_bounded(void **state)
{
	struct event_kinds kinds = { 0 };
	const struct event_kind *first, *kind;
	char name[16];

	(void)state;
	first = event_kind_find(&kinds, "s", "t", "p\x1b", 2, "n", 1, 1);
	assert_string_equal(first->shown, "p?:n");
	for (int i = 0; i < 70000; i++) {
		int length = snprintf(name, sizeof(name), "%d", i);

		kind = event_kind_find(&kinds, "s", "t", "p", 1, name, (size_t)length, 1);
		assert_true(kind->number < EVENT_KINDS_MAX);
	}
	assert_int_equal(kinds.count, EVENT_KINDS_MAX);
	assert_string_equal(kind->shown, "(others)");
	assert_ptr_equal(event_kind_find(&kinds, "s", "t", "p\x1b", 2, "n", 1, 1), first);
	assert_ptr_not_equal(event_kind_find(&kinds, "other", "t", "p", 1, "n", 1, 1), first);
	event_kinds_free(&kinds);
}

static void names_of_kinds_are_bounded(void **state)
{
	static char name[60000];
	struct event_kinds kinds = { 0 };
	const char *globs[] = { "Shop:*" };
	const struct words words = { .items = globs, .count = 1 };
	struct event_kind *kind;

	(void)state;
	memset(name, 'x', sizeof(name));
	for (int i = 0; i < 1000; i++) {
		memcpy(name, &i, sizeof(i));
		kind = event_kind_find(&kinds, "s", "t", "p", 1, name, sizeof(name), 1);
	}
	assert_true(kinds.count > 100 && kinds.count < 150);
	assert_string_equal(kind->shown, "(others)");
	assert_true(event_kind_matches(kind, &words));
	assert_false(event_kind_matches(kinds.items[0], &words));
	event_kinds_free(&kinds);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_of_kinds_are_bounded),
		cmocka_unit_test(values_have_one_order),
		cmocka_unit_test(values_are_shown),
		cmocka_unit_test(names_are_parsed),
		cmocka_unit_test(fields_of_classic_events_are_found),
		cmocka_unit_test(kinds_are_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
