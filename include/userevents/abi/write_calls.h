/* SPDX-License-Identifier: MIT */
/*
 * The calls that UE_EVENT(), UE_EVENTHEADER(), UE_WRITE() and UE_WRITE_EVENTHEADER() compile
 * into a program. Nothing here is for direct use.
 *
 * This is the ABI between programs and later versions of the library: numbers, structs and
 * meanings below are compiled into programs and never change. A later version may add calls.
 *
 * Record: the bytes that one system call gets, of native byte order and without padding.
 *
 *	offset 0	write index, 4 bytes, which the library sets
 *	offset 4	classic event: the fields; then the bytes of the location fields, in
 *			the order of the fields
 *			EventHeader event: header (8), activity extension (0, 20 or 36),
 *			description extension, values
 *
 * One byte behind the record belongs to the library, too: it writes a NUL or padding there.
 *
 * Whoever calls has tested the event's word (UE__WORD_SAYS). Each call that writes returns
 * 0 or the error that ue_write() would return, and counts a lost event.
 *
 * Any thread, signal handlers too; no cancellation point; errno stays as it is.
 */
#ifndef USEREVENTS_ABI_WRITE_CALLS_H
#define USEREVENTS_ABI_WRITE_CALLS_H

#include <stddef.h>
#include <stdint.h>

#include <userevents/abi/event_state.h>
#include <userevents/language.h>
#include <userevents/session.h>

