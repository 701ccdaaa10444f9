/* SPDX-License-Identifier: MIT */
/*
 * Answers questions about features by the kernel's types, where a test has no answer.
 */
#include <userevents/features.h>

#include "kernel_types.h"

static void set_by_types(struct ue_features *features, enum ue_feature feature,
			 enum ue__known known)
{
	if (features->of[feature].answer != UE_ANSWER_UNKNOWN || known == UE__KNOWN_MAYBE)
		return;
	features->of[feature].answer = known == UE__KNOWN_YES ? UE_ANSWER_YES : UE_ANSWER_NO;
	features->of[feature].error = 0;
	features->source[feature] = UE_SOURCE_TYPES;
}

static enum ue__known is_generation(const struct ue__kernel_types *types,
				    enum ue__generation generation)
{
	if (types->generation == UE__GENERATION_OTHER)
		return UE__KNOWN_MAYBE;
	return types->generation == generation ? UE__KNOWN_YES : UE__KNOWN_NO;
}

void ue__features_by_types(struct ue_features *features, const struct ue__kernel_types *types)
{
	const enum ue__known is_page = is_generation(types, UE__GENERATION_BIT);
	const enum ue__known is_address = is_generation(types, UE__GENERATION_ADDRESS);

	/* the library knows two interfaces; that with a byte for each event is none of them */
	set_by_types(features, UE_FEATURE_USER_EVENTS,
		     is_page == UE__KNOWN_YES ? is_page : is_address);
	set_by_types(features, UE_FEATURE_STATUS_PAGE, is_page);
	set_by_types(features, UE_FEATURE_ENABLE_ADDRESS, is_address);
	set_by_types(features, UE_FEATURE_PERSIST, types->persist);
	set_by_types(features, UE_FEATURE_MULTI_FORMAT, types->multi_format);
}
