/* SPDX-License-Identifier: MIT */
/* Lines of text, a record each, in columns. */
#ifndef UE__TOOLS_COMMON_OUTPUT_TEXT_LINE_H
#define UE__TOOLS_COMMON_OUTPUT_TEXT_LINE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "common/cli/memory.h"
#include "common/records/record.h"
#include "time_column.h"

struct text_line {
	uint32_t meta; /* UE_META_*: the columns, and what follows the fields */
	int has_colour;
	struct time_column time;
	/* Columns are as wide as their widest so far. */
	size_t who_width;
	size_t name_width;
};

/* Members of meta that are columns; the others are rendered with the fields. */
#define TEXT_LINE_COLUMNS                                                        \
	(UE_META_TIME | UE_META_CPU | UE_META_PID | UE_META_TID | UE_META_COMM | \
	 UE_META_LOST)

/* The part before the event: lines about losses and the date, and the columns. */
void text_line_begin(struct text_line *line, struct bytes *to, const struct record *record);
/*
 * The event was rendered from this byte on, its name first if meta has UE_META_N. Align and
 * colour the name, and end the line.
 */
void text_line_end(struct text_line *line, struct bytes *to, size_t begin,
		   const struct record *record);

/* Prints the parts of an event's name, and its listeners. */

/* "provider Shop, level 4 (information), keyword 0x1"; 0, and nothing for other names. */
int eventheader_print(const char *before, const char *name, size_t length);
/* ,"provider":"Shop","level":4,"keyword":"0x1"; nothing for another name. */
void eventheader_print_json(const char *name, size_t length);

/* Listeners are UE_USER_*. */

/* "ftrace perf", or "none". */
void listeners_print(uint32_t users);
/* ,"listeners":["ftrace","perf"] */
void listeners_print_json(uint32_t users);

/* Appends text and numbers; printf(3) would be most of what a line costs. */

static inline void put(struct bytes *to, const char *text)
{
	bytes_add(to, text, strlen(text));
}

/* Two digits at once: a division is most of what a digit costs. */
static inline char *put_digits(char *end, uint64_t number)
{
	static const char two_digits[] = "00010203040506070809"
					 "10111213141516171819"
					 "20212223242526272829"
					 "30313233343536373839"
					 "40414243444546474849"
					 "50515253545556575859"
					 "60616263646566676869"
					 "70717273747576777879"
					 "80818283848586878889"
					 "90919293949596979899";

	for (; number >= 100; number /= 100)
		memcpy(end -= 2, two_digits + number % 100 * 2, 2);
	if (number >= 10)
		return memcpy(end - 2, two_digits + number * 2, 2);
	*--end = (char)('0' + number);
	return end;
}

static inline int digits_of(uint64_t number)
{
	int digits = 1;

	for (; number >= 100; number /= 100)
		digits += 2;
	return digits + (number >= 10);
}

/* Right-aligned in this width, which is at most 32. */
static inline void put_number(struct bytes *to, uint64_t number, int width, char fill)
{
	const int digits = digits_of(number), length = digits < width ? width : digits;
	char *const begin = bytes_room(to, 32);
	char *at = put_digits(begin + length, number);

	while (at > begin)
		*--at = fill;
	to->length += (size_t)length;
}

static inline void put_blanks(struct bytes *to, size_t count)
{
	memset(bytes_room(to, count), ' ', count);
	to->length += count;
}

#endif
