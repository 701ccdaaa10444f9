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
 * The caller has tested the event's word (UE__WORD_SAYS). Each call that writes returns
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
#include <userevents/loss.h>
#include <userevents/session.h>

#include <userevents/abi/hide_names.h>

#ifdef __cplusplus
extern "C" {
#endif

struct ue_activity;

/* Call through the GOT: one jump less for each enabled event. */
#if defined(__has_attribute)
#if __has_attribute(__noplt__)
#define UE__NOPLT __attribute__((__noplt__))
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
 * A constant describes the event: struct ue__described, whose place has the write index in
 * a record; header and description extension as they are in the record; then operations.
 * The values are packed in a struct: numbers as in the record, for any other value a pointer
 * to it, or struct ue_span with pointer and count. The library copies the numbers up to the
 * place of the next operation, carries that out, and continues behind its pointer or struct
 * ue_span.
 *
 *	FIXED	units at the place; of elements only
 *	STRING	a string up to its NUL, and a NUL; NULL for ""
 *	TEXT	units up to a 0, at most so many (0xffff: any number), and a 0; NULL for ""
 *	BYTES	units
 *	STRINGS	so many TEXTs, of an array of pointers to them
 *	SPANS	so many counts of 16 bits with their units, of an array of struct ue_span
 *	STRUCTS	so many elements of an array. The operations up to END are those of an
 *		element; their places are in the element, and END's is its size
 *	END	the end of the operations, at the end of the values
 *
 * with COUNTED after the number of units in 16 bits. With GIVEN, which includes that, the
 * number is in a struct ue_span. With OPTIONAL there are no units where the pointer is NULL.
 * With IN_PLACE an element has the array itself in place of a pointer.
 */
struct ue__described {
	uint16_t size;	  /* of this, the header and the description */
	/* 0, or 15 and more: strings up to this length fit a small record */
	uint16_t ue__longest;
} __attribute__((__packed__));

struct ue__op {
	uint16_t at; /* place in the values, or in an element */
	uint8_t kind;
	uint8_t unit;	/* size in bytes */
	uint16_t units; /* without GIVEN */
} __attribute__((__packed__));

#define UE__OP_END 0
#define UE__OP_FIXED 1
#define UE__OP_STRING 2
#define UE__OP_TEXT 3
#define UE__OP_BYTES 4
#define UE__OP_STRINGS 5
#define UE__OP_SPANS 6
#define UE__OP_STRUCTS 7
#define UE__OP_KIND 0x0f
#define UE__OP_COUNTED 0x10
#define UE__OP_GIVEN 0x20
#define UE__OP_OPTIONAL 0x40
#define UE__OP_IN_PLACE 0x80

UE__STATIC_ASSERT(sizeof(struct ue__described) == 4 && sizeof(struct ue__op) == 6,
		  "compiled into programs");

/* Bytes behind the values that the library may read, and does not use. */
#define UE__BEHIND_VALUES 16

/* Bytes that the extension with an activity takes at most. */
#define UE__ACTIVITY_MAX 36

/*
 * Pack an event and send it. described, values: as above; the values are not changed.
 * strings: an event of numbers and STRINGs, whose longest is not 0; string: with exactly one
 * STRING. values: any event; activity, related: as of UE_WRITE_ACTIVITY(), or NULL.
 */
UE__CALLED int ue__send_string(int fd, struct ue_event *event, const void *described,
			       void *values);
UE__CALLED int ue__send_strings(int fd, struct ue_event *event, const void *described,
				void *values);
UE__CALLED int ue__send_values(int fd, struct ue_event *event, const void *described,
			       void *values, const struct ue_activity *activity,
			       const struct ue_activity *related);

/*
 * Copy a description, whose size is a constant. In cold code compilers copy byte by byte,
 * which is short.
 */
static inline __attribute__((__always_inline__)) void
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

#include <userevents/abi/restore_names.h>
#endif
