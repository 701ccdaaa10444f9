/* SPDX-License-Identifier: MIT */
/*
 * Pack and send EventHeader events of numbers and strings, which most are, in few
 * instructions (abi/write_calls.h; put.c takes any event, and whatever is unusual here).
 *
 * No register is saved, as nothing is called before the system call. Everything is copied in
 * units of 16 bytes, also where fewer are needed: the next copy overwrites the rest.
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <userevents/abi/write_calls.h>

#include "util/string_length.h"
#include "send_packed.h"
#include "write.h"

#define COLD __attribute__((cold, noinline))
#define ALWAYS_INLINE inline __attribute__((always_inline))

/* Hide the value of a loop's variable, or gcc replaces the loop by a call of memcpy(). */
#define HIDE(x) __asm__("" : "+r"(x))
/* Leave the registers to values needed more often. */
#define KEEP_IN_MEMORY(x) __asm__("" : "+m"(x))

/* Bytes behind a record, and behind values, that are copied with it. */
#define BEYOND UE__BEHIND_VALUES

static ALWAYS_INLINE void copy_16(char *to, const char *from)
{
	memcpy(to, from, 16);
}

/* The arguments of a call, kept for the slow way. */
struct kept {
	struct ue_event *event;
	const char *described, *values;
};

/* The slow way packs into the same record, as the stack may be small. */
static COLD int send_kept(int fd, const struct kept *kept, char *record)
{
	const struct ue__written written = { kept->described, kept->values, NULL, NULL };

	return ue__send_written(fd, kept->event, &written, record);
}

/* A string of fewer than 8 characters. */
static ALWAYS_INLINE void copy_short(char *to, const char *text, size_t length)
{
	if (length > 3) {
		memcpy(to, text, 4);
		memcpy(to + length - 4, text + length - 4, 4);
	} else if (length) {
		to[0] = text[0];
		to[length - 1] = text[length - 1];
		to[length / 2] = text[length / 2];
	}
}

/* One of 16 or more. No call of memcpy(), so that the caller need not save registers. */
static ALWAYS_INLINE void copy_long(char *to, const char *text, size_t length)
{
	ptrdiff_t i = (ptrdiff_t)length - 16;

	do {
		copy_16(to + i, text + i);
		i -= 16;
		HIDE(i);
	} while (i > 0);
	copy_16(to, text);
}

static ALWAYS_INLINE void copy_description(char *record, const char *described, size_t size)
{
	copy_16(record, described);
	for (size_t i = 16; __builtin_expect(i < size - 16, 0); i += 16) {
		copy_16(record + i, described + i);
		HIDE(i);
	}
	copy_16(record + size - 16, described + size - 16);
}

/* Numbers up to end; up to 15 bytes behind them are overwritten later. */
static ALWAYS_INLINE void copy_numbers(const char *from, const char *end, ptrdiff_t shift)
{
	do {
		copy_16((char *)from + shift, from);
		from += 16;
		HIDE(from);
	} while (__builtin_expect(from < end, 0));
}

/* The record begins with struct ue__described, which the index will replace. */
static ALWAYS_INLINE size_t longest_of(const char *record)
{
	uint16_t longest;

	memcpy(&longest, record + offsetof(struct ue__described, ue__longest), sizeof(longest));
	return longest;
}

/* Copy a string and its NUL into the record; 0 if it may be too long. */
static ALWAYS_INLINE int copy_string(char *to, const char *text, size_t length,
				     const char *record)
{
	if (__builtin_expect(length - 8 < 8, 1)) {
		memcpy(to, text, 8);
		memcpy(to + length - 8, text + length - 8, 8);
	} else if (length < 8) {
		copy_short(to, text, length);
	} else if (length <= longest_of(record)) {
		copy_long(to, text, length);
	} else {
		return 0;
	}
	to[length] = '\0';
	return 1;
}

/*
 * is_one: there is exactly one string. shift: from a place in the values to that in the
 * record.
 */
static ALWAYS_INLINE int send_strings(int fd, struct ue_event *event, const char *described,
				      const char *values, int is_one)
{
	const size_t size = ((const struct ue__described *)described)->size;
	const struct ue__op *op = (const void *)(described + size);
	char record[UE__SMALL_RECORD + BEYOND], *start;
	struct kept kept = { event, described, values };
	const char *place, *text;
	ptrdiff_t shift;
	size_t length;

	KEEP_IN_MEMORY(kept);
	copy_description(record, described, size);
	HIDE(values);
	shift = record + size - values;
	place = values + op->at;
	copy_numbers(values, place, shift);
	while (is_one || op->kind == UE__OP_STRING) {
		memcpy(&text, place, sizeof(text));
		if (__builtin_expect(!text, 0))
			text = "";
		length = ue__string_length(text);
		if (!copy_string((char *)place + shift, text, length, record))
			return send_kept(fd, &kept, record);
		shift += length + 1 - sizeof(text);
		values = place + sizeof(text);
		op++;
		KEEP_IN_MEMORY(kept);
		place = kept.values + op->at;
		copy_numbers(values, place, shift);
		if (is_one)
			break;
	}
	start = record;
	HIDE(start);
	KEEP_IN_MEMORY(kept);
	return ue__send_packed(fd, start, (size_t)(place + shift - start), kept.event);
}

UE__PUBLIC int ue__send_string(int fd, struct ue_event *event, const void *described,
				       void *values)
{
	return send_strings(fd, event, described, values, 1);
}

UE__PUBLIC int ue__send_strings(int fd, struct ue_event *event,
					const void *described, void *values)
{
	return send_strings(fd, event, described, values, 0);
}
