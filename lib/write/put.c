/* SPDX-License-Identifier: MIT */
/*
 * Pack and send EventHeader events, value by value (abi/write_calls.h).
 */
#include <errno.h>
#include <limits.h>
#include <string.h>

#include <userevents/abi/eventheader.h>
#include <userevents/abi/write_calls.h>
#include <userevents/activity.h>
#include <userevents/eventheader_fields.h>

#include "util/copy.h"
#include "write.h"

#define COLD __attribute__((cold, noinline))

/* More than any event can hold; sums of 64 of them do not wrap around. */
#define TOO_MUCH ((size_t)1 << 24)

static COLD char *lacks(char *at, struct ue__room *room, size_t size)
{
	room->missing += (uint32_t)(size < TOO_MUCH ? size : TOO_MUCH);
	if (room->missing > TOO_MUCH)
		room->missing = TOO_MUCH;
	return at;
}

static COLD char *is_wrong(char *at, struct ue__room *room, int error)
{
	if (room->error >= 0)
		room->error = error;
	return lacks(at, room, 1);
}

static int has_error(const struct ue__room *room)
{
	return room->error < 0;
}

/* More than half of an address space of 32 bits, which as a ptrdiff_t is negative. */
static inline int is_beyond(size_t size)
{
	return sizeof(size_t) < 8 && size > TOO_MUCH;
}

/*
 * The event's values of fixed size have room of their own, behind the end. Once they are
 * there, at may be behind it too, and nothing more fits.
 */
static inline int fits(const char *at, const struct ue__room *room, size_t size)
{
	return !is_beyond(size) && __builtin_expect((ptrdiff_t)size <= room->end - at, 1);
}

UE__PUBLIC char *ue__put_bytes(char *at, struct ue__room *room, const void *data, size_t size)
{
	if (__builtin_expect(!data, 0))
		return is_wrong(at, room, -EFAULT);
	if (!fits(at, room, size))
		return lacks(at, room, size);
	memcpy(at, data, size);
	return at + size;
}

/* Apart, so that common strings need fewer registers. */
static __attribute__((noinline)) char *put_other(char *at, const char *text, size_t length)
{
	ue__copy(at, text, length);
	at[length] = '\0';
	return at + length + 1;
}

UE__PUBLIC char *ue__put_string(char *at, struct ue__room *room, const char *text)
{
	size_t length;

	if (__builtin_expect(!text, 0))
		text = "";
	length = strlen(text);
	/* Read the room now, and need one register less across the call. */
	__asm__("" : "+r"(room));
	if (is_beyond(length) ||
	    __builtin_expect((ptrdiff_t)length >= room->end - at, 0))
		return lacks(at, room, length + 1);
	if (length - 8 > 8)
		return put_other(at, text, length);
	ue__copy(at, text, length);
	at += length;
	*at = '\0';
	return at + 1;
}

/* Units up to a 0, at most max of them. */
static size_t length_of(const void *text, size_t max, size_t unit)
{
	const uint16_t *text16 = text;
	const uint32_t *text32 = text;
	size_t length = 0;

	if (!text)
		return 0;
	if (unit == 1)
		return max == UE__NO_MAX ? strlen(text) : strnlen(text, max);
	if (unit == sizeof(*text16))
		while (length < max && text16[length])
			length++;
	else
		while (length < max && text32[length])
			length++;
	return length;
}

static char *put_text(char *at, struct ue__room *room, const void *text, size_t max,
		      size_t unit)
{
	size_t length = length_of(text, max, unit) * unit;

	if (!fits(at, room, length + unit))
		return lacks(at, room, length + unit);
	if (length)
		memcpy(at, text, length);
	memset(at + length, 0, unit);
	return at + length + unit;
}

static char *put_count(char *at, struct ue__room *room, const void *data, size_t count)
{
	const uint16_t count16 = (uint16_t)count;

	if (count > UINT16_MAX)
		return is_wrong(at, room, -EMSGSIZE);
	if (count && !data)
		return is_wrong(at, room, -EFAULT);
	return ue__put_bytes(at, room, &count16, sizeof(count16));
}

static char *put_counted(char *at, struct ue__room *room, const void *data, size_t count,
			 size_t unit)
{
	at = put_count(at, room, data, count);
	if (has_error(room) || !count)
		return at;
	return ue__put_bytes(at, room, data, count * unit);
}

static char *put_strings(char *at, struct ue__room *room, const void *const *texts,
			 size_t count, size_t unit)
{
	if (!texts && count)
		return is_wrong(at, room, -EFAULT);
	for (size_t i = 0; i < count; i++)
		at = put_text(at, room, texts[i], UE__NO_MAX, unit);
	return at;
}

