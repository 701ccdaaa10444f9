/* SPDX-License-Identifier: MIT */
/*
 * Programs that were compiled with the structs of an earlier or a later version. Such a
 * program passes a smaller or a larger size; the library must neither write beyond it nor
 * leave a part of it undefined.
 */
#include "test.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <userevents/capture.h>
#include <userevents/decode.h>
#include <userevents/ring.h>
#include <userevents/userevents.h>

/* Larger than any struct; bytes that were not written keep one value. */
static union {
	uint64_t alignment;
	unsigned char bytes[512];
} memory;

#define UNTOUCHED 0xa5

static void *fresh(void)
{
	return memset(&memory, UNTOUCHED, sizeof(memory));
}

/* The first bytes are as expected, then so many are 0; the rest is untouched. */
static void assert_memory(const void *expected, size_t size, size_t zeros)
{
	assert_memory_equal(memory.bytes, expected, size);
	for (size_t i = size; i < size + zeros; i++)
		assert_int_equal(memory.bytes[i], 0);
	for (size_t i = size + zeros; i < sizeof(memory); i++)
		assert_int_equal(memory.bytes[i], UNTOUCHED);
}

#define LATER 24 /* bytes that a later version appended */

static const char text[] = "tick # Used by perf\n\nActive: 1\nBusy: 1\n";

static void begin_status(struct ue_status *status)
{
	ue_status_begin(status, text, strlen(text));
}

static void a_status_of_another_size(void **state)
{
	struct ue_status status;

	(void)state;
	memset(&status, 0, sizeof(status));
	begin_status(&status);
	ue_status_begin_sized(fresh(), sizeof(status) + LATER, text, strlen(text));
	assert_memory(&status, sizeof(status), LATER);
	ue_status_begin_sized(fresh(), sizeof(status) - 4, text, strlen(text));
	status.size -= 4;
	assert_memory(&status, sizeof(status) - 4, 0);
}

static void next_entry(size_t size)
{
	struct ue_status status;

	begin_status(&status);
	assert_int_equal(ue_status_next_sized(&status, fresh(), size), 1);
}

static void an_entry_of_another_size(void **state)
{
	struct ue_status_entry entry = { .size = sizeof(entry), .name = text,
		.name_length = 4, .users = UE_USER_PERF };

	(void)state;
	next_entry(sizeof(entry) + LATER);
	assert_memory(&entry, sizeof(entry), LATER);
	entry.size -= 4;
	next_entry(sizeof(entry) - 4);
	assert_memory(&entry, sizeof(entry) - 4, 0);
}

static const char definition[] = "tick u32 count";
static struct ue_record_field field;

static int define(void *layout, size_t size)
{
	return ue_record_layout_define_sized(layout, size, "user_events", definition,
					     &field, 1, 0);
}

static void a_layout_of_another_size(void **state)
{
	struct ue_record_layout layout;

	(void)state;
	assert_int_equal(define(&layout, sizeof(layout)), 1);
	assert_int_equal(layout.size, sizeof(layout));
	assert_int_equal(define(fresh(), sizeof(layout) + LATER), 1);
	assert_memory(&layout, sizeof(layout), LATER);
	assert_int_equal(define(fresh(), sizeof(layout) - 4), 1);
	layout.size -= 4;
	assert_memory(&layout, sizeof(layout) - 4, 0);
}

static void an_item_of_another_size(void **state)
{
	const uint32_t count = 17;
	struct ue_record_layout layout;
	struct ue_item item;

	(void)state;
	assert_int_equal(define(&layout, sizeof(layout)), 1);
	assert_int_equal(ue_record_item(&layout, 0, &count, 4, &item), UE_ITEM_VALUE);
	assert_int_equal(ue_record_item_sized(&layout, 0, &count, 4, fresh(),
					      sizeof(item) + LATER), UE_ITEM_VALUE);
	assert_memory(&item, sizeof(item), LATER);
	assert_int_equal(ue_record_item_sized(&layout, 0, &count, 4, fresh(),
					      sizeof(item) - 4), UE_ITEM_VALUE);
	assert_memory(&item, sizeof(item) - 4, 0);
}

UE_EVENT(tick, UE_U32(count));

static struct ue_capture *one_event(void)
{
	struct ue_open_opts opts = { .size = sizeof(opts), .flags = UE_OPEN_FD };
	struct ue_capture *capture;
	int fd;

	assert_int_equal(ue_capture_open(NULL, &capture), 0);
	opts.fd = ue_capture_writer_fd(capture);
	fd = ue_open(&opts);
	assert_true(fd >= 0);
	assert_int_equal(ue_register_all(fd), 0);
	assert_int_equal(UE_WRITE(fd, tick, 17), 0);
	assert_int_equal(ue_close(fd), 0);
	return capture;
}

