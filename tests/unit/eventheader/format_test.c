/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include <errno.h>

#include <userevents/decode/render.h>

#include "../../support/json_check.h"

/* P:B;x=1, with "n": 258, "t" of tag 0x12, and an array of a struct; 2 trailing */
static const char bytes[] =
	"\7\2\1\0\64\22\1\5\x17\0\1\0"
	"B;x=1\0n\0\3t\0\212\213\x12\0s\0\301\1x\0\2"
	"\2\1\3\0a\"b\1\0\7!!";
static char out[4096];
static struct ue_reader reader;

static void begin(void)
{
	/* metadata of 6 + 3 + 6 + 4 + 3 = 22 bytes */
	static uint8_t event[sizeof(bytes) - 1];

	memcpy(event, bytes, sizeof(event));
	event[8] = 22;
	assert_int_equal(ue_reader_begin(&reader, "P_L5Kf0Gg", 9, event,
					 sizeof(event), NULL), 0);
}

static void check_json(const struct ue_render_opts *opts, const char *expected)
{
	ptrdiff_t needed;

	begin();
	needed = ue_reader_to_json(&reader, opts, out, sizeof(out));
	assert_string_equal(out, expected);
	assert_int_equal(needed, strlen(expected));
	assert_int_equal(ue_reader_error(&reader)->error, 0);
	assert_int_equal(ue_reader_trailing(&reader), 2);
}

static void defaults(void **state)
{
	(void)state;
	check_json(NULL, "{\"n\":\"P:B\",\"_n\":258,\"t;tag=0x12\":\"a\\\"b\","
			 "\"s\":[{\"x\":7}],\"meta\":{\"id\":1,\"version\":2,"
			 "\"level\":5,\"keyword\":\"0xF0\",\"opcode\":1,"
			 "\"tag\":\"0x1234\"}}");
}

static void layout(void **state)
{
	struct ue_render_opts opts = {
		.size = sizeof(opts),
		.flags = UE_RENDER_SPACE | UE_RENDER_NAME,
		.meta = UE_META_N | UE_META_ID,
	};

	(void)state;
	check_json(&opts, " \"B;x=1\": { \"n\": \"P:B\", \"_n\": 258, "
			  "\"t\": \"a\\\"b\", \"s\": [ { \"x\": 7 } ], "
			  "\"meta\": { \"id\": 1 } }");
	opts.flags = 0;
	opts.meta = UE_META_NONE;
	check_json(&opts, "{\"_n\":258,\"t\":\"a\\\"b\",\"s\":[{\"x\":7}]}");
	opts.flags = UE_RENDER_SPACE;
	opts.meta = UE_META_RELATED_ACTIVITY;
	check_json(&opts, " { \"_n\": 258, \"t\": \"a\\\"b\", \"s\": [ { \"x\": 7 "
			  "} ], \"meta\": { } }");
}

static void all_of_meta(void **state)
{
	struct ue_sample sample = {
		.size = sizeof(sample),
		.present = UE_META_TIME | UE_META_CPU | UE_META_PID | UE_META_TID |
			   UE_META_COMMON,
		.time = 853334857436,
		.cpu = 3, .pid = 4294967295, .tid = 0,
		.common_type = 1000, .common_flags = 1, .common_pid = -7,
	};
	struct ue_render_opts opts = {
		.size = sizeof(opts),
		.meta = 0x1fffff & ~UE_META_N & ~0xe000u,
		.sample = &sample,
	};

	(void)state;
	begin();
	check_json(&opts,
		   "{\"common_type\":1000,\"common_flags\":1,"
		   "\"common_preempt_count\":0,\"common_pid\":-7,\"_n\":258,"
		   "\"t\":\"a\\\"b\",\"s\":[{\"x\":7}],\"meta\":{"
		   "\"time\":853.334857436,\"cpu\":3,\"pid\":4294967295,\"tid\":0,"
		   "\"provider\":\"P\",\"event\":\"B;x=1\",\"id\":1,\"version\":2,"
		   "\"level\":5,\"keyword\":\"0xF0\",\"opcode\":1,"
		   "\"tag\":\"0x1234\",\"options\":\"Gg\",\"flags\":\"0x7\"}}");
	opts.meta = UE_META_TIME;
	sample.is_wall_clock = 1;
	sample.time = -1;
	check_json(&opts, "{\"_n\":258,\"t\":\"a\\\"b\",\"s\":[{\"x\":7}],\"meta\":{"
			  "\"time\":\"1969-12-31T23:59:59.999999999Z\"}}");
	sample.is_wall_clock = 0;
	sample.present = 0;
	check_json(&opts, "{\"_n\":258,\"t\":\"a\\\"b\",\"s\":[{\"x\":7}]}");
}

