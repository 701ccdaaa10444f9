/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include <errno.h>
#include <stdio.h>

#include <userevents/decode/render.h>

#include "read/cursor.h"

/* An event in little endian, put together part by part. */
struct event {
	uint8_t bytes[200000];
	size_t length;
};

static struct event event;
static struct ue_reader reader;

static void put(const void *bytes, size_t length)
{
	memcpy(event.bytes + event.length, bytes, length);
	event.length += length;
}

static void put16(unsigned int value)
{
	uint8_t bytes[2] = { (uint8_t)value, (uint8_t)(value >> 8) };

	put(bytes, 2);
}

static void begin_event(void)
{
	event.length = 0;
	put("\7\0\0\0\0\0\0\5\0\0\1\0E", 14);
}

static void end_fields(void)
{
	size_t length = event.length;

	event.length = 8;
	put16((unsigned int)length - 12);
	event.length = length;
}

static int read_event(const struct ue_reader_opts *opts)
{
	return ue_reader_begin(&reader, "P_L5K0", 6, event.bytes, event.length,
			       opts);
}

static void many_fields(void **state)
{
	uint64_t value;

	(void)state;
	begin_event();
	for (int i = 0; i < 300; i++)
		put("f\0\2", 3);
	end_fields();
	for (int i = 0; i < 300; i++)
		put(&(uint8_t){ (uint8_t)i }, 1);
	assert_int_equal(read_event(NULL), 0);
	for (int i = 0; i < 300; i++) {
		assert_int_equal(ue_reader_next(&reader), UE_ITEM_VALUE);
		assert_int_equal(ue_value_u64(&ue_reader_item(&reader)->value, &value), 0);
		assert_int_equal(value, i & 255);
	}
	assert_int_equal(ue_reader_next(&reader), UE_ITEM_END);
	assert_int_equal(ue_reader_next(&reader), UE_ITEM_END);
}

static void long_names(void **state)
{
	char name[301];

	(void)state;
	memset(name, 'n', 300);
	name[300] = '\0';
	begin_event();
	put(name, 301);
	put("\2", 1);
	end_fields();
	put("\1", 1);
	read_event(NULL);
	assert_int_equal(ue_reader_next(&reader), UE_ITEM_VALUE);
	assert_int_equal(ue_reader_item(&reader)->name_length, 300);
	assert_memory_equal(ue_reader_item(&reader)->name, name, 300);
}

static void long_arrays(void **state)
{
	static const uint8_t zeros[65535];

	(void)state;
	begin_event();
	put("a\0\102z\0\107", 6); /* u8, zstring */
	end_fields();
	put16(65535);
	put(zeros, 65535);
	put16(5000);
	put(zeros, 5000);
	read_event(NULL);
	assert_int_equal(ue_reader_next(&reader), UE_ITEM_ARRAY_BEGIN);
	assert_int_equal(ue_reader_item(&reader)->count, 65535);
	assert_int_equal(ue_reader_item(&reader)->element_size, 1);
	assert_int_equal(ue_reader_item(&reader)->value.length, 65535);
	for (uint32_t i = 0; i < 65535; i++) {
		assert_int_equal(ue_reader_next(&reader), UE_ITEM_VALUE);
		assert_int_equal(ue_reader_item(&reader)->index, i);
		assert_true(ue_reader_item(&reader)->is_element);
	}
	assert_int_equal(ue_reader_next(&reader), UE_ITEM_ARRAY_END);
	assert_int_equal(ue_reader_next(&reader), UE_ITEM_ARRAY_BEGIN);
	assert_int_equal(ue_reader_next_sibling(&reader), UE_ITEM_END);
	assert_int_equal(ue_reader_rewind(&reader), 0);
	assert_int_equal(ue_reader_next_sibling(&reader), UE_ITEM_ARRAY_BEGIN);
	assert_int_equal(ue_reader_next_sibling(&reader), UE_ITEM_ARRAY_BEGIN);
	assert_int_equal(ue_reader_next_sibling(&reader), UE_ITEM_END);
}

