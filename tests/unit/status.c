/* SPDX-License-Identifier: MIT */
#include "test.h"

#include <errno.h>
#include <string.h>

#include <userevents/decode/status.h>

static void next_is(struct ue_status *status, const char *name, uint32_t users,
		    uint32_t bit)
{
	struct ue_status_entry entry;

	assert_int_equal(ue_status_next(status, &entry), 1);
	assert_int_equal(entry.name_length, strlen(name));
	assert_memory_equal(entry.name, name, entry.name_length);
	assert_int_equal(entry.users, users);
	assert_int_equal(entry.status_bit, bit);
}

static void the_end(struct ue_status *status, uint32_t abi, uint32_t active,
		    uint32_t busy, uint32_t max)
{
	struct ue_status_entry entry;

	assert_int_equal(ue_status_next(status, &entry), 0);
	assert_int_equal(status->abi, abi);
	assert_int_equal(status->active, active);
	assert_int_equal(status->busy, busy);
	assert_int_equal(status->max, max);
	assert_int_equal(ue_status_next(status, &entry), 0);
}

static void begin(struct ue_status *status, const char *text)
{
	ue_status_begin(status, text, strlen(text));
}

static void enable_address_kernels(void **state)
{
	struct ue_status status;

	(void)state;
	begin(&status, "tick # Used by ftrace perf\ntock\n#odd # Used by other\n\n"
		       "Active: 3\nBusy: 2\n");
	next_is(&status, "tick", UE_USER_FTRACE | UE_USER_PERF, 0);
	next_is(&status, "tock", 0, 0);
	next_is(&status, "#odd", UE_USER_OTHER, 0);
	the_end(&status, UE_ABI_ENABLE_ADDRESS, 3, 2, 0);
}

static void status_page_kernels(void **state)
{
	struct ue_status status;

	(void)state;
	begin(&status, "1:tick # Used by ftrace\n32767:12\n\nActive: 2\nBusy: 1\n"
		       "Max: 32768\n");
	next_is(&status, "tick", UE_USER_FTRACE, 1);
	next_is(&status, "12", 0, 32767);
	the_end(&status, UE_ABI_STATUS_PAGE, 2, 1, 32768);
}

static void without_events(void **state)
{
	struct ue_status status;

	(void)state;
	begin(&status, "\nActive: 0\nBusy: 0\n");
	the_end(&status, UE_ABI_ENABLE_ADDRESS, 0, 0, 0);
	begin(&status, "\nActive: 0\nBusy: 0\nMax: 32768\n");
	the_end(&status, UE_ABI_STATUS_PAGE, 0, 0, 32768);
	begin(&status, "");
	the_end(&status, 0, 0, 0, 0);
}

/* The kernel accepts them, and they do not end the list. */
static void events_without_a_name(void **state)
{
	struct ue_status status;

	(void)state;
	begin(&status, "\ntick\n # Used by perf\n\nActive: 3\nBusy: 1\n");
	next_is(&status, "", 0, 0);
	next_is(&status, "tick", 0, 0);
	next_is(&status, "", UE_USER_PERF, 0);
	the_end(&status, UE_ABI_ENABLE_ADDRESS, 3, 1, 0);
	begin(&status, "1:\n2: # Used by ftrace\n\nActive: 2\nBusy: 1\nMax: 32768\n");
	next_is(&status, "", 0, 1);
	next_is(&status, "", UE_USER_FTRACE, 2);
	the_end(&status, UE_ABI_STATUS_PAGE, 2, 1, 32768);
}

static void malformed_lines_are_reported_and_skipped(void **state)
{
	struct ue_status_entry entry;
	struct ue_status status;

	(void)state;
	begin(&status, "tick # Used by\nno # such thing\ntock # Used by ftrace!\n"
		       "good\n\nActive: x\n");
	next_is(&status, "tick", 0, 0);
	assert_int_equal(ue_status_next(&status, &entry), -EBADMSG);
	assert_int_equal(ue_status_next(&status, &entry), -EBADMSG);
	next_is(&status, "good", 0, 0);
	assert_int_equal(ue_status_next(&status, &entry), -EBADMSG);
	assert_int_equal(ue_status_next(&status, &entry), 0);
}

static void numbers_out_of_range(void **state)
{
	struct ue_status_entry entry;
	struct ue_status status;

	(void)state;
	begin(&status, "4294967296:tick\n\nActive: 4294967296\nBusy: 4294967295\n");
	next_is(&status, "4294967296:tick", 0, 0);
	assert_int_equal(ue_status_next(&status, &entry), -EBADMSG);
	assert_int_equal(status.busy, 4294967295u);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(enable_address_kernels),
		cmocka_unit_test(status_page_kernels),
		cmocka_unit_test(without_events),
		cmocka_unit_test(events_without_a_name),
		cmocka_unit_test(malformed_lines_are_reported_and_skipped),
		cmocka_unit_test(numbers_out_of_range),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