static void the_sample_has_comm_cgroup_and_lost(void **state)
{
	struct ue_sample sample = {
		.size = sizeof(sample),
		.present = UE_META_COMM | UE_META_LOST | UE_META_CGROUP,
		.lost = 3, .comm = "a\"b", .cgroup = "/shop.slice/\x1b[2J",
	};
	struct ue_render_opts opts = {
		.size = sizeof(opts), .sample = &sample,
		.meta = UE_META_COMM | UE_META_LOST | UE_META_CGROUP,
	};

	(void)state;
	begin();
	check_json(&opts, "{\"_n\":258,\"t\":\"a\\\"b\",\"s\":[{\"x\":7}],\"meta\":{"
			  "\"comm\":\"a\\\"b\","
			  "\"cgroup\":\"/shop.slice/\\u001b[2J\",\"lost\":3}}");
	sample.present = UE_META_CGROUP;
	ue_reader_to_text(&reader, &opts, out, sizeof(out));
	assert_string_equal(out, "n=258 t=\"a\\\"b\" s=[{x=7}] "
				 "meta={cgroup=\"/shop.slice/\\u001b[2J\"}");
}

/* A program that was built before there was a cgroup has a shorter struct. */
static void a_sample_of_an_earlier_version_has_no_cgroup(void **state)
{
	struct ue_sample sample = {
		.size = offsetof(struct ue_sample, cgroup),
		.present = UE_META_COMM, .comm = "a",
		.cgroup = (const char *)1, /* not the library's to read */
	};
	struct ue_render_opts opts = { .size = sizeof(opts), .sample = &sample };

	(void)state;
	begin();
	opts.meta = UE_META_COMM | UE_META_CGROUP;
	check_json(&opts, "{\"_n\":258,\"t\":\"a\\\"b\",\"s\":[{\"x\":7}],"
			  "\"meta\":{\"comm\":\"a\"}}");
	sample.present |= UE_META_CGROUP;
	assert_int_equal(ue_reader_to_json(&reader, &opts, out, 9), -EINVAL);
	sample = (struct ue_sample){ .size = sizeof(sample), .present = UE_META_CGROUP };
	assert_int_equal(ue_reader_to_json(&reader, &opts, out, 9), -EINVAL);
}

static void nested(void **state)
{
	struct ue_sample sample = { .size = sizeof(sample),
				    .present = UE_META_TIME | UE_META_PID | UE_META_COMM,
				    .time = 1500000000, .pid = 7, .comm = "a\x1b" };
	struct ue_render_opts opts = { .size = sizeof(opts),
				       .flags = UE_RENDER_NESTED,
				       .meta = UE_META_N | UE_META_TIME | UE_META_PID |
					       UE_META_COMM | UE_META_LEVEL,
				       .sample = &sample };

	(void)state;
	check_json(&opts, "{\"provider\":\"P\",\"event\":\"B\",\"time\":1.500000000,"
			  "\"pid\":7,\"comm\":\"a\\u001b\",\"level\":5,\"fields\":{"
			  "\"n\":258,\"t\":\"a\\\"b\",\"s\":[{\"x\":7}]}}");
	opts.meta = UE_META_EVENT;
	check_json(&opts, "{\"event\":\"B;x=1\",\"fields\":{\"n\":258,"
			  "\"t\":\"a\\\"b\",\"s\":[{\"x\":7}]}}");
	opts.meta = UE_META_N | UE_META_EVENT;
	check_json(&opts, "{\"provider\":\"P\",\"event\":\"B;x=1\",\"fields\":{\"n\":258,"
			  "\"t\":\"a\\\"b\",\"s\":[{\"x\":7}]}}");
	opts.meta = UE_META_NONE;
	opts.flags |= UE_RENDER_NAME | UE_RENDER_SPACE;
	check_json(&opts, " \"B;x=1\": { \"fields\": { \"n\": 258, \"t\": \"a\\\"b\", "
			  "\"s\": [ { \"x\": 7 } ] } }");
}

static void text(void **state)
{
	struct ue_sample sample = { .size = sizeof(sample),
				    .present = UE_META_TIME,
				    .time = -1500000000 };
	struct ue_render_opts opts = { .size = sizeof(opts),
				       .meta = UE_META_N | UE_META_TIME,
				       .sample = &sample };

	(void)state;
	begin();
	ue_reader_to_text(&reader, &opts, out, sizeof(out));
	assert_string_equal(out, "P:B n=258 t=\"a\\\"b\" s=[{x=7}] "
				 "meta={time=-1.500000000}");
	ue_reader_to_text(&reader, NULL, out, sizeof(out));
	assert_string_equal(out, "P:B n=258 \"t;tag=0x12\"=\"a\\\"b\" s=[{x=7}] "
				 "meta={id=1 version=2 level=verbose "
				 "keyword=0xF0 opcode=start tag=0x1234}");
}

