/* SPDX-License-Identifier: MIT */
/*
 * Numbers as text, without locale and without a NUL. Each function returns the end of its
 * text, at most UE__ROOM bytes.
 */
#ifndef UE__UTIL_NUMBER_TEXT_H
#define UE__UTIL_NUMBER_TEXT_H

#include <stdint.h>
#include <string.h>

#include "byte_buffer.h"

/* "00" to "99" */
extern UE__HIDDEN const char ue__two_digits[201];

/* 10, 100, ... */
extern UE__HIDDEN const uint64_t ue__powers10[20];

static inline uint32_t ue__decimal_digits(uint64_t value)
{
	/* log10(2) is a little more than 1233 / 4096 */
	uint32_t bits = 64 - (uint32_t)__builtin_clzll(value | 1);
	uint32_t digits = bits * 1233 >> 12;

	return digits + (value >= ue__powers10[digits]);
}

static inline char *ue__put_decimal(char *at, uint64_t value)
{
	char *end, *to;
	uint32_t low;

	if (value < 10) {
		*at = (char)('0' + value);
		return at + 1;
	}
	end = to = at + ue__decimal_digits(value);
	for (; value > UINT32_MAX; value /= 100)
		memcpy(to -= 2, ue__two_digits + value % 100 * 2, 2);
	for (low = (uint32_t)value; low >= 100; low /= 100)
		memcpy(to -= 2, ue__two_digits + low % 100 * 2, 2);
	if (low >= 10)
		memcpy(to - 2, ue__two_digits + low * 2, 2);
	else
		to[-1] = (char)('0' + low);
	return end;
}

static inline char *ue__put_signed(char *at, int64_t value)
{
	if (value >= 0)
		return ue__put_decimal(at, (uint64_t)value);
	*at++ = '-';
	return ue__put_decimal(at, 0 - (uint64_t)value);
}

/* Two digits, for clocks. */
static inline char *ue__put_two(char *at, uint32_t value)
{
	memcpy(at, ue__two_digits + value * 2, 2);
	return at + 2;
}

/* "0x1F" */
char *ue__put_hex(char *at, uint64_t value);
/* "0f" */
char *ue__put_byte(char *at, uint8_t byte);
/* 16 bytes as 8-4-4-4-12 hexadecimal digits. */
char *ue__put_uuid(char *at, const uint8_t *uuid);
/* "EPERM(1)", or "ERRNO(n)" for one without a name. */
char *ue__put_errno(char *at, int64_t number);
/* Seconds since 1970 as "YYYY-MM-DDThh:mm:ss", or "TIME(n)" beyond all years. */
char *ue__put_time(char *at, int64_t seconds);
/* The fewest digits that read back as the same number; "inf", "-nan" and so on. */
char *ue__put_double(char *at, double value);
char *ue__put_float(char *at, float value);

#endif
