/* SPDX-License-Identifier: MIT */
/*
 * Faults of EventHeader names and events: name, sentence and error number of each; and
 * the names of other enumerations.
 */
#include <errno.h>

#include <userevents/features.h>
#include <userevents/loss.h>
#include <userevents/session.h>

#include "eventheader.h"

static const struct {
	const char *name;
	const char *reason;
	int error;
} faults[UE_FAULT_END] = {
	[UE_FAULT_NONE] = { "none", "Nothing is wrong.", 0 },

	[UE_FAULT_NAME_TOO_LONG] = { "name_too_long",
		"The tracepoint's name has more than 255 bytes.", -EOPNOTSUPP },
	[UE_FAULT_NAME_NUL] = { "name_nul",
		"The tracepoint's name has a NUL inside.", -EOPNOTSUPP },
	[UE_FAULT_NAME_NO_LEVEL] = { "name_no_level",
		"The tracepoint's name has no \"_L\" with one or two lower-case hex "
		"digits.", -EOPNOTSUPP },
	[UE_FAULT_NAME_NO_KEYWORD] = { "name_no_keyword",
		"The tracepoint's name has no \"K\" with 1 to 16 lower-case hex "
		"digits after the level.", -EOPNOTSUPP },
	[UE_FAULT_NAME_OPTIONS] = { "name_options",
		"An option in the tracepoint's name is not an upper-case letter "
		"with lower-case letters and digits.", -EOPNOTSUPP },
	[UE_FAULT_NAME_PROVIDER] = { "name_provider",
		"The provider's name is empty or has a byte that a tracepoint's "
		"name cannot have.", -EINVAL },

	[UE_FAULT_OPTS] = { "opts",
		"The options given to the reader are malformed, or of a later "
		"version.", -EINVAL },
	[UE_FAULT_EVENT_TOO_SHORT] = { "event_too_short",
		"The event is shorter than its header of 8 bytes.", -EINVAL },
	[UE_FAULT_EVENT_TOO_LONG] = { "event_too_long",
		"The event is longer than 2^31 - 1 bytes.", -EINVAL },
	[UE_FAULT_HEADER_FLAGS] = { "header_flags",
		"The header has flags that do not exist.", -EOPNOTSUPP },
	[UE_FAULT_LEVEL_MISMATCH] = { "level_mismatch",
		"The header's level is not that of the tracepoint's name.",
		-EOPNOTSUPP },
	[UE_FAULT_EXTENSION_TRUNCATED] = { "extension_truncated",
		"The event ends where an extension should begin.", -EBADMSG },
	[UE_FAULT_EXTENSION_PAST_END] = { "extension_past_end",
		"An extension is longer than the rest of the event.", -EBADMSG },
	[UE_FAULT_EXTENSION_KIND] = { "extension_kind",
		"An extension has the kind 0.", -EBADMSG },
	[UE_FAULT_EXTENSION_DUPLICATE] = { "extension_duplicate",
		"The event has two extensions of a kind.", -EBADMSG },
	[UE_FAULT_ACTIVITY_SIZE] = { "activity_size",
		"The activity extension has neither 16 nor 32 bytes.", -EBADMSG },
	[UE_FAULT_METADATA_MISSING] = { "metadata_missing",
		"The event does not describe its fields.", -EOPNOTSUPP },
	[UE_FAULT_EVENT_NAME_UNTERMINATED] = { "event_name_unterminated",
		"The event's name has no NUL.", -EBADMSG },

	[UE_FAULT_FIELD_NAME_UNTERMINATED] = { "field_name_unterminated",
		"A field's name has no NUL.", -EBADMSG },
	[UE_FAULT_FIELD_TRUNCATED] = { "field_truncated",
		"The metadata ends within the definition of a field.", -EBADMSG },
	[UE_FAULT_ENCODING_INVALID] = { "encoding_invalid",
		"A field has the encoding 0.", -EBADMSG },
	[UE_FAULT_ENCODING_UNKNOWN] = { "encoding_unknown",
		"A field has an encoding that does not exist.", -EOPNOTSUPP },
	[UE_FAULT_ARRAY_FLAGS] = { "array_flags",
		"A field is flagged as both kinds of array.", -EOPNOTSUPP },
	[UE_FAULT_ARRAY_COUNT_ZERO] = { "array_count_zero",
		"An array of constant length has no elements.", -EBADMSG },
	[UE_FAULT_STRUCT_EMPTY] = { "struct_empty",
		"A struct has no members.", -EBADMSG },
	[UE_FAULT_NESTING_TOO_DEEP] = { "nesting_too_deep",
		"Structs are nested deeper than 32 levels.", -ELOOP },
	[UE_FAULT_VALUE_PAST_END] = { "value_past_end",
		"A value is longer than the rest of the event.", -EBADMSG },
	[UE_FAULT_ARRAY_PAST_END] = { "array_past_end",
		"An array is longer than the rest of the event.", -EBADMSG },
	[UE_FAULT_STRING_UNTERMINATED] = { "string_unterminated",
		"A string has no NUL before the end of the event.", -EBADMSG },
	[UE_FAULT_STRING_PAST_END] = { "string_past_end",
		"A string is longer than the rest of the event.", -EBADMSG },
	[UE_FAULT_STEP_LIMIT] = { "step_limit",
		"The event takes more steps than its size allows.", -E2BIG },
};

static const char *const losses[UE_LOSS_REASONS] = {
	[UE_LOSS_TOO_LARGE] = "too large",
	[UE_LOSS_NO_RIGHTS] = "no rights",
	[UE_LOSS_CAPTURE_FULL] = "ring or capture full",
	[UE_LOSS_INTERRUPTED] = "interrupted",
	[UE_LOSS_OTHER] = "wrong descriptor or payload, or no memory",
};

static const char *const features[UE_FEATURES] = {
	[UE_FEATURE_USER_EVENTS] = "user_events",
	[UE_FEATURE_RIGHTS] = "rights",
	[UE_FEATURE_STATUS_PAGE] = "status_page",
	[UE_FEATURE_ENABLE_ADDRESS] = "enable_address",
	[UE_FEATURE_PERSIST] = "persist",
	[UE_FEATURE_MULTI_FORMAT] = "multi_format",
	[UE_FEATURE_CAPTURE] = "capture",
};

UE__PUBLIC const char *ue_name(enum ue_named kind, uint32_t value)
{
	if (kind == UE_NAME_LOSS && value < UE_LOSS_REASONS)
		return losses[value];
	if (kind == UE_NAME_FAULT && value < UE_FAULT_END)
		return faults[value].name;
	if (kind == UE_NAME_FAULT_REASON)
		return value < UE_FAULT_END ? faults[value].reason :
					      "An error that the library does not know.";
	if (kind == UE_NAME_FEATURE && value < UE_FEATURES)
		return features[value];
	return "unknown";
}

int ue__fault(struct ue_eventheader_error *error, enum ue_fault fault,
	      size_t offset)
{
	if (error)
		*error = (struct ue_eventheader_error){
			.error = faults[fault].error,
			.fault = fault,
			.offset = offset,
			.name = faults[fault].name,
			.reason = faults[fault].reason,
		};
	return faults[fault].error;
}
