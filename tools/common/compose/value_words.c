/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "compose.h"

static int fits(struct number_type type, uint64_t number, int is_negative)
{
	int is_signed = type.format == UE_FORMAT_SIGNED_INT;
	uint64_t limit;

	if (is_negative && !is_signed)
		return !number;
	limit = UINT64_MAX >> (64 - 8u * type.size + (unsigned int)is_signed);
	return number <= limit + (uint64_t)is_negative;
}

static const char *put_integer(struct number_type type, const char *text, char **end,
			       unsigned char *at)
{
	int is_negative = *text == '-';
	unsigned long long number;

	text += is_negative;
	if (*text < '0' || *text > '9')
		return "An integer is decimal, or begins with 0x.";
	errno = 0;
	number = strtoull(text, end, text[0] == '0' && (text[1] | 32) == 'x' ? 16 : 10);
	if (errno || !fits(type, number, is_negative))
		return "The number does not fit its type.";
	if (is_negative)
		number = 0 - number;
	for (size_t i = 0; i < type.size; i++)
		at[__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? type.size - 1 - i : i] =
			(unsigned char)(number >> 8 * i);
	return NULL;
}

static int is_infinity(const char *text)
{
	text += strspn(text, " \t\n\v\f\r");
	text += *text == '-' || *text == '+';
	return *text == 'i' || *text == 'I';
}

static const char *put_real(struct number_type type, const char *text, char **end,
			    unsigned char *at)
{
	double wide = strtod(text, end);
	float narrow = (float)wide;

	if (*end == text)
		return "This is no number.";
	/* "inf" is, but nothing too large is made to be */
	if (isinf(type.size == 8 ? wide : (double)narrow) && !is_infinity(text))
		return "The number does not fit its type.";
	memcpy(at, type.size == 8 ? (void *)&wide : (void *)&narrow, type.size);
	return NULL;
}

static const char *put(struct number_type type, const char *text, char **end,
		       unsigned char *at)
{
	return type.format == UE_FORMAT_FLOAT ? put_real(type, text, end, at) :
						put_integer(type, text, end, at);
}

const char *value_number(struct number_type type, const char *text, unsigned char *at)
{
	char *end;
	const char *why = put(type, text, &end, at);

	return why || !*end ? why : "There is something behind the number.";
}

const char *value_numbers(struct number_type type, const char *text, unsigned char *at,
			  size_t room, size_t *used)
{
	const char *why;
	char *end;

	for (*used = 0; *text; *used += type.size) {
		if (type.size > room - *used)
			return "There are more numbers than there is room.";
		why = put(type, text, &end, at + *used);
		if (why)
			return why;
		if (*end && *end != ',')
			return "Commas separate the numbers of an array.";
		if (*end && !end[1])
			return "A number is missing behind the last comma.";
		text = end + (*end == ',');
	}
	return NULL;
}

static int nibble(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 32;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

const char *value_hex(const char *text, unsigned char *at, size_t room, size_t *used)
{
	for (*used = 0; *text;) {
		int high, low;

		if (*text == ' ') {
			text++;
			continue;
		}
		high = nibble(text[0]);
		low = high < 0 ? -1 : nibble(text[1]);
		if (low < 0)
			return "Bytes are given in hex, two digits each: 0aff or \"0a ff\".";
		if (*used == room)
			return "There are more bytes than there is room.";
		at[(*used)++] = (unsigned char)(high << 4 | low);
		text += 2;
	}
	return NULL;
}