#ifdef __cplusplus
extern "C" {
#endif

struct ue_activity;

/* Call through the GOT: one jump less for each enabled event. */
#if defined(__has_attribute)
#if __has_attribute(noplt)
#define UE__NOPLT __attribute__((noplt))
#endif
#endif
#ifndef UE__NOPLT
#define UE__NOPLT
#endif
#define UE__CALLED UE__PUBLIC UE__NOPLT

/*
 * UE__RECORD: bytes for a record with fields of variable size, beside what its fixed fields
 * take. What does not fit goes by reference (classic) or into memory that is mapped for it
 * (EventHeader).
 * UE__SMALL_RECORD: a record of at most this size is sent without asking what the session
 * takes.
 */
#define UE__RECORD 1280
#define UE__SMALL_RECORD (sizeof(uint32_t) + UE_PAYLOAD_MAX_LEAST)
UE__STATIC_ASSERT(UE__SMALL_RECORD == 2052 && UE_PAYLOAD_MAX_PERF == 8184,
		  "compiled into programs");

/* Whole records */

/*
 * Send a record of size bytes, index included; of UE__SMALL_RECORD bytes at most and not
 * empty (send_small), or of any size (send_fixed).
 */
UE__CALLED int ue__send_small(int fd, void *record, size_t size,
			      struct ue_event *event);
UE__CALLED int ue__send_fixed(int fd, void *record, size_t size,
			      struct ue_event *event);
/* ue__send_small() of a record whose end is known. */
UE__CALLED int ue__send_between(int fd, char *record, char *end,
				struct ue_event *event);

/* Count an event that cannot be sent, for an error that the caller found. Returns it. */
UE__PUBLIC int ue__refuse(int fd, struct ue_event *event, int error);

/* Classic events with fields of variable size */

/* A value, and the location field that refers to it. */
struct ue__piece {
	const void *data;
	uint32_t length;   /* without the NUL that may follow; not of a string */
	uint16_t located;  /* offset in the record of the location field's end */
	uint8_t kind;
	uint8_t is_first; /* 1 or 0: the library finds the first from any of them */
};

#define UE__BYTES 0u	    /* length bytes */
#define UE__TERMINATED 1u   /* length bytes and a NUL */
#define UE__STRING_PIECE 2u /* up to its NUL; and a NUL. NULL for "" */
#define UE__NO_MAX 0xffffffffu

UE__STATIC_ASSERT(sizeof(struct ue__piece) == sizeof(void *) + 8 &&
			  offsetof(struct ue__piece, length) == sizeof(void *) &&
			  offsetof(struct ue__piece, located) == sizeof(void *) + 4 &&
			  offsetof(struct ue__piece, kind) == sizeof(void *) + 6 &&
			  offsetof(struct ue__piece, is_first) == sizeof(void *) + 7,
		  "compiled into programs");

/*
 * Send a record with pieces, at least one. The pieces lie right before the record, so that
 * its address ends them; the record has UE__RECORD bytes, or more if its fixed fields take
 * more, and one byte behind that. event->ue__fixed_size bytes behind the index are set, but
 * for the location fields, which the library sets. piece: the first.
 */
UE__CALLED int ue__send_pieces(int fd, struct ue_event *event, void *record,
			       struct ue__piece *piece);

/* Copy at most size - 1 bytes of a string, and NULs up to size. text: NULL for "". */
UE__PUBLIC void ue__set_chars(char *to, const char *text, size_t size);

/*
 * EventHeader events
 *
 * Each call puts its value at at and returns the end. A value that does not fit is left out
 * and its size remembered, so that ue__finish() can get room for exactly what is needed and
 * the caller begins again. An invalid value is remembered too, and counts as not fitting.
 */
struct ue__room {
	char *end;	  /* of the room for values of variable size */
	uint32_t missing; /* bytes that did not fit; not 0 after an error */
	int32_t error;	  /* 0 or -errno */
};

UE__STATIC_ASSERT(sizeof(struct ue__room) == sizeof(void *) + 8 &&
			  offsetof(struct ue__room, missing) == sizeof(void *) &&
			  offsetof(struct ue__room, error) == sizeof(void *) + 4,
		  "compiled into programs");

/* Bytes that the extension with an activity takes at most. */
#define UE__ACTIVITY_MAX 36

/*
 * Begin a record: header, activity, description.
 *
 * described, size: header and description extension, complete. activity, related: as of
 * UE_WRITE_ACTIVITY(), or NULL. Returns the place of the first value.
 */
UE__CALLED char *ue__put_head(char *record, struct ue__room *room, const void *described,
			      size_t size, const struct ue_activity *activity,
			      const struct ue_activity *related);
/* A string up to its NUL, and a NUL. text: NULL for "". */
UE__CALLED char *ue__put_string(char *at, struct ue__room *room, const char *text);
/* Bytes. data: NULL is an error, also for no bytes. */
UE__CALLED char *ue__put_bytes(char *at, struct ue__room *room, const void *data,
			       size_t size);
/*
 * Any value. how: kind, and the size of a unit << 8.
 *
 *	BYTES		length bytes, as ue__put_bytes()
 *	STRING		units up to a 0, at most length of them, and a 0
 *	COUNTED		u16 length, and so many units; the count alone with a unit of 0
 *	STRINGS		length strings, of an array of pointers to them
 *	SPANS		length COUNTED values, of an array of struct ue_span
 *	COUNTED_...	u16 length, then the same
 */
UE__CALLED char *ue__put(char *at, struct ue__room *room, const void *data, size_t length,
			 uint32_t how);

#define UE__ITEM_END_ 0u
#define UE__ITEM_BYTES_ 1u
#define UE__ITEM_STRING_ 2u
#define UE__ITEM_COUNTED_ 3u
#define UE__ITEM_STRINGS_ 4u
#define UE__ITEM_COUNTED_STRINGS_ 5u
#define UE__ITEM_SPANS_ 6u
#define UE__ITEM_COUNTED_SPANS_ 7u
#define UE__ITEM_COUNT UE__ITEM_COUNTED_

/*
 * Write a record that is complete, or get room for it.
 *
 * start, at: the record. fixed: bytes of values that have room behind room->end.
 *
 * Returns NULL when all is done, with the result in room->error; or another start, to put
 * everything there once more.
 */
UE__CALLED char *ue__finish(struct ue__room *room, int fd, struct ue_event *event,
			    char *start, char *at, size_t fixed);

/* The arguments of ue__put(), of UE_WRITE_EVENTHEADER(). */
struct ue__item {
	const void *data;
	size_t length;
	uint32_t how; /* 0 ends a list */
};

UE__STATIC_ASSERT(sizeof(struct ue__item) == 3 * sizeof(void *) &&
			  offsetof(struct ue__item, length) == sizeof(void *) &&
			  offsetof(struct ue__item, how) == 2 * sizeof(void *),
		  "compiled into programs");

/* All of it: head, items, finish, in a record of UE__RECORD bytes on the stack. */
UE__CALLED int ue__send_items(int fd, struct ue_event *event, const void *described,
			      size_t size, const struct ue_activity *activity,
			      const struct ue_activity *related,
			      const struct ue__item *items);

/*
 * Copy a description, whose size is a constant. In cold code compilers copy byte by byte,
 * which is short.
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

#ifdef __cplusplus
}
#endif

#endif
