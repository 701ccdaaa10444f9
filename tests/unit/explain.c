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
	assert_non_null(strstr(ue_explain(UE_CALL_REGISTER, -EAGAIN), "threads"));
	assert_non_null(strstr(ue_explain(UE_CALL_REGISTER, -ENAMETOOLONG), "255"));
	assert_non_null(strstr(ue_explain(UE_CALL_REGISTER, -EINVAL), "definition_ch"));
	assert_non_null(strstr(ue_explain(UE_CALL_REGISTER, -EINVAL), "tracepoint_ch"));
	assert_non_null(strstr(ue_explain(UE_CALL_BUILD, -EINVAL), "another type"));
}

static void deleting_opens(void **state)
{
	(void)state;
	assert_string_equal(ue_explain(UE_CALL_DELETE, -ENODEV),
			    ue_explain(UE_CALL_OPEN, -ENODEV));
}

/* The errors that the calls' comments in the public headers name. */
static const struct {
	enum ue_call call;
	int errors[40];
} documented[] = {
	{ UE_CALL_OPEN, { ENODEV, ENOENT, EACCES, EBADF, ENOTTY, EOPNOTSUPP,
			  EINVAL, E2BIG, EROFS, EPERM, ENOSYS, EMFILE, ENOMEM, ENFILE,
			  EAGAIN, EPROTONOSUPPORT, EBADMSG, ENOSPC, EDQUOT, EFBIG, EEXIST,
			  ENOTDIR, EISDIR, ELOOP, ENAMETOOLONG, ENXIO, ETXTBSY } },
	{ UE_CALL_CLOSE, { EBADF } },
	{ UE_CALL_REGISTER, { EBADF, EINVAL, ENAMETOOLONG, E2BIG, EALREADY, EXDEV,
			      EADDRINUSE, EOPNOTSUPP, EPERM, EFAULT, EAGAIN, EMFILE,
			      ENODEV, ENOMEM } },
	{ UE_CALL_UNREGISTER, { ENOENT, ESRCH, EBADF } },
	{ UE_CALL_DELETE, { ENOENT, EBUSY, EPERM, EINVAL } },
	{ UE_CALL_WRITE, { EXDEV, EBADF, EMSGSIZE, ENOMEM, EINVAL, EFAULT, EPERM, EACCES,
			   ENOBUFS } },
	{ UE_CALL_BUILD, { ENOENT, EEXIST, EINVAL, ERANGE, EFAULT, EMSGSIZE, ENODATA, E2BIG,
			   ENOMEM } },
};

static const char *unknown(void)
{
	return ue_explain(UE_CALL_WRITE, -4711);
}

static void every_documented_error_is_explained(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(documented) / sizeof(documented[0]); i++)
		for (const int *error = documented[i].errors; *error; error++) {
			const char *text = ue_explain(documented[i].call, -*error);

			if (text == unknown() || text == ue_explain(UE_CALL_OPEN, 0))
				fail_msg("call %d, errno %d: %s", documented[i].call, *error,
					 text);
		}
}

/* "The session was closed" and "a descriptor given is not open" have one errno. */
static void one_errno_of_two_calls_has_two_reasons(void **state)
{
	(void)state;
	assert_string_not_equal(ue_explain(UE_CALL_WRITE, -EBADF),
				ue_explain(UE_CALL_OPEN, -EBADF));
	assert_string_not_equal(ue_explain(UE_CALL_REGISTER, -EPERM),
				ue_explain(UE_CALL_DELETE, -EPERM));
	assert_string_not_equal(ue_explain(UE_CALL_OPEN, -EINVAL),
				ue_explain(UE_CALL_REGISTER, -EINVAL));
	assert_string_not_equal(ue_explain(UE_CALL_WRITE, -EINVAL),
				ue_explain(UE_CALL_BUILD, -EINVAL));
}

/* These are not arguments of ue_open(), so nothing else leads to them. */
static void malformed_variables_are_named(void **state)
{
	const char *sentence = ue_explain(UE_CALL_OPEN, -EINVAL);

	(void)state;
	assert_non_null(strstr(sentence, "USEREVENTS_FD"));
	assert_non_null(strstr(sentence, "USEREVENTS_RING_SIZE"));
	assert_non_null(strstr(sentence, "USEREVENTS_SOCKET"));
}

static void any_other_error_is_said_to_be_unknown(void **state)
{
	static const int others[] = { ENOTBLK, EL2HLT, ERFKILL, 200, 4095 };

	(void)state;
	assert_non_null(strstr(unknown(), "strerror()"));
	for (int call = UE_CALL_OPEN; call <= UE_CALL_BUILD + 1; call++)
		for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
			assert_string_equal(ue_explain((enum ue_call)call, -others[i]),
					    unknown());
}

static void what_is_no_error_is_a_success(void **state)
{
	(void)state;
	assert_string_equal(ue_explain(UE_CALL_OPEN, 0), "Success");
	assert_string_equal(ue_explain(UE_CALL_REGISTER, 3), "Success");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_error_is_explained_by_its_call),
		cmocka_unit_test(deleting_opens),
		cmocka_unit_test(every_documented_error_is_explained),
		cmocka_unit_test(one_errno_of_two_calls_has_two_reasons),
		cmocka_unit_test(malformed_variables_are_named),
		cmocka_unit_test(any_other_error_is_said_to_be_unknown),
		cmocka_unit_test(what_is_no_error_is_a_success),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
