/* SPDX-License-Identifier: MIT */
/* The counts of rings that a collector's file keeps. */
#include <stdlib.h>
#include <unistd.h>

#include "collect/metrics/metrics.h"
#include "test.h"

static struct kept_ring *open_ring(struct kept_counts *kept, uint64_t inode)
{
	const struct kept_ring wanted = { .device = 1, .inode = inode, .created = 1 };
	struct kept_ring *ring = kept_ring_find(kept, &wanted);

	ring->is_open = 1;
	return ring;
}

static int is_kept(const struct kept_counts *kept, uint64_t inode)
{
	for (size_t i = 0; i < KEPT_RINGS; i++)
		if (kept->rings[i].inode == inode)
			return 1;
	return 0;
}

/*
 * Rings 1, 2, ... whose time is their number, but for the first one, which is the newest.
 */
static struct kept_counts *full(const char *path)
{
	struct kept_counts *kept = kept_counts_open(path);

	assert_non_null(kept);
	for (uint32_t i = 1; i <= KEPT_RINGS; i++) {
		struct kept_ring *ring = open_ring(kept, i);

		kept_ring_leave(ring, 0);
		ring->used = i == 1 ? KEPT_RINGS + 1 : i;
	}
	return kept;
}

static void the_ring_that_was_unused_for_longest_is_forgotten(void **state)
{
	struct kept_counts *kept = full(NULL);

	(void)state;
	open_ring(kept, 10001);
	open_ring(kept, 10002);
	assert_true(is_kept(kept, 1));
	assert_false(is_kept(kept, 2));
	assert_false(is_kept(kept, 3));
	assert_true(is_kept(kept, 4));
	free(kept);
}

static void a_ring_that_is_open_is_not_forgotten(void **state)
{
	struct kept_counts *kept = full(NULL);

	(void)state;
	open_ring(kept, 2)->losses.ring = 77;
	open_ring(kept, 10001);
	assert_int_equal(open_ring(kept, 2)->losses.ring, 77);
	assert_false(is_kept(kept, 3));
	free(kept);
}

static void if_all_are_open_there_is_no_place(void **state)
{
	const struct kept_ring wanted = { .device = 1, .inode = 10001, .created = 1 };
	struct kept_counts *kept = full(NULL);

	(void)state;
	for (uint32_t i = 1; i <= KEPT_RINGS; i++)
		open_ring(kept, i);
	assert_null(kept_ring_find(kept, &wanted));
	kept_ring_leave(&kept->rings[7], 1);
	assert_ptr_equal(kept_ring_find(kept, &wanted), &kept->rings[7]);
	free(kept);
}

static void a_ring_that_is_over_is_forgotten(void **state)
{
	struct kept_counts *kept = full(NULL);

	(void)state;
	kept_ring_leave(open_ring(kept, 9), 1);
	assert_false(is_kept(kept, 9));
	open_ring(kept, 10001);
	assert_true(is_kept(kept, 2));
	free(kept);
}

static void a_free_place_is_taken_first(void **state)
{
	struct kept_counts *kept = full(NULL);

	(void)state;
	kept->rings[1000] = (struct kept_ring){ .inode = 0 };
	kept->rings[1].used = 0; /* of an older version */
	open_ring(kept, 10001);
	assert_int_equal(kept->rings[1000].inode, 10001);
	free(kept);
}

/* The file is that of a collector that was killed while rings 2 and 3 were open. */
static void rings_of_a_killed_collector_are_the_newest(void **state)
{
	char path[] = "/tmp/ue-kept-XXXXXX";
	const int fd = mkstemp(path);
	struct kept_counts *kept;

	(void)state;
	assert_true(fd >= 0);
	close(fd);
	kept = full(path);
	open_ring(kept, 2);
	open_ring(kept, 3);
	kept = kept_counts_open(path);
	assert_non_null(kept);
	unlink(path);
	assert_int_equal(kept->rings[1].is_open, 0);
	open_ring(kept, 10001);
	assert_true(is_kept(kept, 2));
	assert_true(is_kept(kept, 3));
	assert_false(is_kept(kept, 4));
}

/* 100 were read and given; of these 40 were delivered, and so many wait in files. */
static struct kept_counts *killed(uint64_t stored)
{
	struct kept_counts *kept = kept_counts_open(NULL);

	kept->sums.passed = kept->sums.given = 100;
	kept->sent.slots[0].delivered.events = 40;
	kept->sent.slots[0].stored.events = stored;
	return kept;
}

static void what_waits_in_files_is_not_lost(void **state)
{
	struct kept_counts *kept = killed(50);
	uint64_t waiting = 50;

	(void)state;
	assert_int_equal(kept_counts_settle(kept, &waiting), 10);
	assert_int_equal(kept->sums.restart, 10);
	assert_int_equal(kept_counts_settle(kept, &waiting), 0);
	waiting = 45;
	assert_int_equal(kept_counts_settle(kept, &waiting), 5);
	assert_int_equal(kept->sums.corrupt, 5);
	assert_int_equal(kept->sums.restart, 10);
	free(kept);
}

static void without_files_what_waits_is_lost_by_the_restart(void **state)
{
	struct kept_counts *kept = killed(50);

	(void)state;
	assert_int_equal(kept_counts_settle(kept, NULL), 60);
	assert_int_equal(kept->sums.restart, 60);
	free(kept);
}

/* ... and those of them that are in files, too, are read twice. */
static void what_rings_hold_is_read_again(void **state)
{
	struct kept_counts *kept = killed(50);
	uint64_t waiting = 60;

	(void)state;
	kept_counts_are_safe(kept);
	kept->sums.passed = kept->sums.given = 130;
	kept->sums.left_out = 7;
	assert_int_equal(kept_counts_settle(kept, &waiting), 0);
	assert_int_equal(kept->sums.given, 100);
	assert_int_equal(kept->sums.left_out, 0);
	kept_counts_are_safe(kept);
	kept->sums.passed = kept->sums.given = 130;
	waiting = 65;
	assert_int_equal(kept_counts_settle(kept, &waiting), 0);
	assert_int_equal(kept->sums.given, 105);
	assert_int_equal(kept->sums.passed, 105);
	free(kept);
}

static void an_event_that_no_ring_holds_is_not_read_again(void **state)
{
	struct kept_counts *kept = killed(50);
	const uint64_t waiting = 50;
	struct event_sums before;

	(void)state;
	kept_counts_are_safe(kept);
	before = kept->sums;
	kept->sums.passed++;
	kept->sums.given++;
	kept_counts_pass(kept, &before);
	assert_int_equal(kept_counts_settle(kept, &waiting), 11);
	assert_int_equal(kept->sums.passed, 101);
	free(kept);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_ring_that_was_unused_for_longest_is_forgotten),
		cmocka_unit_test(a_ring_that_is_open_is_not_forgotten),
		cmocka_unit_test(a_free_place_is_taken_first),
		cmocka_unit_test(if_all_are_open_there_is_no_place),
		cmocka_unit_test(a_ring_that_is_over_is_forgotten),
		cmocka_unit_test(rings_of_a_killed_collector_are_the_newest),
		cmocka_unit_test(what_waits_in_files_is_not_lost),
		cmocka_unit_test(without_files_what_waits_is_lost_by_the_restart),
		cmocka_unit_test(what_rings_hold_is_read_again),
		cmocka_unit_test(an_event_that_no_ring_holds_is_not_read_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
