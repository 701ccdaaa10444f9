/* SPDX-License-Identifier: MIT */
/*
 * Test the features of the system. A test that fails gives no answer, which is not the
 * same as "no"; the kernel's type information may have one.
 */
#include <errno.h>
#include <string.h>

#include <userevents/features.h>

#include "util/errno_guard.h"
#include "state/session.h"
#include "types/kernel_types.h"
#include "util/sized_struct.h"

/* The size in 0.1. */
#define FEATURES_SIZE_MIN UE__SIZE_UP_TO(struct ue_features, open_error)
#define ALL ((1u << UE_FEATURES) - 1)

_Static_assert(UE_FEATURES <= 16, "struct ue_features has room");

static void set(struct ue_features *features, enum ue_feature feature, int answer,
		int error)
{
	int is_known = answer == UE_ANSWER_YES || answer == UE_ANSWER_NO;

	features->of[feature].answer = (uint32_t)answer;
	features->of[feature].error = error;
	features->source[feature] = is_known ? UE_SOURCE_TEST : UE_SOURCE_NONE;
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

/* Type information */

static int is_unknown(const struct ue_features *features, uint32_t which)
{
	static const uint8_t known_by_types[] = {
		UE_FEATURE_USER_EVENTS, UE_FEATURE_STATUS_PAGE, UE_FEATURE_ENABLE_ADDRESS,
		UE_FEATURE_PERSIST, UE_FEATURE_MULTI_FORMAT,
	};

	for (size_t i = 0; i < sizeof(known_by_types); i++)
		if ((which ? which : ALL) >> known_by_types[i] & 1 &&
		    features->of[known_by_types[i]].answer == UE_ANSWER_UNKNOWN)
			return 1;
	return 0;
}

/* The kernel's types say nothing about a file that is not the kernel's. */
static void ask_types(struct ue_features *features, uint32_t which)
{
	struct ue__kernel_types types;

	if (features->open_error == -ENOTTY || !is_unknown(features, which))
		return;
	if (!ue__kernel_types_read(&types, NULL))
		ue__features_by_types(features, &types);
}

static int check(const struct ue_features *features, uint32_t which)
{
	if (features->size < FEATURES_SIZE_MIN || which & ~ALL)
		return -EINVAL;
	return ue__has_tail(features, sizeof(*features), features->size) ? -E2BIG : 0;
}

/* 0, or the error of malformed opts. */
static int ask(const struct ue_open_opts *opts, uint32_t which, struct ue_features *features)
{
	int fd = ue_open(opts);

	if (fd == -E2BIG || (fd == -EINVAL && opts))
		return fd;
	if (fd < 0) {
		features->open_error = fd;
		answer_without_session(features, fd);
		ask_types(features, which);
		return 0;
	}
	ask_session(features, fd);
	if (ue_abi(fd) == UE_ABI_ENABLE_ADDRESS)
		ask_types(features, which);
	ue_close(fd);
	return 0;
}

UE__PUBLIC int ue_features_ask(const struct ue_open_opts *opts, uint32_t which,
			   struct ue_features *features)
{
	UE__UNDISTURBED;
	struct ue_features found = { 0 };
	size_t size = features->size;
	int result = check(features, which);

	if (!result)
		result = ask(opts, which, &found);
	if (result)
		return result;
	for (unsigned int i = 0; which && i < UE_FEATURES; i++)
		if (!(which >> i & 1))
			set(&found, (enum ue_feature)i, UE_ANSWER_NOT_ASKED, 0);
	ue__hand_out(features, size, &found, sizeof(found));
	features->size = size;
	return 0;
}
