/* SPDX-License-Identifier: MIT */
#include "test.h"

#include <errno.h>
#include <string.h>

#include <userevents/session.h>

static void an_error_is_explained_by_its_call(void **state)
{
	(void)state;
	assert_non_null(strstr(ue_explain(UE_CALL_OPEN, -ENODEV), "mount -t"));
	assert_non_null(strstr(ue_explain(UE_CALL_REGISTER, -EBADF), "ue_open"));
	assert_non_null(strstr(ue_explain(UE_CALL_WRITE, -EBADF), "closed"));
	/* of the two reasons that there are, neither is left out */
	assert_non_null(strstr(ue_explain(UE_CALL_REGISTER, -EAGAIN), "capture"));
	assert_non_null(strstr(ue_explain(UE_CALL_REGISTER, -EAGAIN), "threads"));
	assert_non_null(strstr(ue_explain(UE_CALL_REGISTER, -ENAMETOOLONG), "255"));
	assert_non_null(strstr(ue_explain(UE_CALL_REGISTER, -EINVAL), "definition_ch"));
	assert_non_null(strstr(ue_explain(UE_CALL_REGISTER, -EINVAL), "tracepoint_ch"));
}

static void deleting_opens(void **state)
{
	(void)state;
	assert_string_equal(ue_explain(UE_CALL_DELETE, -ENODEV),
			    ue_explain(UE_CALL_OPEN, -ENODEV));
}

static void anything_gets_a_sentence(void **state)
{
	(void)state;
	for (int call = UE_CALL_OPEN; call <= UE_CALL_WRITE + 1; call++)
		for (int error = -200; error <= 1; error++)
			assert_true(strlen(ue_explain((enum ue_call)call, error)) > 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_error_is_explained_by_its_call),
		cmocka_unit_test(deleting_opens),
		cmocka_unit_test(anything_gets_a_sentence),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
