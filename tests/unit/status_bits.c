/* SPDX-License-Identifier: MIT */
/*
 * The mapping of user_events_status, without such kernels: a file of memory stands for it.
 */
#define _GNU_SOURCE
#include "test.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <userevents/status_set.h>

#include "kernel/status_bits.h"
#include "state/binding.h"
#include "state/process.h"

#define NO_BITS { NULL, 0 }

static char path[64];
static int file = -1;
static uint32_t page;

/* "Max:" is `max`; NULs follow up to `size`, as mapped memory would. */
static void make_file(uint64_t max, size_t size)
{
	char text[100];
	int length = snprintf(text, sizeof(text), "1:tick\n\nActive: 1\nBusy: 0\nMax: %ju\n",
			      (uintmax_t)max);

	if (file >= 0)
		close(file);
	file = memfd_create("user_events_status", 0);
	assert_true(file >= 0);
	assert_int_equal(write(file, text, (size_t)length), length);
	if (size > (size_t)length)
		assert_int_equal(ftruncate(file, (off_t)size), 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
}

static void the_size_is_that_of_max(void **state)
{
	struct ue__status_bits bits = NO_BITS;

	(void)state;
	make_file(page * 8, page);
	assert_int_equal(ue__status_bits_map(&bits, path), 0);
	assert_int_equal(bits.count, page * 8);
	make_file(page * 24, page * 3);
	assert_int_equal(ue__status_bits_map(&bits, path), 0);
	assert_int_equal(bits.count, page * 24);
	assert_int_equal(pwrite(file, "\x10", 1, page * 3 - 1), 1);
	assert_int_equal(*ue__status_byte(&bits, page * 24 - 1), 0x10);
	assert_int_equal(*ue__status_byte(&bits, page * 24 - 9), 0);
}

static void a_bit_behind_the_last_is_always_set(void **state)
{
	struct ue__status_bits bits = NO_BITS;

	(void)state;
	assert_int_equal(*ue__status_byte(&bits, 0), 0xff);
	make_file(page * 8, page);
	assert_int_equal(ue__status_bits_map(&bits, path), 0);
	assert_int_equal(*ue__status_byte(&bits, page * 8 - 1), 0);
	assert_int_equal(*ue__status_byte(&bits, page * 8), 0xff);
	assert_int_equal(*ue__status_byte(&bits, UINT32_MAX), 0xff);
}

static void a_byte_for_each_event_is_not_supported(void **state)
{
	struct ue__status_bits bits = NO_BITS;

	(void)state;
	make_file(page, page);
	assert_int_equal(ue__status_bits_map(&bits, path), -EOPNOTSUPP);
	assert_null(bits.at);
	make_file(page * 4, page * 4);
	assert_int_equal(ue__status_bits_map(&bits, path), -EOPNOTSUPP);
}

static void a_file_that_cannot_be_mapped_is_an_error(void **state)
{
	struct ue__status_bits bits = NO_BITS;

	(void)state;
	make_file(0, page);
	assert_int_equal(ue__status_bits_map(&bits, path), -ENODATA);
	make_file(UINT64_C(1) << 40, page);
	assert_int_equal(ue__status_bits_map(&bits, path), -ENODATA);
	assert_int_equal(ue__status_bits_map(&bits, "/nonexistent"), -ENODATA);
	assert_null(bits.at);
}

static void add_bit(struct ue_status_set *set, uint32_t bit, int expected)
{
	struct ue_event event = UE_EVENT_INIT(event, "any u32 a");

	event.ue__own_word = UE__WORD_ASK | 1u << bit % 8;
	event.ue__status_byte = ue__status_byte(&ue__process.kernel.status, bit);
	assert_int_equal(ue_status_set_add(set, &event), -ENOENT);
	event.ue__binding = ue__binding(200, 0);
	errno = 4711;
	assert_int_equal(ue_status_set_add(set, &event), expected);
	assert_int_equal(errno, 4711);
}

static void any_of_64_bits_at_once(void **state)
{
	struct ue_status_set set = { 0 };

	(void)state;
	make_file(page * 8, page);
	assert_int_equal(ue__status_bits_map(&ue__process.kernel.status, path), 0);
	assert_int_equal(ue_status_set_any(&set), -EOPNOTSUPP);
	add_bit(&set, 640, 0);
	add_bit(&set, 703, 0);
	add_bit(&set, 639, -ERANGE);
	add_bit(&set, 704, -ERANGE);
	add_bit(&set, page * 8, -EOPNOTSUPP);
	assert_int_equal(ue_status_set_any(&set), 0);
	for (int bit = 632; bit < 712; bit++) {
		const uint8_t byte = (uint8_t)(1u << bit % 8), none = 0;

		assert_int_equal(pwrite(file, &byte, 1, bit / 8), 1);
		assert_int_equal(ue_status_set_any(&set), bit == 640 || bit == 703);
		assert_int_equal(pwrite(file, &none, 1, bit / 8), 1);
	}
	ue__process.kernel.status = (struct ue__status_bits)NO_BITS;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_size_is_that_of_max),
		cmocka_unit_test(a_bit_behind_the_last_is_always_set),
		cmocka_unit_test(a_byte_for_each_event_is_not_supported),
		cmocka_unit_test(a_file_that_cannot_be_mapped_is_an_error),
		cmocka_unit_test(any_of_64_bits_at_once),
	};

	page = (uint32_t)sysconf(_SC_PAGESIZE);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