static void siblings(void **state)
{
	(void)state;
	begin_event();
	put("o\0\301\2i\0\201\1a\0\2b\0\2c\0\2", 17);
	end_fields();
	put("\2\0\1\2\3\4\5!", 8);
	read_event(NULL);
	assert_int_equal(ue_reader_next(&reader), UE_ITEM_ARRAY_BEGIN);
	assert_int_equal(ue_reader_next(&reader), UE_ITEM_STRUCT_BEGIN);
	assert_int_equal(ue_reader_item(&reader)->depth, 0);
	assert_int_equal(ue_reader_item(&reader)->members, 2);
	assert_int_equal(ue_reader_next(&reader), UE_ITEM_STRUCT_BEGIN);
	assert_int_equal(ue_reader_item(&reader)->depth, 1);
	/* from one struct over its members, then from the next over the rest */
	assert_int_equal(ue_reader_next_sibling(&reader), UE_ITEM_VALUE);
	assert_memory_equal(ue_reader_item(&reader)->name, "b", 1);
	assert_int_equal(ue_reader_next(&reader), UE_ITEM_STRUCT_END);
	assert_int_equal(ue_reader_next(&reader), UE_ITEM_STRUCT_BEGIN);
	assert_int_equal(ue_reader_item(&reader)->index, 1);
	assert_int_equal(ue_reader_next_sibling(&reader), UE_ITEM_ARRAY_END);
	assert_int_equal(ue_reader_next(&reader), UE_ITEM_VALUE);
	assert_int_equal(ue_reader_item(&reader)->value.bytes[0], 5);
	assert_int_equal(ue_reader_next(&reader), UE_ITEM_END);
	assert_int_equal(ue_reader_trailing(&reader), 1);
}

static void definitions(void **state)
{
	(void)state;
	begin_event();
	put("s\0\301\2a\0\242\3\2\0b\0\212\213\64\22c\0\2", 19);
	end_fields();
	read_event(NULL);
	assert_int_equal(ue_reader_next_field(&reader), UE_ITEM_ARRAY_BEGIN);
	assert_int_equal(ue_reader_item(&reader)->members, 2);
	assert_int_equal(ue_reader_item(&reader)->count, 0);
	assert_int_equal(ue_reader_next_field(&reader), UE_ITEM_ARRAY_BEGIN);
	assert_int_equal(ue_reader_item(&reader)->count, 2);
	assert_int_equal(ue_reader_item(&reader)->value.format, UE_FORMAT_HEX_INT);
	assert_int_equal(ue_reader_next_field(&reader), UE_ITEM_VALUE);
	assert_int_equal(ue_reader_item(&reader)->tag, 0x1234);
	assert_int_equal(ue_reader_item(&reader)->value.format, UE_FORMAT_STRING_UTF);
	/* there is nothing to be shown, and no value */
	assert_int_equal(ue_reader_item_to_json(&reader, NULL, NULL, 0), -ENOENT);
	assert_int_equal(ue_reader_next_field(&reader), UE_ITEM_VALUE);
	assert_int_equal(ue_reader_next_field(&reader), UE_ITEM_END);
	assert_int_equal(ue_reader_next_field(&reader), UE_ITEM_END);
}

static void numbers(void **state)
{
	static const uint8_t bytes[] = { 0xff, 0xfe, 0, 0, 0, 0, 0xe0, 0x3f };
	struct ue_value value = { .bytes = bytes, .length = 2,
				  .encoding = UE_ENCODING_VALUE16 };
	uint64_t u = 0;
	int64_t s = 0;
	double d = 0;

	(void)state;
	assert_int_equal(ue_value_u64(&value, &u), 0);
	assert_int_equal(u, 0xfeff);
	assert_int_equal(ue_value_s64(&value, &s), 0);
	assert_int_equal(s, -257);
	value.big_endian = 1;
	ue_value_u64(&value, &u);
	assert_int_equal(u, 0xfffe);
	value.big_endian = 0;
	value.format = UE_FORMAT_PORT;
	ue_value_u64(&value, &u);
	assert_int_equal(u, 0xfffe);
	assert_int_equal(ue_value_f64(&value, &d), -EINVAL);
	value = (struct ue_value){ .bytes = bytes, .length = 8,
				   .encoding = UE_ENCODING_VALUE64 };
	assert_int_equal(ue_value_f64(&value, &d), 0);
	assert_true(d > 0.5 && d < 0.500001);
	value.length = 3;
	assert_int_equal(ue_value_u64(&value, &u), -EINVAL);
	value.length = 4;
	value.encoding = UE_ENCODING_ZSTRING_CHAR8;
	assert_int_equal(ue_value_s64(&value, &s), -EINVAL);
}

