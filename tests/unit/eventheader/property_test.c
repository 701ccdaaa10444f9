/* SPDX-License-Identifier: MIT */
/* The reader reads back every written event. */
#include "unit.h"

#include <userevents/decode/render.h>

#include "random_event.h"

#define EVENTS 3000

static struct random_event event;
static struct ue_reader reader;

static void check_item(const struct ue_item *item,
		       const struct expected_item *expected)
{
	assert_int_equal(item->kind, expected->kind);
	assert_int_equal(item->name_length, strlen(expected->name));
	assert_memory_equal(item->name, expected->name, item->name_length);
	assert_int_equal(item->tag, expected->tag);
	assert_int_equal(item->value.encoding, expected->encoding);
	assert_int_equal(item->value.format, expected->format);
	assert_int_equal(item->count, expected->count);
	if (item->kind != UE_ITEM_STRUCT_END || item->array)
		assert_int_equal(item->index, expected->index);
	if (item->kind != UE_ITEM_VALUE)
		return;
	assert_int_equal(item->offset, expected->offset);
	assert_int_equal(item->value.length, expected->length);
	assert_ptr_equal(item->value.bytes, event.bytes + expected->offset);
}

static void read_equals_written(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= EVENTS; seed++) {
		random_event(&event, seed);
		assert_int_equal(ue_reader_begin(&reader, "P_L5K0", 6, event.bytes,
						 event.length, NULL), 0);
		for (size_t i = 0; i < event.count; i++) {
			assert_int_equal(ue_reader_next(&reader),
					 event.items[i].kind);
			check_item(ue_reader_item(&reader), &event.items[i]);
		}
		assert_int_equal(ue_reader_next(&reader), UE_ITEM_END);
		assert_int_equal(ue_reader_trailing(&reader), 0);
	}
}

/*
 * The builder writes the same bytes as the other writer, and the reader reads them back.
 * All events use one builder, so each meets the remains of another.
 */
static void built_equals_written(void **state)
{
	struct ue_builder *builder = ue_builder_new();
	int count = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= EVENTS; seed++) {
		const void *bytes;

		random_event(&event, seed);
		if (!random_event_build(&event, builder))
			continue;
		assert_int_equal(ue_builder_bytes(builder, 5, NULL, NULL, &bytes),
				 event.length);
		/* The event's writer determines the size of pointers. */
		event.bytes[0] = UE_HEADER_NATIVE | UE_HEADER_EXTENSION;
		assert_memory_equal(bytes, event.bytes, event.length);
		assert_int_equal(ue_reader_begin(&reader, "P_L5K0", 6, bytes,
						 event.length, NULL), 0);
		for (size_t i = 0; i < event.count; i++)
			assert_int_equal(ue_reader_next(&reader), event.items[i].kind);
		assert_int_equal(ue_reader_next(&reader), UE_ITEM_END);
		count++;
	}
	assert_true(count > EVENTS / 3);
	ue_builder_free(builder);
}

/* Large and small buffers take different paths through the library. */
static void json_is_the_same_for_every_buffer_size(void **state)
{
	static char large[1 << 20], small[1 << 20];

	(void)state;
	for (uint64_t seed = 1; seed <= EVENTS / 4; seed++) {
		ptrdiff_t needed;

		random_event(&event, seed);
		ue_reader_begin(&reader, "P_L5K0", 6, event.bytes, event.length,
				NULL);
		needed = ue_reader_to_json(&reader, NULL, large, sizeof(large));
		assert_int_equal(ue_reader_error(&reader)->error, 0);
		assert_int_equal(ue_reader_to_json(&reader, NULL, NULL, 0), needed);
		ue_reader_to_json(&reader, NULL, small, (size_t)needed + 1);
		assert_string_equal(small, large);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(read_equals_written),
		cmocka_unit_test(built_equals_written),
		cmocka_unit_test(json_is_the_same_for_every_buffer_size),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