static char *put_spans(char *at, struct ue__room *room, const struct ue_span *spans,
		       size_t count, size_t unit)
{
	if (!spans && count)
		return is_wrong(at, room, -EFAULT);
	for (size_t i = 0; i < count; i++)
		at = put_counted(at, room, spans[i].data, spans[i].length, unit);
	return at;
}

UE__PUBLIC char *ue__put(char *at, struct ue__room *room, const void *data, size_t length,
			 uint32_t how)
{
	const uint32_t kind = how & 0xff;
	const size_t unit = how >> 8;

	switch (kind) {
	case UE__ITEM_BYTES_:
		return ue__put_bytes(at, room, data, length);
	case UE__ITEM_STRING_:
		return put_text(at, room, data, length, unit);
	case UE__ITEM_COUNTED_:
		return put_counted(at, room, data, length, unit);
	case UE__ITEM_COUNTED_STRINGS_:
	case UE__ITEM_COUNTED_SPANS_:
		at = put_count(at, room, data, length);
		if (has_error(room))
			return at;
	}
	return kind < UE__ITEM_SPANS_ ? put_strings(at, room, data, length, unit) :
					put_spans(at, room, data, length, unit);
}

/* Header, activity, description */

char *ue__put_activity(char *at, const struct ue_activity *activity,
		       const struct ue_activity *related)
{
	struct ue_eventheader_extension extension = {
		.size = sizeof(activity->id),
		.kind = UE_EXTENSION_ACTIVITY | UE_EXTENSION_CHAIN,
	};

	if (!activity)
		return at;
	if (related)
		extension.size += sizeof(related->id);
	memcpy(at, &extension, sizeof(extension));
	at += sizeof(extension);
	memcpy(at, activity->id, sizeof(activity->id));
	at += sizeof(activity->id);
	if (!related)
		return at;
	memcpy(at, related->id, sizeof(related->id));
	return at + sizeof(related->id);
}

UE__PUBLIC char *ue__put_head(char *record, struct ue__room *room, const void *described,
			      size_t size, const struct ue_activity *activity,
			      const struct ue_activity *related)
{
	const size_t header = sizeof(struct ue_eventheader);
	char extension[UE__ACTIVITY_MAX];
	const size_t extra = (size_t)(ue__put_activity(extension, activity, related) -
				      extension);
	char *at = record + INDEX_SIZE;

	if (related && !activity)
		return is_wrong(at, room, -EINVAL);
	if (!fits(at, room, size + extra))
		return lacks(at, room, size + extra);
	memcpy(at, described, header);
	memcpy(at + header, extension, extra);
	at += header + extra;
	memcpy(at, (const char *)described + header, size - header);
	return at + size - header;
}

/* The record */

/*
 * 0, or why there is no room for size bytes. Room is made once: what does not fit there,
 * as a string has grown, is larger than any payload.
 */
static int check_room(const struct ue__room *room, const struct ue_event *event,
		      size_t size)
{
	if (has_error(room))
		return room->error;
	return size - INDEX_SIZE > ue__payload_max_of(event) ? -EMSGSIZE : 0;
}

/* Mapped memory is larger than every record on a stack. */
static int is_mapped(const struct ue__room *room, const char *start)
{
	return room->end - start > (ptrdiff_t)UE__MAPPED_SIZE / 2;
}

static char *make_room(struct ue__room *room, int fd, struct ue_event *event,
		       char *start, char *at, size_t fixed)
{
	int error = check_room(room, event, (size_t)(at - start) + room->missing);

	if (is_mapped(room, start))
		ue__unmap_record(start);
	start = error ? NULL : ue__map_record();
	if (!start) {
		room->error = ue__refuse(fd, event, error ? error : -ENOMEM);
		return NULL;
	}
	room->missing = 0;
	room->end = start + UE__MAPPED_SIZE - fixed;
	return start;
}

UE__PUBLIC char *ue__finish(struct ue__room *room, int fd, struct ue_event *event,
			    char *start, char *at, size_t fixed)
{
	if (room->missing)
		return make_room(room, fd, event, start, at, fixed);
	room->error = ue__send_fixed(fd, start, (size_t)(at - start), event);
	if (is_mapped(room, start))
		ue__unmap_record(start);
	return NULL;
}

UE__PUBLIC int ue__send_items(int fd, struct ue_event *event, const void *described,
			      size_t size, const struct ue_activity *activity,
			      const struct ue_activity *related,
			      const struct ue__item *items)
{
	char record[UE__RECORD + 1], *start = record, *at;
	struct ue__room room = { record + UE__RECORD, 0, 0 };

	do {
		at = ue__put_head(start, &room, described, size, activity, related);
		for (const struct ue__item *item = items; item->how; item++)
			at = ue__put(at, &room, item->data, item->length, item->how);
		start = ue__finish(&room, fd, event, start, at, 0);
	} while (start);
	return room.error;
}