static void every_size(void **state)
{
	ptrdiff_t needed;
	char whole[512];

	(void)state;
	begin();
	needed = ue_reader_to_json(&reader, NULL, whole, sizeof(whole));
	assert_int_equal(ue_reader_to_json(&reader, NULL, NULL, 0), needed);
	for (size_t size = 1; size < sizeof(out) && size < 400; size++) {
		memset(out, 'x', sizeof(out));
		assert_int_equal(ue_reader_to_json(&reader, NULL, out, size),
				 needed);
		assert_true(strlen(out) == (size > (size_t)needed ?
						    (size_t)needed : size - 1));
		assert_memory_equal(out, whole, strlen(out));
		assert_int_equal(out[size], 'x');
	}
}

/* Every member that has a largest value has it. */
static void the_longest_meta_fits(void **state)
{
	static const char event[] =
		"\7\377\377\377\377\377\377\377"
		"\x20\0\2\x80" "0123456789abcdefghijklmnopqrstuv"
		"\2\0\1\0" "B";
	static const char name[] = "P_LffKffffffffffffffff";
	struct ue_sample sample = {
		.size = sizeof(sample),
		.present = UE_META_TIME | UE_META_CPU | UE_META_PID | UE_META_TID,
		.time = INT64_MAX, .is_wall_clock = 1,
		.cpu = UINT32_MAX, .pid = UINT32_MAX, .tid = UINT32_MAX,
	};
	struct ue_render_opts opts = {
		.size = sizeof(opts),
		.flags = UE_RENDER_SPACE,
		.meta = (UE_META_DEFAULT & ~UE_META_N) | UE_META_FLAGS,
		.sample = &sample,
	};
	char whole[512];
	ptrdiff_t needed;

	(void)state;
	assert_int_equal(ue_reader_begin(&reader, name, strlen(name), event,
					 sizeof(event), NULL), 0);
	needed = ue_reader_to_json(&reader, &opts, whole, sizeof(whole));
	assert_int_equal(needed, strlen(whole));
	assert_non_null(strstr(whole, "\"flags\": \"0x7\" } }"));
	assert_int_equal(ue_reader_to_json(&reader, &opts, NULL, 0), needed);
	for (size_t size = 1; size < sizeof(whole); size++) {
		memset(out, 'x', sizeof(out));
		assert_int_equal(ue_reader_to_json(&reader, &opts, out, size), needed);
		assert_int_equal(out[size], 'x');
	}
}

static void cut_between_characters(void **state)
{
	struct ue_value value = { .bytes = (const uint8_t *)"a\xe2\x82\xac\xc3\xa9",
				  .length = 6,
				  .encoding = UE_ENCODING_ZSTRING_CHAR8 };
	static const size_t lengths[] = { 0, 0, 1, 1, 1, 4, 4, 6 };

	(void)state;
	for (size_t size = 1; size < 8; size++) {
		assert_int_equal(ue_value_to_text(&value, 0, out, size), 6);
		assert_int_equal(strlen(out), lengths[size]);
	}
}

static void items(void **state)
{
	struct ue_render_opts named = { .size = sizeof(named),
					.flags = UE_RENDER_NAME | UE_RENDER_TAGS };
	struct ue_reader copy;

	(void)state;
	begin();
	assert_int_equal(ue_reader_item_to_json(&reader, NULL, out, sizeof(out)), -ENOENT);
	ue_reader_next(&reader);
	assert_int_equal(ue_reader_item_to_json(&reader, NULL, out, sizeof(out)), 3);
	assert_string_equal(out, "258");
	ue_reader_next(&reader);
	ue_reader_item_to_json(&reader, &named, out, sizeof(out));
	assert_string_equal(out, "\"t;tag=0x12\":\"a\\\"b\"");
	ue_reader_next(&reader);
	copy = reader;
	ue_reader_item_to_json(&copy, NULL, out, sizeof(out));
	assert_string_equal(out, "[{\"x\":7}]");
	assert_int_equal(ue_reader_next(&copy), UE_ITEM_END);
	copy = reader;
	assert_int_equal(ue_reader_next(&copy), UE_ITEM_STRUCT_BEGIN);
	ue_reader_item_to_json(&copy, &named, out, sizeof(out));
	assert_string_equal(out, "{\"x\":7}");
	assert_int_equal(ue_reader_next(&copy), UE_ITEM_ARRAY_END);
	assert_int_equal(ue_reader_item_to_json(&copy, NULL, out, sizeof(out)), -ENOENT);
}