static void multi_format(void **state)
{
	struct ue_reader_opts opts = { .size = sizeof(opts),
				       .flags = UE_READER_MULTI_FORMAT };

	(void)state;
	begin_event();
	end_fields();
	assert_int_equal(ue_reader_begin(&reader, "P_L5K0.1f", 9, event.bytes,
					 event.length, &opts), 0);
	assert_int_equal(ue_reader_info(&reader)->tracepoint_length, 6);
	assert_int_equal(ue_reader_begin(&reader, "P_L5K0", 6, event.bytes,
					 event.length, &opts), 0);
	assert_int_equal(ue_reader_begin(&reader, "P_L5K0.", 7, event.bytes,
					 event.length, &opts), -EOPNOTSUPP);
	assert_int_equal(ue_reader_begin(&reader, "P_L5K0.1f", 9, event.bytes,
					 event.length, NULL), -EOPNOTSUPP);
	assert_int_equal(ue_reader_error(&reader)->fault, UE_FAULT_NAME_OPTIONS);
}

static void options(void **state)
{
	struct {
		struct ue_reader_opts opts;
		char later[8];
	} longer = { .opts = { .size = sizeof(longer) } };
	struct ue_reader_opts opts = { .size = sizeof(opts) - 1 };

	(void)state;
	begin_event();
	put("a\0\2b\0\2", 6);
	end_fields();
	put("\1\2", 2);
	assert_int_equal(read_event(&longer.opts), 0);
	longer.later[7] = 1;
	assert_int_equal(read_event(&longer.opts), -E2BIG);
	assert_int_equal(read_event(&opts), -EINVAL);
	opts.size = sizeof(opts);
	opts.flags = 1u << 31;
	assert_int_equal(read_event(&opts), -EINVAL);
	assert_int_equal(ue_reader_next(&reader), -EINVAL);
	opts.flags = 0;
	opts.steps_max = 2;
	assert_int_equal(read_event(&opts), 0);
	assert_int_equal(ue_reader_next(&reader), UE_ITEM_VALUE);
	assert_int_equal(ue_reader_next(&reader), -E2BIG);
	assert_int_equal(ue_reader_next(&reader), -E2BIG);
	assert_int_equal(ue_reader_error(&reader)->fault, UE_FAULT_STEP_LIMIT);
}

static void empty_event(void **state)
{
	(void)state;
	assert_int_equal(ue_reader_begin(&reader, NULL, 0, NULL, 0, NULL), -EINVAL);
	assert_int_equal(ue_reader_next_sibling(&reader), -EINVAL);
	assert_int_equal(ue_reader_next_field(&reader), -EINVAL);
	assert_int_equal(ue_reader_rewind(&reader), -EINVAL);
	assert_string_equal(ue_reader_error(&reader)->name, "event_too_short");
}

/*
 * Elements of one array, each with an empty array of structs of many members: to skip the
 * members again each time would be quadratic.
 */
static long steps_of(unsigned int count)
{
	begin_event();
	put("o\0\301\1i\0\301\177", 8);
	for (int i = 0; i < 127; i++)
		put("m\0\2", 3);
	end_fields();
	put16(count);
	for (unsigned int i = 0; i < count; i++)
		put16(0);
	assert_int_equal(read_event(NULL), 0);
	while (ue_reader_next(&reader) > 0)
		;
	assert_int_equal(ue_reader_error(&reader)->error, 0);
	return (long)((ue__own(&reader)->steps_max - ue__own(&reader)->steps) / 16);
}

static void empty_arrays_are_skipped_once(void **state)
{
	long few = steps_of(1000), many = steps_of(30000);

	(void)state;
	assert_true(many < 31 * few);
	assert_true(many < 3L * 30000 + 1000);
}

/* Many such arrays side by side, more than the reader remembers: an error, not a
 * delay. */
static void work_is_limited(void **state)
{
	uint64_t limit;

	(void)state;
	begin_event();
	put("o\0\301\177", 4);
	for (int i = 0; i < 126; i++) {
		put("i\0\301\177", 4);
		for (int j = 0; j < 127; j++)
			put("\0\2", 2);
	}
	end_fields();
	put16(65535);
	while (event.length < 150000)
		put16(0);
	limit = UE_READER_STEPS_DEFAULT(event.length);
	read_event(NULL);
	for (uint64_t items = 0; ue_reader_next(&reader) > 0; items++)
		assert_true(items < 3 * limit);
	assert_true(ue_reader_error(&reader)->error < 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(many_fields),
		cmocka_unit_test(long_names),
		cmocka_unit_test(long_arrays),
		cmocka_unit_test(siblings),
		cmocka_unit_test(definitions),
		cmocka_unit_test(numbers),
		cmocka_unit_test(multi_format),
		cmocka_unit_test(options),
		cmocka_unit_test(empty_event),
		cmocka_unit_test(empty_arrays_are_skipped_once),
		cmocka_unit_test(work_is_limited),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
