/* SPDX-License-Identifier: MIT */
/* Appends text and numbers; printf(3) would be most of what a line costs. */
#ifndef UE__TOOLS_OUTPUT_PUT_TEXT_H
#define UE__TOOLS_OUTPUT_PUT_TEXT_H

#include <stdint.h>
#include <string.h>

#include "common/cli/bytes.h"

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
