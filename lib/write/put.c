/* SPDX-License-Identifier: MIT */
/*
 * Put values of variable size into an EventHeader event (abi/write_calls.h).
 */
#include <errno.h>
#include <limits.h>
#include <string.h>

#include <userevents/abi/eventheader.h>
#include <userevents/abi/write_calls.h>

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

UE__PUBLIC char *ue__put_string_max(char *at, struct ue__room *room, const char *text,
				size_t max)
{
	size_t length = text ? strnlen(text, max) : 0;

	if (!fits(at, room, length + 1))
		return lacks(at, room, length + 1);
	if (length)
		memcpy(at, text, length);
	at[length] = '\0';
	return at + length + 1;
}

static size_t wide_length(const void *text, size_t unit)
{
	const uint16_t *text16 = text;
	const uint32_t *text32 = text;
	size_t length = 0;

	if (!text)
		return 0;
	if (unit == 1)
		return strlen(text);
	if (unit == sizeof(*text16))
		while (text16[length])
			length++;
	else
		while (text32[length])
			length++;
	return length;
}

UE__PUBLIC char *ue__put_wide(char *at, struct ue__room *room, const void *text, size_t unit)
{
	size_t length = wide_length(text, unit) * unit;

	if (!fits(at, room, length + unit))
		return lacks(at, room, length + unit);
	if (length)
		memcpy(at, text, length);
	memset(at + length, 0, unit);
	return at + length + unit;
}

UE__PUBLIC char *ue__put_count(char *at, struct ue__room *room, const void *data, size_t count)
{
	const uint16_t count16 = (uint16_t)count;

	if (count > UINT16_MAX)
		return is_wrong(at, room, -EMSGSIZE);
	if (count && !data)
		return is_wrong(at, room, -EFAULT);
	return ue__put_bytes(at, room, &count16, sizeof(count16));
}

UE__PUBLIC char *ue__put_counted(char *at, struct ue__room *room, const void *data,
			     size_t count, size_t unit)
{
	at = ue__put_count(at, room, data, count);
	if (has_error(room) || !count)
		return at;
	return ue__put_bytes(at, room, data, count * unit);
}

UE__PUBLIC char *ue__put_strings(char *at, struct ue__room *room, const void *texts,
			     size_t count, size_t unit)
{
	const void *const *text = texts;

	if (!texts && count)
		return is_wrong(at, room, -EFAULT);
	for (size_t i = 0; i < count; i++)
		at = unit == 1 ? ue__put_string(at, room, text[i]) :
				 ue__put_wide(at, room, text[i], unit);
	return at;
}

UE__PUBLIC char *ue__put_counted_strings(char *at, struct ue__room *room, const void *texts,
				     size_t count, size_t unit)
{
	at = ue__put_count(at, room, texts, count);
	return has_error(room) ? at : ue__put_strings(at, room, texts, count, unit);
}

UE__PUBLIC char *ue__put_spans(char *at, struct ue__room *room, const struct ue_span *spans,
			   size_t count, size_t unit)
{
	if (!spans && count)
		return is_wrong(at, room, -EFAULT);
	for (size_t i = 0; i < count; i++)
		at = ue__put_counted(at, room, spans[i].data, spans[i].length, unit);
	return at;
}

UE__PUBLIC char *ue__put_counted_spans(char *at, struct ue__room *room,
				   const struct ue_span *spans, size_t count, size_t unit)
{
	at = ue__put_count(at, room, spans, count);
	return has_error(room) ? at : ue__put_spans(at, room, spans, count, unit);
}

UE__PUBLIC char *ue__put_not_null(char *at, struct ue__room *room, const void *data)
{
	return data ? at : is_wrong(at, room, -EFAULT);
}

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

UE__PUBLIC char *ue__make_room(struct ue__room *room, int fd, const struct ue_event *event,
			   char *start, char *at, size_t fixed)
{
	const int is_mapped = room->error == 1;
	int error = check_room(room, event, (size_t)(at - start) + room->missing);

	if (is_mapped)
		ue__unmap_record(start);
	start = error ? NULL : ue__map_record();
	if (!start) {
		room->error = ue__refuse(fd, event, error ? error : -ENOMEM);
		return NULL;
	}
	room->missing = 0;
	room->error = 1;
	room->end = start + UE__MAPPED_SIZE - fixed;
	return start;
}

UE__PUBLIC int ue__send_room(struct ue__room *room, int fd, const struct ue_event *event,
			 char *start, char *at)
{
	int result = ue__send_fixed(fd, event, start, (size_t)(at - start));

	if (room->error == 1)
		ue__unmap_record(start);
	return result;
}

UE__PUBLIC char *ue__put_activity(char *at, const struct ue_activity *activity,
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
