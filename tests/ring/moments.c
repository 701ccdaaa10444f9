/* SPDX-License-Identifier: MIT */
/* Moments of a ring's clock: boots, and the rate of the counter in each. */
#include "test.h"

#include "ring/ring_clock.h"

#define SECOND INT64_C(1000000000)
#define CURRENT 7

/* The counter, and the clocks in seconds. */
static void note(struct ue__ring_boots *boots, uint32_t boot, uint64_t counter,
		 int64_t monotonic, int64_t real)
{
	const struct ue__ring_moment moment = {
		counter,
		monotonic * SECOND,
		real * SECOND,
	};

	ue__ring_note_moment(boots, boot, &moment);
}

static double rate(struct ue__ring_boots *boots, uint32_t boot, uint64_t counter,
		   int64_t monotonic)
{
	const struct ue__ring_moment moment = { counter, monotonic * SECOND, 0 };

	return ue__ring_rate(boots, boot, &moment, UE__RING_MONOTONIC);
}

/* Each ring has one machine's boots; what is not known of one comes first. */
static void boots_have_the_order_of_their_beginnings(void **state)
{
	struct ue__ring_boots boots = { .current = CURRENT };

	(void)state;
	note(&boots, CURRENT, 1, 10, 5);
	note(&boots, 3, 1, 100, 2100);
	note(&boots, 4, 1, 500, 1500);
	assert_int_equal(ue__ring_order_of(&boots, CURRENT), UINT32_MAX);
	assert_int_equal(ue__ring_order_of(&boots, 3), 2000);
	assert_int_equal(ue__ring_order_of(&boots, 4), 1000);
	assert_int_equal(ue__ring_order_of(&boots, 5), 0);
}

/* Whichever of them became known first. */
static void the_rate_is_that_between_two_moments_of_a_boot(void **state)
{
	for (int is_later_first = 0; is_later_first < 2; is_later_first++) {
		struct ue__ring_boots boots = { .current = CURRENT };

		note(&boots, 3, is_later_first ? 2000000000 : 0, is_later_first, 0);
		note(&boots, 3, is_later_first ? 0 : 2000000000, !is_later_first, 0);
		assert_true(rate(&boots, 3, 2000000000, 1) == 0.5);
		assert_true(rate(&boots, 3, 0, 0) == 0.5);
	}
	(void)state;
}

/* The moments are in shared memory. */
static void a_rate_that_no_counter_has_is_not_believed(void **state)
{
	struct ue__ring_boots boots = { .current = CURRENT };

	(void)state;
	note(&boots, CURRENT, 1000, 10, 0);
	assert_true(rate(&boots, CURRENT, 900, 9) == 1); /* 10 ms a count */
	assert_true(rate(&boots, CURRENT, 900, 11) == 1); /* it goes back */
	assert_true(rate(&boots, CURRENT, 1000, 9) == 1); /* it stands still */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(boots_have_the_order_of_their_beginnings),
		cmocka_unit_test(the_rate_is_that_between_two_moments_of_a_boot),
		cmocka_unit_test(a_rate_that_no_counter_has_is_not_believed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
