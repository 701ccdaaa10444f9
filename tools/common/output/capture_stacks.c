/* SPDX-License-Identifier: MIT */
/* Packs stacks: an address is written as the difference from the one before. */
#include "capture_stacks.h"

#include "common/records/byte_cursor.h"

/* Small numbers for small differences, of both signs. */
static uint64_t zigzag(uint64_t difference)
{
	return difference << 1 ^ (uint64_t)((int64_t)difference >> 63);
}

static uint8_t *put_stack(uint8_t *at, const struct ue_page_event *event, uint64_t *last)
{
	const uint64_t *stack = ue_page_event_stack(event);

	at = varint_put(at, event->frames * 2u + !!event->is_stack_cut);
	for (uint32_t i = 0; i < event->frames; i++) {
		at = varint_put(at, zigzag(stack[i] - *last));
		*last = stack[i];
	}
	return at;
}

struct capture_file_stacks capture_stacks_pack(const struct ue_captured_page *page,
					       struct bytes *packed)
{
	struct capture_file_stacks record = { .head.kind = CAPTURE_FILE_STACKS };
	uint64_t last = 0;
	uint32_t next = 0;

	packed->length = 0;
	for (uint32_t i = 0; i < page->event_count; i++) {
		const struct ue_page_event *event = &page->events[i];
		uint8_t *at;

		if (!event->frames)
			continue;
		at = bytes_room(packed, (event->frames + 2u) * VARINT_MOST);
		at = varint_put(at, i - next);
		at = put_stack(at, event, &last);
		packed->length = (size_t)(at - packed->at);
		next = i + 1;
		record.count++;
		if (record.asked < event->frames_asked)
			record.asked = event->frames_asked;
	}
	return record;
}
