/* SPDX-License-Identifier: MIT */
/*
 * The features that the system offers to this process. The library tests each feature
 * instead of the kernel's version; if it cannot test one, it asks the kernel's type information
 * (BTF). "userevents doctor" prints the same and more.
 */
#ifndef USEREVENTS_FEATURES_H
#define USEREVENTS_FEATURES_H

#include <stddef.h>
#include <stdint.h>

#include <userevents/abi/event_state.h>
#include <userevents/session.h>

#include <userevents/abi/hide_names.h>

#ifdef __cplusplus
extern "C" {
#endif

enum ue_feature {
	UE_FEATURE_USER_EVENTS,	   /* user_events, with a known interface */
	UE_FEATURE_RIGHTS,	   /* this process may register and write events */
	UE_FEATURE_STATUS_PAGE,	   /* the interface of Linux 6.1 to 6.3 */
	UE_FEATURE_ENABLE_ADDRESS, /* that of Linux 6.4 and later */
	UE_FEATURE_PERSIST,	   /* UE_EVENT_PERSIST, given the rights for it */
	UE_FEATURE_MULTI_FORMAT,   /* UE_EVENT_MULTI_FORMAT */
	UE_FEATURE_CAPTURE,	   /* the descriptor is a capture's, not the kernel's */
	UE_FEATURES,		   /* the number of features */
};

/* An answer, also for a feature that was not requested or could not be tested. */
enum ue_answer {
	UE_ANSWER_NOT_ASKED = 0,
	UE_ANSWER_YES,
	UE_ANSWER_NO,
	UE_ANSWER_UNKNOWN, /* the test failed, with the error below */
};

/* How an answer of YES or NO was found. */
enum ue_source {
	UE_SOURCE_NONE = 0, /* there is no such answer */
	UE_SOURCE_TEST,	    /* a request to the kernel, or its files */
	/* The types of the running kernel: it is built so, whatever this process may do. */
	UE_SOURCE_TYPES,
};

/* All answers. Zero it and set size; the rest is filled in. */
struct ue_features {
	size_t size; /* sizeof(struct ue_features) */
	struct {
		uint32_t answer; /* enum ue_answer */
		int32_t error;	 /* -errno of the test, for NO and UNKNOWN; or 0 */
	} of[16]; /* by enum ue_feature */
	uint32_t payload_max; /* ue_payload_max(); 0: not known */
	int32_t open_error;   /* of ue_open(), for ue_explain(UE_CALL_OPEN, ...); or 0 */
	uint8_t source[16];   /* enum ue_source, by enum ue_feature */
};

/*
 * Test the features.
 *
 * opts: how to open, as for ue_open(); NULL for the defaults.
 * which: the features to test, as bits 1 << enum ue_feature; 0: all. Others are
 *   UE_ANSWER_NOT_ASKED.
 * features: overwritten, but for size.
 *
 * Opens a session and closes it; nothing is registered. If no session can be opened on the
 * kernel's file (no rights, no tracefs), or a test fails, the kernel's type information
 * answers for USER_EVENTS, STATUS_PAGE, ENABLE_ADDRESS, PERSIST and MULTI_FORMAT.
 * It takes no rights, but a kernel with CONFIG_DEBUG_INFO_BTF, and libbpf (libbpf.so.1), which
 * the library opens for this and closes again; that reads some MB. It does not know
 * whether Linux 6.4 to 6.8 accept UE_EVENT_PERSIST in all cases; then that stays unknown. A
 * test goes first: what the process can use may be less than the kernel has.
 *
 * Returns 0, whatever the answers, or
 *   -EINVAL  features->size is too small, which has unknown bits; or, where opts is not
 *            NULL, ue_open() returns it;
 *   -E2BIG   features or opts come from a later version and use what this one lacks.
 * Any thread; not in signal handlers. Leaves errno alone. Since 0.1.
 */
UE__PUBLIC int ue_features_ask(const struct ue_open_opts *opts, uint32_t which,
			   struct ue_features *features);

/*
 * One answer: enum ue_answer.
 *
 * opts, feature: as above.
 *
 * Returns the answer; UE_ANSWER_NOT_ASKED for an unknown feature or malformed opts. Any
 * thread; not in signal handlers. Leaves errno alone. Since 0.1.
 */
static inline int ue_feature(const struct ue_open_opts *opts, enum ue_feature feature)
{
	struct ue_features features;

	__builtin_memset(&features, 0, sizeof(features));
	features.size = sizeof(features);
	if (UE__CAST(uint32_t, feature) >= UE_FEATURES ||
	    ue_features_ask(opts, 1u << feature, &features))
		return UE_ANSWER_NOT_ASKED;
	return UE__CAST(int, features.of[feature].answer);
}

#ifdef __cplusplus
}
#endif

#include <userevents/abi/restore_names.h>
#endif
