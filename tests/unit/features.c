/* SPDX-License-Identifier: MIT */
/* The four results, without such kernels. */
#include "test.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <userevents/capture.h>
#include <userevents/ring.h>
#include <userevents/features.h>

static struct ue_features features;

static void ask(const char *path, uint32_t which)
{
	const struct ue_open_opts opts = { .size = sizeof(opts), .path = path };

	features.size = sizeof(features);
	errno = 4711;
	assert_int_equal(ue_features_ask(&opts, which, &features), 0);
	assert_int_equal(errno, 4711);
}

static void is(enum ue_feature feature, enum ue_answer answer, int error)
{
	assert_int_equal(features.of[feature].answer, answer);
	assert_int_equal(features.of[feature].error, error);
}

static void an_absent_feature_is_reported_as_no(void **state)
{
	(void)state;
	ask("/nonexistent/user_events_data", 0);
	is(UE_FEATURE_USER_EVENTS, UE_ANSWER_NO, -ENOENT);
	is(UE_FEATURE_PERSIST, UE_ANSWER_NO, -ENOENT);
	is(UE_FEATURE_RIGHTS, UE_ANSWER_UNKNOWN, -ENOENT);
	is(UE_FEATURE_CAPTURE, UE_ANSWER_NO, 0);
	assert_int_equal(features.open_error, -ENOENT);
	assert_int_equal(features.payload_max, 0);
}

static void a_feature_that_cannot_be_checked_is_unknown(void **state)
{
	(void)state;
	ask("/dev/null", 0);
	is(UE_FEATURE_USER_EVENTS, UE_ANSWER_UNKNOWN, -ENOTTY);
	is(UE_FEATURE_MULTI_FORMAT, UE_ANSWER_UNKNOWN, -ENOTTY);
}

static void an_unrequested_feature_has_no_answer(void **state)
{
	(void)state;
	ask("/nonexistent", 1u << UE_FEATURE_PERSIST);
	is(UE_FEATURE_PERSIST, UE_ANSWER_NO, -ENOENT);
	is(UE_FEATURE_USER_EVENTS, UE_ANSWER_NOT_ASKED, 0);
	is(UE_FEATURE_CAPTURE, UE_ANSWER_NOT_ASKED, 0);
}

static void a_capture_is_reported(void **state)
{
	struct ue_open_opts opts = { .size = sizeof(opts), .flags = UE_OPEN_FD };
	struct ue_capture *capture;

	(void)state;
	assert_int_equal(ue_capture_open(NULL, &capture), 0);
	opts.fd = ue_capture_writer_fd(capture);
	features.size = sizeof(features);
	assert_int_equal(ue_features_ask(&opts, 0, &features), 0);
	is(UE_FEATURE_CAPTURE, UE_ANSWER_YES, 0);
	is(UE_FEATURE_RIGHTS, UE_ANSWER_YES, 0);
	is(UE_FEATURE_USER_EVENTS, UE_ANSWER_UNKNOWN, -ENOTTY);
	assert_true(features.payload_max > 4000);
	assert_int_equal(ue_feature(&opts, UE_FEATURE_ENABLE_ADDRESS), UE_ANSWER_NO);
	ue_capture_close(capture);
}

static void a_ring_is_not_the_kernel(void **state)
{
	struct ue_open_opts opts = { .size = sizeof(opts), .flags = UE_OPEN_FD };

	(void)state;
	opts.fd = ue_ring_create(NULL, NULL);
	features.size = sizeof(features);
	assert_int_equal(ue_features_ask(&opts, 0, &features), 0);
	is(UE_FEATURE_CAPTURE, UE_ANSWER_NO, 0);
	is(UE_FEATURE_RIGHTS, UE_ANSWER_YES, 0);
	is(UE_FEATURE_USER_EVENTS, UE_ANSWER_UNKNOWN, -ENOTTY);
	assert_true(features.payload_max > 4000);
	close(opts.fd);
}

static void a_test_is_the_source_of_its_answers(void **state)
{
	(void)state;
	ask("/nonexistent/user_events_data", 0);
	assert_int_equal(features.source[UE_FEATURE_USER_EVENTS], UE_SOURCE_TEST);
	assert_int_equal(features.source[UE_FEATURE_RIGHTS], UE_SOURCE_NONE);
	ask("/dev/null", 0);
	assert_int_equal(features.source[UE_FEATURE_USER_EVENTS], UE_SOURCE_NONE);
	assert_int_equal(features.source[UE_FEATURE_CAPTURE], UE_SOURCE_TEST);
}

/* A program that was compiled before the struct had sources. */
static void a_smaller_struct_is_filled_up_to_its_end(void **state)
{
	const struct ue_open_opts opts = { .size = sizeof(opts), .path = "/nonexistent" };

	(void)state;
	features.size = offsetof(struct ue_features, source);
	memset(features.source, 0x5a, sizeof(features.source));
	assert_int_equal(ue_features_ask(&opts, 0, &features), 0);
	assert_int_equal(features.size, offsetof(struct ue_features, source));
	assert_int_equal(features.open_error, -ENOENT);
	for (size_t i = 0; i < sizeof(features.source); i++)
		assert_int_equal(features.source[i], 0x5a);
}

static void malformed_questions(void **state)
{
	struct ue_open_opts opts = { .size = 1 };
	struct {
		struct ue_features features;
		char more[8];
	} later = { .features = { .size = sizeof(later) }, .more = "x" };

	(void)state;
	features.size = 3;
	assert_int_equal(ue_features_ask(NULL, 0, &features), -EINVAL);
	features.size = sizeof(features);
	assert_int_equal(ue_features_ask(NULL, 1u << UE_FEATURES, &features), -EINVAL);
	assert_int_equal(ue_features_ask(&opts, 0, &features), -EINVAL);
	assert_int_equal(ue_features_ask(NULL, 0, &later.features), -E2BIG);
	assert_int_equal(ue_feature(NULL, UE_FEATURES), UE_ANSWER_NOT_ASKED);
}

static void every_feature_has_a_name(void **state)
{
	(void)state;
	for (int i = 0; i < UE_FEATURES; i++)
		assert_string_not_equal(ue_name(UE_NAME_FEATURE, (uint32_t)i), "unknown");
	assert_string_equal(ue_name(UE_NAME_FEATURE, UE_FEATURES), "unknown");
	assert_string_equal(ue_name(UE_NAME_FEATURE, UE_FEATURE_MULTI_FORMAT),
			    "multi_format");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_absent_feature_is_reported_as_no),
		cmocka_unit_test(a_feature_that_cannot_be_checked_is_unknown),
		cmocka_unit_test(an_unrequested_feature_has_no_answer),
		cmocka_unit_test(a_capture_is_reported),
		cmocka_unit_test(a_ring_is_not_the_kernel),
		cmocka_unit_test(a_test_is_the_source_of_its_answers),
		cmocka_unit_test(a_smaller_struct_is_filled_up_to_its_end),
		cmocka_unit_test(malformed_questions),
		cmocka_unit_test(every_feature_has_a_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
