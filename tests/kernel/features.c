/* SPDX-License-Identifier: MIT */
/*
 * The features of the running kernel, by tests and, where these fail, by the kernel's types,
 * which a kernel of "scripts/vm --btf" has.
 */
#define _GNU_SOURCE
#include "support.h"

#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <userevents/features.h>

static struct ue_features features;

static int has_types(void)
{
	return !access("/sys/kernel/btf/vmlinux", R_OK);
}

static int is(enum ue_feature feature, enum ue_answer answer, int error, enum ue_source source)
{
	if (features.of[feature].answer == (uint32_t)answer &&
	    features.of[feature].error == error && features.source[feature] == source)
		return 1;
	print_message("# %s is %u, error %d, source %d\n",
		      ue_name(UE_NAME_FEATURE, feature),
		      features.of[feature].answer, features.of[feature].error,
		      features.source[feature]);
	return 0;
}

static int ask(void)
{
	features = (struct ue_features){ .size = sizeof(features) };
	return ue_features_ask(NULL, 0, &features);
}

/* Whether all answers are right that have this source. */
static int interface_is_right(enum ue_source source)
{
	const enum ue_answer is_new = is_status_page() ? UE_ANSWER_NO : UE_ANSWER_YES;
	const enum ue_answer is_old = is_status_page() ? UE_ANSWER_YES : UE_ANSWER_NO;

	return is(UE_FEATURE_USER_EVENTS, UE_ANSWER_YES, 0, source) &
	       is(UE_FEATURE_STATUS_PAGE, is_old, 0, source) &
	       is(UE_FEATURE_ENABLE_ADDRESS, is_new, 0, source) &
	       is(UE_FEATURE_PERSIST, is_new, 0, source) &
	       is(UE_FEATURE_MULTI_FORMAT, is_new, 0, source);
}

/* Linux 6.12 has the features of 6.7 and 6.9. */
static void a_test_answers_where_a_session_can_be_opened(void **state)
{
	(void)state;
	assert_int_equal(ask(), 0);
	assert_int_equal(features.open_error, 0);
	assert_true(interface_is_right(UE_SOURCE_TEST));
	assert_true(is(UE_FEATURE_RIGHTS, UE_ANSWER_YES, 0, UE_SOURCE_TEST));
	assert_true(is(UE_FEATURE_CAPTURE, UE_ANSWER_NO, 0, UE_SOURCE_TEST));
}

/* Exit status of a child: 0 if its answers are right. */
static int is_answered_by_types(int error)
{
	if (ask() || features.open_error != error)
		return 1;
	if (has_types())
		return interface_is_right(UE_SOURCE_TYPES) ? 0 : 2;
	return is(UE_FEATURE_USER_EVENTS, UE_ANSWER_UNKNOWN, error, UE_SOURCE_NONE) &&
			       is(UE_FEATURE_PERSIST, UE_ANSWER_UNKNOWN, error, UE_SOURCE_NONE) ?
		       0 : 3;
}

static int status_of(pid_t child)
{
	int status;

	assert_int_equal(waitpid(child, &status, 0), child);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

static void types_answer_without_rights(void **state)
{
	pid_t child = fork();

	(void)state;
	if (!child) {
		if (setresgid(65534, 65534, 65534) || setresuid(65534, 65534, 65534))
			_exit(99);
		if (is_answered_by_types(-EACCES))
			_exit(1);
		_exit(is(UE_FEATURE_RIGHTS, UE_ANSWER_NO, -EACCES, UE_SOURCE_TEST) ? 0 : 4);
	}
	assert_int_equal(status_of(child), 0);
}

static void types_answer_without_tracefs(void **state)
{
	pid_t child = fork();

	(void)state;
	if (!child) {
		if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
		    umount2(TRACING, MNT_DETACH))
			_exit(99);
		umount2("/sys/kernel/debug", MNT_DETACH);
		_exit(is_answered_by_types(-ENODEV));
	}
	assert_int_equal(status_of(child), 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_test_answers_where_a_session_can_be_opened),
		cmocka_unit_test(types_answer_without_rights),
		cmocka_unit_test(types_answer_without_tracefs),
	};

	return RUN_TESTS(tests, argc, argv);
}
