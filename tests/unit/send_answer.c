/* SPDX-License-Identifier: MIT */
/* Answers of receivers, and the pace at which they are asked again. */
#include "export/send/sender.h"
#include "test.h"

static struct otlp_answer answer;

#define READ(...)                                                                      \
	({                                                                             \
		const uint8_t bytes_[] = { __VA_ARGS__ };                              \
		otlp_answer_read(&answer, bytes_, sizeof(bytes_));                     \
	})

static void a_partial_success_has_a_count_and_a_text(void **state)
{
	const uint8_t bytes[] = { 0x0a, 6, 0x08, 0x96, 0x01, 0x12, 1, 'x' };

	(void)state;
	assert_int_equal(otlp_answer_read(&answer, bytes, sizeof(bytes)), 0);
	assert_int_equal(answer.rejected, 150);
	assert_int_equal(answer.text_length, 1);
	assert_ptr_equal(answer.text, bytes + 7);
	assert_int_equal(otlp_answer_read(&answer, bytes, 0), 0);
	assert_int_equal(answer.rejected, 0);
	assert_null(answer.text);
}

static void fields_that_are_not_known_are_skipped(void **state)
{
	(void)state;
	assert_int_equal(READ(0x10, 1, 0x19, 1, 2, 3, 4, 5, 6, 7, 8, 0x25, 1, 2, 3, 4, 0x2a, 1,
			      9, 0x0a, 2, 0x08, 3), 0);
	assert_int_equal(answer.rejected, 3);
}

static void damaged_answers_reject_nothing(void **state)
{
	(void)state;
	assert_int_equal(READ(0x0a), -1);
	assert_int_equal(READ(0x0a, 3, 0x08, 5), -1);
	assert_int_equal(READ(0x0a, 3, 0x08, 5, 0x80), -1);
	assert_int_equal(answer.rejected, 0);
	assert_int_equal(READ(0x0a, 3, 0x08, 5, 0x12), -1);
	assert_int_equal(answer.rejected, 0);
	assert_int_equal(READ(0x0b), -1);
	assert_int_equal(READ(0x00, 1), -1);
	assert_int_equal(READ(0x11, 1, 2, 3), -1);
	assert_int_equal(READ(0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 1), -1);
	assert_int_equal(READ(0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1), -1);
}

static void a_negative_count_is_none(void **state)
{
	(void)state;
	assert_int_equal(READ(0x0a, 11, 0x08, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
			      0xff, 1), 0);
	assert_int_equal(answer.rejected, 0);
}

/* Every answer of up to 3 bytes: the sanitizers look on. */
static void no_bytes_are_read_behind_an_answer(void **state)
{
	(void)state;
	for (uint32_t all = 0; all < 1u << 24; all++)
		for (size_t length = 1; length <= 3; length++) {
			const uint8_t bytes[] = { (uint8_t)all, (uint8_t)(all >> 8),
						  (uint8_t)(all >> 16) };

			otlp_answer_read(&answer, bytes + 3 - length, length);
			if (answer.text)
				assert_true((const uint8_t *)answer.text + answer.text_length <=
					    bytes + 3);
			otlp_status_read(&answer, bytes + 3 - length, length);
			if (answer.text)
				assert_true((const uint8_t *)answer.text + answer.text_length <=
					    bytes + 3);
		}
}

/* The pace */

static int fail_at(struct retry_pace *pace, int64_t at, int64_t retry_after)
{
	const struct pace_failure failure = {
		.begun = at, .now = at, .retry_after = retry_after,
	};

	return pace_fail(pace, &failure);
}

static void the_wait_doubles_up_to_its_limit(void **state)
{
	struct retry_pace pace = { .patience = -1 };
	int64_t now = 1000, most = PACE_FIRST;

	(void)state;
	for (int i = 0; i < 40; i++) {
		assert_int_equal(fail_at(&pace, now, 0), 1);
		assert_true(pace.retry_at - now >= most / 2);
		assert_true(pace.retry_at - now <= most);
		now = pace.retry_at;
		most = 2 * most < PACE_LAST ? 2 * most : PACE_LAST;
	}
	pace_succeed(&pace, now, now);
	assert_int_equal(fail_at(&pace, now, 0), 1);
	assert_true(pace.retry_at - now <= PACE_FIRST);
}

