/* SPDX-License-Identifier: MIT */
/*
 * What the functions of EventHeader events call to put values of variable size. Not for
 * direct use: UE_EVENTHEADER() and UE_WRITE_EVENTHEADER() of eventheader_event.h are.
 *
 * Each puts its value at "at" and returns the place behind it. What does not fit is left
 * out and its size remembered, so that the function can make room for exactly what it
 * needs and begin again; a wrong value is remembered too, and counts as not fitting.
 */
#ifndef USEREVENTS_ABI_WRITE_CALLS_H
#define USEREVENTS_ABI_WRITE_CALLS_H

#include <stddef.h>
#include <stdint.h>

#include <userevents/activity.h>
#include <userevents/abi/event_state.h>
#include <userevents/eventheader_fields.h>
#include <userevents/classic_event.h>

#ifdef __cplusplus
extern "C" {
#endif

struct ue__room {
	char *end;
	uint32_t missing; /* bytes that did not fit; not 0 after an error */
	int32_t error;	  /* -errno; 1: room was made */
};

/* Fixed bytes of an element; NULL is an error. */
UE__PUBLIC UE__NOPLT char *ue__put_bytes(char *at, struct ue__room *room, const void *data,
				     size_t size);
/* Up to its NUL, and a NUL. */
UE__PUBLIC UE__NOPLT char *ue__put_string(char *at, struct ue__room *room, const char *text);
/* At most the first max bytes of that. */
UE__PUBLIC UE__NOPLT char *ue__put_string_max(char *at, struct ue__room *room,
					  const char *text, size_t max);
/* The same for characters of 1, 2 or 4 bytes. */
UE__PUBLIC UE__NOPLT char *ue__put_wide(char *at, struct ue__room *room, const void *text,
				    size_t unit);
/* A count, and so many units. */
UE__PUBLIC UE__NOPLT char *ue__put_counted(char *at, struct ue__room *room, const void *data,
				       size_t count, size_t unit);
/* The count of an array of structs. */
UE__PUBLIC UE__NOPLT char *ue__put_count(char *at, struct ue__room *room, const void *data,
				     size_t count);
/* Nothing; NULL is an error. */
UE__PUBLIC UE__NOPLT char *ue__put_not_null(char *at, struct ue__room *room, const void *data);
/* Arrays of strings and of spans, without and with their count before them. */
UE__PUBLIC UE__NOPLT char *ue__put_strings(char *at, struct ue__room *room, const void *texts,
				       size_t count, size_t unit);
UE__PUBLIC UE__NOPLT char *ue__put_counted_strings(char *at, struct ue__room *room,
					       const void *texts, size_t count,
					       size_t unit);
UE__PUBLIC UE__NOPLT char *ue__put_spans(char *at, struct ue__room *room,
				     const struct ue_span *spans, size_t count,
				     size_t unit);
UE__PUBLIC UE__NOPLT char *ue__put_counted_spans(char *at, struct ue__room *room,
					     const struct ue_span *spans, size_t count,
					     size_t unit);

/*
 * Room for all of a record that has got from start to at, and of which fixed bytes have
 * their room anyway: a new start, or NULL, with the error in room.
 */
UE__PUBLIC UE__NOPLT char *ue__make_room(struct ue__room *room, int fd,
				     const struct ue_event *event, char *start, char *at,
				     size_t fixed);

/* Send a record that is complete, and give back the room that was made. */
UE__PUBLIC UE__NOPLT int ue__send_room(struct ue__room *room, int fd,
				   const struct ue_event *event, char *start, char *at);

/* Bytes that the extension with an activity takes at most. */
#define UE__ACTIVITY_MAX 36

/* The extension with an activity, or nothing. */
UE__PUBLIC UE__NOPLT char *ue__put_activity(char *at, const struct ue_activity *activity,
					const struct ue_activity *related);

/*
 * Copy a description, whose size is a constant. Compilers copy by the byte in cold code,
 * since that is short.
 */
static inline __attribute__((always_inline)) void
ue__copy_description(char *to, const void *from, size_t size)
{
	const char *bytes = UE__CAST(const char *, from);

#define UE__COPY_16(n)                                        \
	if (size > (n) + 16 && size <= 256)                   \
		__builtin_memcpy(to + (n), bytes + (n), 16);
	UE__COPY_16(0) UE__COPY_16(16) UE__COPY_16(32) UE__COPY_16(48)
	UE__COPY_16(64) UE__COPY_16(80) UE__COPY_16(96) UE__COPY_16(112)
	UE__COPY_16(128) UE__COPY_16(144) UE__COPY_16(160) UE__COPY_16(176)
	UE__COPY_16(192) UE__COPY_16(208) UE__COPY_16(224)
#undef UE__COPY_16
	if (size >= 16 && size <= 256)
		__builtin_memcpy(to + size - 16, bytes + size - 16, 16);
	else
		__builtin_memcpy(to, bytes, size);
}

/* Send a record of at most UE__SMALL_RECORD bytes that lies between these, index first. */
UE__PUBLIC UE__NOPLT int ue__send_log(int fd, const struct ue_event *event, char *record,
				  char *end);

/* What UE_WRITE_EVENTHEADER() has. */
struct ue__item {
	const void *data;
	size_t length;
	uint32_t unit;
	uint32_t kind;
};

#define UE__ITEM_END 0u
#define UE__ITEM_BYTES 1u
#define UE__ITEM_STRING 2u
#define UE__ITEM_WIDE 3u
#define UE__ITEM_COUNTED 4u
#define UE__ITEM_STRINGS 5u
#define UE__ITEM_COUNTED_STRINGS 6u
#define UE__ITEM_SPANS 7u
#define UE__ITEM_COUNTED_SPANS 8u

/* Pack and write what UE_WRITE_EVENTHEADER() has. */
UE__PUBLIC UE__NOPLT int ue__log(int fd, const struct ue_event *event, const void *described,
			     size_t size, const struct ue_activity *activity,
			     const struct ue_activity *related,
			     const struct ue__item *items);

#ifdef __cplusplus
}
#endif

#endif