static void values(void **state)
{
	struct ue_value value = { .bytes = (const uint8_t *)"a\n\"\x7f",
				  .length = 4,
				  .encoding = UE_ENCODING_ZSTRING_CHAR8 };

	(void)state;
	ue_value_to_text(&value, 0, out, sizeof(out));
	assert_string_equal(out, "a\n\"\x7f");
	ue_value_to_text(&value, UE_RENDER_ESCAPE, out, sizeof(out));
	assert_string_equal(out, "a\\n\\\"\\u007f");
	assert_int_equal(ue_value_to_text(&value, UE_RENDER_NAME, out, 9), -EINVAL);
	value.encoding = UE_ENCODING_VALUE8;
	assert_int_equal(ue_value_to_text(&value, 0, out, 9), -EINVAL);
	assert_int_equal(ue_value_to_json(&value, out, 9), -EINVAL);
	value.encoding = UE_ENCODING_STRUCT;
	assert_int_equal(ue_value_to_json(&value, out, 9), -EINVAL);
	value.encoding = 200;
	assert_int_equal(ue_value_to_json(&value, out, 9), -EINVAL);
}

/* Whatever the byte order of the event. */
static void a_port_is_in_network_order(void **state)
{
	struct ue_value value = { .bytes = (const uint8_t *)"\0\120", .length = 2,
				  .encoding = UE_ENCODING_VALUE16,
				  .format = UE_FORMAT_PORT };
	uint64_t number;
	int64_t s;

	(void)state;
	for (value.big_endian = 0; value.big_endian <= 1; value.big_endian++) {
		assert_int_equal(ue_value_u64(&value, &number), 0);
		assert_int_equal(number, 80);
		assert_int_equal(ue_value_s64(&value, &s), 0);
		assert_int_equal(s, 80);
		ue_value_to_text(&value, 0, out, sizeof(out));
		assert_string_equal(out, "80");
	}
}

static void malformed_options(void **state)
{
	struct {
		struct ue_render_opts opts;
		char later[4];
	} longer = { .opts = { .size = sizeof(longer) } };
	struct ue_sample sample = { .size = 4 };
	struct ue_render_opts opts = { .size = 4 };

	(void)state;
	begin();
	assert_int_equal(ue_reader_to_json(&reader, &opts, out, 9), -EINVAL);
	opts = (struct ue_render_opts){ .size = sizeof(opts), .flags = 1u << 9 };
	assert_int_equal(ue_reader_to_json(&reader, &opts, out, 9), -EINVAL);
	opts = (struct ue_render_opts){ .size = sizeof(opts), .meta = 1u << 30 };
	assert_int_equal(ue_reader_to_text(&reader, &opts, out, 9), -EINVAL);
	opts = (struct ue_render_opts){ .size = sizeof(opts), .sample = &sample };
	assert_int_equal(ue_reader_to_json(&reader, &opts, out, 9), -EINVAL);
	assert_true(ue_reader_to_json(&reader, &longer.opts, out, 9) > 0);
	longer.later[0] = 1;
	assert_int_equal(ue_reader_to_json(&reader, &longer.opts, out, 9), -E2BIG);
}

/* Tests the checker of this test: it must reject invalid JSON. */
static void validator(void **state)
{
	static const char *const good[] = { "0", "-1.5e+03", "[]", "{ }", "\"\\u00e9\"",
					    "[{\"a\":[1,2,{}]},null]", "\"\xc3\xa9\"" };
	static const char *const bad[] = { "", "01", "1.", "nan", "[1,]", "{\"a\"}",
					   "[1}", "\"\\x\"", "\"\n\"", "\"\xc3\"",
					   "\"\xed\xa0\x80\"", "1 2", "[", "\"" };

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		assert_int_equal(json_wrong(good[i], strlen(good[i])), 0);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_not_equal(json_wrong(bad[i], strlen(bad[i])), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(defaults),
		cmocka_unit_test(layout),
		cmocka_unit_test(all_of_meta),
		cmocka_unit_test(the_sample_has_comm_cgroup_and_lost),
		cmocka_unit_test(a_sample_of_an_earlier_version_has_no_cgroup),
		cmocka_unit_test(nested),
		cmocka_unit_test(text),
		cmocka_unit_test(every_size),
		cmocka_unit_test(the_longest_meta_fits),
		cmocka_unit_test(cut_between_characters),
		cmocka_unit_test(items),
		cmocka_unit_test(values),
		cmocka_unit_test(a_port_is_in_network_order),
		cmocka_unit_test(malformed_options),
		cmocka_unit_test(validator),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