static void the_receivers_time_is_kept_exactly(void **state)
{
	struct retry_pace pace = { .patience = -1 };

	(void)state;
	fail_at(&pace, 1000, 77 * PACE_MS);
	assert_int_equal(pace.retry_at, 1000 + 77 * PACE_MS);
	pace_hurry(&pace, 2000);
	assert_int_equal(pace.retry_at, 1000 + 77 * PACE_MS);
	fail_at(&pace, pace.retry_at, INT64_MAX);
	assert_int_equal(pace.retry_at, 1000 + 77 * PACE_MS + PACE_IMPOSED_MAX);
}

static void requests_that_fail_together_count_once(void **state)
{
	struct retry_pace pace = { .patience = -1 };
	struct pace_failure late = { .begun = 500, .now = 1001 };

	(void)state;
	fail_at(&pace, 1000, 0);
	assert_int_equal(pace.wait, PACE_FIRST);
	pace_fail(&pace, &late);
	assert_int_equal(pace.wait, PACE_FIRST);
	late.retry_after = 100000 * PACE_MS;
	pace_fail(&pace, &late);
	assert_int_equal(pace.retry_at, 1001 + 100000 * PACE_MS);
}

static void an_older_request_does_not_end_a_failure(void **state)
{
	struct retry_pace pace = { .patience = -1 };

	(void)state;
	fail_at(&pace, 1000, 0);
	pace_succeed(&pace, 999, pace.retry_at + 1);
	assert_int_equal(pace.is_failing, 1);
	assert_int_equal(pace.wait, PACE_FIRST);
	pace_succeed(&pace, 1000, 1001);
	assert_int_equal(pace.is_failing, 0);
}

static void no_answer_ends_the_receivers_time(void **state)
{
	struct retry_pace pace = { .patience = -1 };

	(void)state;
	fail_at(&pace, 1000, 77 * PACE_MS);
	pace_succeed(&pace, 1001, 999 + 77 * PACE_MS);
	assert_int_equal(pace.is_failing, 1);
	assert_int_equal(pace.retry_at, 1000 + 77 * PACE_MS);
	pace_succeed(&pace, pace.retry_at, pace.retry_at);
	assert_int_equal(pace.is_failing, 0);
}

static void patience_ends_and_comes_back(void **state)
{
	struct retry_pace pace = { .patience = 10000 * PACE_MS };
	const struct pace_failure lasting = { .begun = 5, .now = 5, .is_lasting = 1 };

	(void)state;
	assert_int_equal(fail_at(&pace, 0, 10000 * PACE_MS), 1);
	assert_int_equal(fail_at(&pace, pace.retry_at, 1), 0);
	pace_succeed(&pace, pace.retry_at, pace.retry_at);
	assert_int_equal(fail_at(&pace, 0, 10001 * PACE_MS), 0);
	pace_succeed(&pace, 0, 1);
	assert_int_equal(pace.is_failing, 0);
	assert_int_equal(pace_fail(&pace, &lasting), 0);
	pace = (struct retry_pace){ .patience = -1 };
	assert_int_equal(pace_fail(&pace, &lasting), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_partial_success_has_a_count_and_a_text),
		cmocka_unit_test(fields_that_are_not_known_are_skipped),
		cmocka_unit_test(damaged_answers_reject_nothing),
		cmocka_unit_test(a_negative_count_is_none),
		cmocka_unit_test(no_bytes_are_read_behind_an_answer),
		cmocka_unit_test(the_wait_doubles_up_to_its_limit),
		cmocka_unit_test(the_receivers_time_is_kept_exactly),
		cmocka_unit_test(requests_that_fail_together_count_once),
		cmocka_unit_test(an_older_request_does_not_end_a_failure),
		cmocka_unit_test(no_answer_ends_the_receivers_time),
		cmocka_unit_test(patience_ends_and_comes_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
