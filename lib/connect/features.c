/* SPDX-License-Identifier: MIT */
/*
 * Test the features of the system. A test that fails gives no answer, which is not the
 * same as "no".
 */
#include <errno.h>
#include <string.h>

#include <userevents/features.h>

#include "util/errno_guard.h"
#include "state/session.h"
#include "util/sized_struct.h"

#define ALL ((1u << UE_FEATURES) - 1)

_Static_assert(UE_FEATURES <= 16, "struct ue_features has room");

static const char *const names[UE_FEATURES] = {
	[UE_FEATURE_USER_EVENTS] = "user_events",
	[UE_FEATURE_RIGHTS] = "rights",
	[UE_FEATURE_STATUS_PAGE] = "status_page",
	[UE_FEATURE_ENABLE_ADDRESS] = "enable_address",
	[UE_FEATURE_PERSIST] = "persist",
	[UE_FEATURE_MULTI_FORMAT] = "multi_format",
	[UE_FEATURE_CAPTURE] = "capture",
};

UE__PUBLIC const char *ue_feature_name(enum ue_feature feature)
{
	return (unsigned int)feature < UE_FEATURES ? names[feature] : "unknown";
}

static void set(struct ue_features *features, enum ue_feature feature, int answer,
		int error)
{
	features->of[feature].answer = (uint32_t)answer;
	features->of[feature].error = error;
}

static void set_known(struct ue_features *features, enum ue_feature feature, int is_there)
{
	set(features, feature, is_there ? UE_ANSWER_YES : UE_ANSWER_NO, 0);
}

/* result: 1, 0 or -errno. */
static void set_result(struct ue_features *features, enum ue_feature feature, int result)
{
	if (result < 0)
		set(features, feature, UE_ANSWER_UNKNOWN, result);
	else
		set_known(features, feature, result);
}

/* The answers that follow from the failure of ue_open(). */
static void answer_without_session(struct ue_features *features, int error)
{
	int is_absent = error == -ENOENT || error == -EOPNOTSUPP;

	for (int i = 0; i < UE_FEATURES; i++)
		set(features, (enum ue_feature)i,
		    is_absent ? UE_ANSWER_NO : UE_ANSWER_UNKNOWN, error);
	if (error == -EACCES || error == -EROFS)
		set(features, UE_FEATURE_RIGHTS, UE_ANSWER_NO, error);
	if (is_absent) /* there is nothing to have rights to */
		set(features, UE_FEATURE_RIGHTS, UE_ANSWER_UNKNOWN, error);
	set(features, UE_FEATURE_CAPTURE, UE_ANSWER_NO, 0);
}

/* 1, 0 or -errno. */
static int has_flag(int fd, uint32_t flag)
{
	const struct ue__session *session;
	int result = -EBADF;

	ue__lock();
	session = ue__session_find(fd);
	if (session)
		result = session->back_end->has_flag(&session->channel, flag);
	ue__unlock();
	return result;
}

static void ask_session(struct ue_features *features, int fd)
{
	int abi = ue_abi(fd);

	set_known(features, UE_FEATURE_RIGHTS, 1);
	set_known(features, UE_FEATURE_STATUS_PAGE, abi == UE_ABI_STATUS_PAGE);
	set_known(features, UE_FEATURE_ENABLE_ADDRESS, abi == UE_ABI_ENABLE_ADDRESS);
	set_known(features, UE_FEATURE_CAPTURE, abi == UE_ABI_CAPTURE);
	set_result(features, UE_FEATURE_PERSIST, has_flag(fd, UE_EVENT_PERSIST));
	set_result(features, UE_FEATURE_MULTI_FORMAT, has_flag(fd, UE_EVENT_MULTI_FORMAT));
	/* The kernel cannot be asked through these. */
	if (abi == UE_ABI_CAPTURE || abi == UE_ABI_RING)
		set(features, UE_FEATURE_USER_EVENTS, UE_ANSWER_UNKNOWN, -ENOTTY);
	else
		set_known(features, UE_FEATURE_USER_EVENTS, 1);
	features->payload_max = (uint32_t)ue_payload_max(fd);
}

static int check(const struct ue_features *features, uint32_t which)
{
	if (features->size < sizeof(*features) || which & ~ALL)
		return -EINVAL;
	return ue__has_tail(features, sizeof(*features), features->size) ? -E2BIG : 0;
}

UE__PUBLIC int ue_features_ask(const struct ue_open_opts *opts, uint32_t which,
			   struct ue_features *features)
{
	UE__UNDISTURBED;
	size_t size = features->size;
	int fd, result = check(features, which);

	if (result)
		return result;
	memset(features, 0, sizeof(*features));
	features->size = size;
	fd = ue_open(opts);
	if (fd == -E2BIG || (fd == -EINVAL && opts))
		return fd;
	if (fd < 0) {
		features->open_error = fd;
		answer_without_session(features, fd);
	} else {
		ask_session(features, fd);
		ue_close(fd);
	}
	for (unsigned int i = 0; which && i < UE_FEATURES; i++)
		if (!(which >> i & 1))
			set(features, (enum ue_feature)i, UE_ANSWER_NOT_ASKED, 0);
	return 0;
}

UE__PUBLIC int ue_feature(const struct ue_open_opts *opts, enum ue_feature feature)
{
	struct ue_features features = { .size = sizeof(features) };

	if ((unsigned int)feature >= UE_FEATURES ||
	    ue_features_ask(opts, 1u << feature, &features))
		return UE_ANSWER_NOT_ASKED;
	return (int)features.of[feature].answer;
}