/* Members that both versions have are right, and only those are written. */
static void check_captured(size_t size, size_t known)
{
	struct ue_capture *capture = one_event();
	struct ue_captured *event = fresh();
	size_t at = known;

	assert_int_equal(ue_capture_next_sized(capture, event, size), 1);
	assert_int_equal(event->size, known);
	assert_int_equal(event->length, 4);
	assert_string_equal(event->definition, definition);
	for (; at < size; at++)
		assert_int_equal(memory.bytes[at], 0);
	for (; at < sizeof(memory); at++)
		assert_int_equal(memory.bytes[at], UNTOUCHED);
	ue_capture_close(capture);
}

static void a_captured_event_of_another_size(void **state)
{
	const size_t size = sizeof(struct ue_captured);

	(void)state;
	check_captured(size + LATER, size);
	check_captured(size - 4, size - 4);
}

static void check_page(size_t size, size_t known)
{
	struct ue_capture *capture = one_event();
	struct ue_captured_page *page = fresh();
	size_t at = known;

	assert_int_equal(ue_capture_next_page_sized(capture, page, size), 1);
	assert_int_equal(page->size, known);
	assert_int_equal(page->event_count, 1);
	assert_string_equal(page->events->definition, definition);
	for (; at < size; at++)
		assert_int_equal(memory.bytes[at], 0);
	for (; at < sizeof(memory); at++)
		assert_int_equal(memory.bytes[at], UNTOUCHED);
	ue_capture_close(capture);
}

static void a_captured_page_of_another_size(void **state)
{
	const size_t size = sizeof(struct ue_captured_page);

	(void)state;
	check_page(size + LATER, size);
	check_page(size - 4, size - 4);
}

static void a_captured_field_of_another_size(void **state)
{
	struct ue_capture *capture = one_event();
	struct ue_captured event;
	struct ue_item item;

	(void)state;
	assert_int_equal(ue_capture_next(capture, &event), 1);
	assert_int_equal(ue_captured_field(&event, "count", &item), UE_ITEM_VALUE);
	assert_int_equal(ue_captured_field_sized(&event, "count", fresh(),
						 sizeof(item) + LATER), UE_ITEM_VALUE);
	assert_memory(&item, sizeof(item), LATER);
	ue_capture_close(capture);
}

static void counts_of_another_size(void **state)
{
	struct ue_capture *capture = one_event();
	struct ue_capture_counts counts;

	(void)state;
	ue_capture_count(capture, &counts);
	ue_capture_count_sized(capture, fresh(), sizeof(counts) + LATER);
	assert_memory(&counts, sizeof(counts), LATER);
	ue_capture_count_sized(capture, fresh(), sizeof(counts) - 8);
	counts.size -= 8;
	assert_memory(&counts, sizeof(counts) - 8, 0);
	ue_capture_close(capture);
}

static void info_of_another_size(void **state)
{
	struct ue_ring_info info;
	int fd = ue_ring_create(NULL, NULL);

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(ue_ring_info(fd, &info), 0);
	assert_int_equal(info.size, sizeof(info));
	assert_int_equal(ue_ring_info_sized(fd, fresh(), sizeof(info) + LATER), 0);
	assert_memory(&info, sizeof(info), LATER);
	assert_int_equal(ue_ring_info_sized(fd, fresh(), sizeof(info) - 8), 0);
	info.size -= 8;
	assert_memory(&info, sizeof(info) - 8, 0);
	close(fd);
}

/* Programs have a reader's memory compiled in. */
static void a_reader_has_the_size_of_all_versions(void **state)
{
	struct ue_reader reader;

	(void)state;
	assert_int_equal(sizeof(reader), 1280);
	assert_int_equal(ue_reader_begin(&reader, "P_L5K0", 6, "short", 5, NULL),
			 -EINVAL);
	assert_int_equal(ue_reader_error(&reader)->fault, UE_FAULT_EVENT_TOO_SHORT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_status_of_another_size),
		cmocka_unit_test(an_entry_of_another_size),
		cmocka_unit_test(a_layout_of_another_size),
		cmocka_unit_test(an_item_of_another_size),
		cmocka_unit_test(a_captured_event_of_another_size),
		cmocka_unit_test(a_captured_page_of_another_size),
		cmocka_unit_test(a_captured_field_of_another_size),
		cmocka_unit_test(counts_of_another_size),
		cmocka_unit_test(info_of_another_size),
		cmocka_unit_test(a_reader_has_the_size_of_all_versions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
