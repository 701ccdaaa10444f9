/* SPDX-License-Identifier: MIT */
/* Numbers, bytes, times and UUIDs as text. */
#include "number_text.h"

const char ue__two_digits[201] =
	"00010203040506070809101112131415161718192021222324"
	"25262728293031323334353637383940414243444546474849"
	"50515253545556575859606162636465666768697071727374"
	"7576777879808182838485868788899091929394959697989"
	"9";

/* Powers of ten by the number of digits; the first is for zero. */
const uint64_t ue__powers10[20] = {
	0, 10u, 100u, 1000u, 10000u, 100000u, 1000000u, 10000000u, 100000000u,
	1000000000u, 10000000000u, 100000000000u, 1000000000000u,
	10000000000000u, 100000000000000u, 1000000000000000u,
	10000000000000000u, 100000000000000000u, 1000000000000000000u,
	10000000000000000000u,
};

/* The digits of 32 bits, the highest in the lowest byte: all eight at once. */
static uint64_t hex_digits(uint32_t value)
{
	uint64_t digits = __builtin_bswap32(value), letters;

	digits = (digits | digits << 16) & 0x0000ffff0000ffffu;
	digits = (digits | digits << 8) & 0x00ff00ff00ff00ffu;
	digits = (digits >> 4 | digits << 8) & 0x0f0f0f0f0f0f0f0fu;
	letters = (digits + 0x0606060606060606u) >> 4 & 0x0101010101010101u;
	return digits + 0x3030303030303030u + letters * ('A' - '9' - 1);
}

static void put_eight(char *at, uint32_t value)
{
	uint64_t digits = hex_digits(value);

	if (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)
		digits = __builtin_bswap64(digits);
	memcpy(at, &digits, sizeof(digits));
}

char *ue__put_hex(char *at, uint64_t value)
{
	int digits = (67 - __builtin_clzll(value | 1)) / 4;

	at[0] = '0';
	at[1] = 'x';
	at += 2;
	if (digits > 8) {
		put_eight(at, (uint32_t)(value >> 4 * (digits - 8)));
		put_eight(at + digits - 8, (uint32_t)value);
	} else {
		put_eight(at, (uint32_t)value << 4 * (8 - digits));
	}
	return at + digits;
}

/* Time */

#define DAY 86400
/* Days in 400 years, and from 0000-03-01 to 1970-01-01. */
#define ERA 146097
#define EPOCH 719468

static int64_t floor_divide(int64_t a, int64_t b)
{
	return a / b - (a % b < 0);
}

/* The year has at least 4 digits, the sign counted. */
static char *put_year(char *at, int64_t year)
{
	uint64_t size = year < 0 ? 0 - (uint64_t)year : (uint64_t)year;
	int digits = year < 0 ? 3 : 4;

	if (year < 0)
		*at++ = '-';
	while (digits > (int)ue__decimal_digits(size)) {
		*at++ = '0';
		digits--;
	}
	return ue__put_decimal(at, size);
}

/* Years here begin in March, so that the leap day is the last. */
static char *put_date(char *at, int64_t day)
{
	int64_t era = floor_divide(day + EPOCH, ERA);
	uint32_t left = (uint32_t)(day + EPOCH - era * ERA);
	uint32_t year = (left - left / 1460 + left / 36524 - left / 146096) / 365;
	uint32_t month;

	left -= 365 * year + year / 4 - year / 100;
	month = (5 * left + 2) / 153;
	left -= (153 * month + 2) / 5;
	month = month < 10 ? month + 3 : month - 9;
	at = put_year(at, era * 400 + year + (month <= 2));
	*at++ = '-';
	at = ue__put_two(at, month);
	*at++ = '-';
	return ue__put_two(at, left + 1);
}

static char *put_clock(char *at, uint32_t second)
{
	at = ue__put_two(at, second / 3600);
	*at++ = ':';
	at = ue__put_two(at, second / 60 % 60);
	*at++ = ':';
	return ue__put_two(at, second % 60);
}

/* struct tm counts years from 1900 in an int and ends here. */
#define SECONDS_MIN (-67768040609740800)
#define SECONDS_MAX 67768036191676799

char *ue__put_time(char *at, int64_t seconds)
{
	int64_t day = floor_divide(seconds, DAY);

	if (seconds < SECONDS_MIN || seconds > SECONDS_MAX) {
		memcpy(at, "TIME(", 5);
		at = ue__put_signed(at + 5, seconds);
		*at++ = ')';
		return at;
	}
	at = put_date(at, day);
	*at++ = 'T';
	return put_clock(at, (uint32_t)(seconds - day * DAY));
}

char *ue__put_byte(char *at, uint8_t byte)
{
	*at++ = "0123456789abcdef"[byte >> 4];
	*at++ = "0123456789abcdef"[byte & 15];
	return at;
}

char *ue__put_uuid(char *at, const uint8_t *uuid)
{
	for (int i = 0; i < 16; i++) {
		if (i == 4 || i == 6 || i == 8 || i == 10)
			*at++ = '-';
		at = ue__put_byte(at, uuid[i]);
	}
	return at;
}
