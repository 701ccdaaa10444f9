/* SPDX-License-Identifier: MIT */
/*
 * Skip the members of an empty array of structs. Every element of the array around it
 * repeats this, so their end is remembered.
 */
#include <assert.h>

#include "cursor.h"

static struct ue__skip *remembered(struct ue__reader *reader, uint32_t at)
{
	if (!reader->has_skips) {
		memset(reader->skips, 0, sizeof(reader->skips));
		reader->has_skips = 1;
	}
	return &reader->skips[(at * 0x9e3779b1u) >> 27];
}

static_assert(UE__SKIPS == 1u << (32 - 27), "index by the top bits");

int ue__pass_over(struct ue__reader *reader, uint32_t *at, uint8_t members)
{
	struct ue__skip *skip = remembered(reader, *at);
	uint32_t begin = *at, end = *at, left = members;

	/* no member is at 0, where the event's name is */
	if (skip->begin == begin) {
		*at = skip->end;
		return 0;
	}
	for (; left && end < reader->metadata_length; left--) {
		struct ue__event_field field;
		int result = ue__take_definition(reader, end, &field);

		if (result)
			return result;
		if (field.encoding == UE_ENCODING_STRUCT)
			left += field.format;
		end = field.end;
	}
	skip->begin = (uint16_t)begin;
	skip->end = (uint16_t)end;
	*at = end;
	return 0;
}
