/* SPDX-License-Identifier: MIT */
/*
 * Floating point numbers as the fewest digits that read back as the same number.
 *
 * Most numbers that people make have few digits behind the point. If some power
 * of ten makes an integer of the number, and dividing that again (which IEEE
 * rounds correctly, both being exact) gives the number back, these are its
 * digits. All others go the long way, with integers of any length: the number
 * and the half-way points to its neighbours are brought to a common denominator,
 * and digits are divided off until what is left lies between those points.
 *
 * Nothing here asks the locale.
 */
#include <stdint.h>
#include <string.h>

#include "number_text.h"

/* A non-negative number: digits with a decimal exponent, 0.DDD * 10^point. */
struct decimal {
	char digits[24];
	int count;
	int point;
};

/* A finite number as integers: mantissa * 2^exponent. */
struct binary {
	uint64_t mantissa;
	int exponent;
	int is_lowest; /* the neighbour below is only half as far */
};

/* Integers of any length, up to what 2^1024 and 10^324 need. */

#define LIMBS 40

struct big {
	uint32_t limb[LIMBS]; /* lowest first */
	int length;	      /* the highest is not 0 */
};

static void big_set(struct big *big, uint64_t value)
{
	big->limb[0] = (uint32_t)value;
	big->limb[1] = (uint32_t)(value >> 32);
	big->length = big->limb[1] ? 2 : big->limb[0] ? 1 : 0;
}

static void big_multiply(struct big *big, uint32_t factor)
{
	uint64_t carry = 0;

	for (int i = 0; i < big->length; i++) {
		carry += (uint64_t)big->limb[i] * factor;
		big->limb[i] = (uint32_t)carry;
		carry >>= 32;
	}
	if (carry)
		big->limb[big->length++] = (uint32_t)carry;
}

static void big_power10(struct big *big, int power)
{
	for (; power >= 9; power -= 9)
		big_multiply(big, 1000000000);
	for (; power > 0; power--)
		big_multiply(big, 10);
}

static void big_shift(struct big *big, int bits)
{
	int limbs = bits / 32;

	if (!big->length)
		return;
	memmove(big->limb + limbs, big->limb,
		(size_t)big->length * sizeof(big->limb[0]));
	memset(big->limb, 0, (size_t)limbs * sizeof(big->limb[0]));
	big->length += limbs;
	if (bits % 32)
		big_multiply(big, 1u << bits % 32);
}

static int big_compare(const struct big *a, const struct big *b)
{
	if (a->length != b->length)
		return a->length < b->length ? -1 : 1;
	for (int i = a->length - 1; i >= 0; i--)
		if (a->limb[i] != b->limb[i])
			return a->limb[i] < b->limb[i] ? -1 : 1;
	return 0;
}

static void big_add(struct big *sum, const struct big *a, const struct big *b)
{
	const struct big *longer = a->length > b->length ? a : b;
	const struct big *shorter = longer == a ? b : a;
	uint64_t carry = 0;

	for (int i = 0; i < longer->length; i++) {
		carry += longer->limb[i];
		if (i < shorter->length)
			carry += shorter->limb[i];
		sum->limb[i] = (uint32_t)carry;
		carry >>= 32;
	}
	sum->length = longer->length;
	if (carry)
		sum->limb[sum->length++] = (uint32_t)carry;
}

/* a -= b, which is not larger */
static void big_subtract(struct big *a, const struct big *b)
{
	int64_t borrow = 0;

	for (int i = 0; i < a->length; i++) {
		borrow += a->limb[i];
		if (i < b->length)
			borrow -= b->limb[i];
		a->limb[i] = (uint32_t)borrow;
		borrow >>= 32;
	}
	while (a->length && !a->limb[a->length - 1])
		a->length--;
}

static int compare_sum(const struct big *a, const struct big *b,
		       const struct big *with)
{
	struct big sum;

	big_add(&sum, a, b);
	return big_compare(&sum, with);
}

/* a / b, a single digit; the rest stays in a. */
static int big_digit(struct big *a, const struct big *b)
{
	int digit = 0;

	for (; big_compare(a, b) >= 0; digit++)
		big_subtract(a, b);
	return digit;
}

/* The long way */

/* value = rest / whole; the half-way points are below and above from there. */
struct scaled {
	struct big rest, whole, below, above;
	int is_even; /* the points themselves read back as the number */
};

static void scale(struct scaled *s, const struct binary *number)
{
	int up = number->exponent > 2 ? number->exponent - 2 : 0;
	int down = number->exponent > 2 ? 0 : 2 - number->exponent;

	big_set(&s->rest, number->mantissa << 2);
	big_set(&s->whole, 1);
	big_set(&s->above, 2);
	big_set(&s->below, number->is_lowest ? 1 : 2);
	big_shift(&s->rest, up);
	big_shift(&s->above, up);
	big_shift(&s->below, up);
	big_shift(&s->whole, down);
	s->is_even = !(number->mantissa & 1);
}

/* Is the number, or what reads back as it, at least 1? */
static int reaches_one(const struct scaled *s)
{
	int order = compare_sum(&s->rest, &s->above, &s->whole);

	return s->is_even ? order >= 0 : order > 0;
}

static void times_ten(struct scaled *s)
{
	big_multiply(&s->rest, 10);
	big_multiply(&s->below, 10);
	big_multiply(&s->above, 10);
}

/* Bring it between 0.1 and 1; the exponent that was taken out. */
static int normalise(struct scaled *s, const struct binary *number)
{
	int bits = 64 - __builtin_clzll(number->mantissa) + number->exponent;
	/* log10(2) = 0.30103; a little less than wanted, never more */
	int point = (bits - 1) * 30103 / 100000 - (bits <= 0);

	if (point > 0) {
		big_power10(&s->whole, point);
	} else {
		big_power10(&s->rest, -point);
		big_power10(&s->below, -point);
		big_power10(&s->above, -point);
	}
	while (reaches_one(s)) {
		big_multiply(&s->whole, 10);
		point++;
	}
	return point;
}

static void divide(struct decimal *decimal, const struct binary *number)
{
	struct scaled s;
	int low, high, digit;

	scale(&s, number);
	decimal->point = normalise(&s, number);
	decimal->count = 0;
	do {
		times_ten(&s);
		digit = big_digit(&s.rest, &s.whole);
		low = big_compare(&s.rest, &s.below) < s.is_even;
		high = compare_sum(&s.rest, &s.above, &s.whole) > -s.is_even;
		decimal->digits[decimal->count++] = (char)('0' + digit);
	} while (!low && !high);
	if (high && (!low || compare_sum(&s.rest, &s.rest, &s.whole) > 0))
		decimal->digits[decimal->count - 1]++;
}

/* The short way: an integer, and how many of its digits are behind the point. */

struct scaled_integer {
	uint64_t value;
	int behind_point;
};

static const double powers[] = { 1e0, 1e1, 1e2, 1e3, 1e4,  1e5,	 1e6,  1e7,
				 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15 };

static void set_integer(struct decimal *decimal, const struct scaled_integer *from)
{
	char *end = ue__put_decimal(decimal->digits, from->value);

	decimal->count = (int)(end - decimal->digits);
	decimal->point = decimal->count - from->behind_point;
	while (decimal->count > 1 && decimal->digits[decimal->count - 1] == '0')
		decimal->count--;
}

/* From 0.1 on 123.45 is never longer than 1.2345e+02. */
static int is_positional(const struct scaled_integer *number)
{
	return number->behind_point > 0 &&
	       number->value >= ue__powers10[number->behind_point - 1];
}

static char *put_point(char *at, const struct scaled_integer *number)
{
	uint64_t power = ue__powers10[number->behind_point];
	uint64_t rest = number->value % power;
	int left = number->behind_point;

	at = ue__put_decimal(at, number->value / power);
	*at++ = '.';
	for (; left >= 2; left -= 2, rest /= 100)
		ue__put_two(at + left - 2, (uint32_t)(rest % 100));
	if (left)
		*at = (char)('0' + rest);
	return at + number->behind_point;
}

/*
 * Below 2^50 the product is off by less than a quarter, so that rounding it finds
 * the one integer that can be meant.
 */
static const struct scaled_integer *try_double(struct scaled_integer *number,
					       double value)
{
	for (int i = 0; i <= 15; i++) {
		double scaled = value * powers[i];
		int64_t integer;

		if (!(scaled < 0x1p50)) /* nor is NaN */
			return NULL;
		integer = (int64_t)(scaled + 0.5);
		if ((double)integer / powers[i] == value) {
			number->value = (uint64_t)integer;
			number->behind_point = i;
			return number;
		}
	}
	return NULL;
}

/*
 * With at most 8 digits behind the point no quotient comes so close to a half-way
 * point between two floats that rounding to double first would decide wrongly.
 */
static const struct scaled_integer *try_float(struct scaled_integer *number,
					      float value)
{
	for (int i = 0; i <= 8; i++) {
		double scaled = (double)value * powers[i];
		int64_t integer;

		if (!(scaled < 0x1p26))
			return NULL;
		integer = (int64_t)(scaled + 0.5);
		if ((float)((double)integer / powers[i]) == value) {
			number->value = (uint64_t)integer;
			number->behind_point = i;
			return number;
		}
	}
	return NULL;
}

/* Layout: the shorter of 1234.5 and 1.2345e+03, the former when equal. */

static int scientific_length(const struct decimal *decimal)
{
	int exponent = decimal->point - 1;
	int digits = exponent >= 100 || exponent <= -100 ? 3 : 2;

	return decimal->count + (decimal->count > 1) + 2 + digits;
}

static int positional_length(const struct decimal *decimal)
{
	if (decimal->point <= 0)
		return 2 - decimal->point + decimal->count;
	if (decimal->point >= decimal->count)
		return decimal->point;
	return decimal->count + 1;
}

static char *put_digits(char *at, const char *digits, int count)
{
	memcpy(at, digits, (size_t)count);
	return at + count;
}

static char *put_zeros(char *at, int count)
{
	memset(at, '0', (size_t)count);
	return at + count;
}

static char *put_scientific(char *at, const struct decimal *decimal)
{
	int exponent = decimal->point - 1;

	*at++ = decimal->digits[0];
	if (decimal->count > 1) {
		*at++ = '.';
		at = put_digits(at, decimal->digits + 1, decimal->count - 1);
	}
	*at++ = 'e';
	*at++ = exponent < 0 ? '-' : '+';
	if (exponent < 0)
		exponent = -exponent;
	if (exponent >= 100)
		*at++ = (char)('0' + exponent / 100);
	return ue__put_two(at, (uint32_t)exponent % 100);
}

/* An integer of up to 22 digits, all of them exact. */
static char *put_integer(char *at, const struct binary *number)
{
	struct big big, ten;
	char digits[24];
	int count = 0;

	big_set(&big, number->mantissa);
	big_shift(&big, number->exponent);
	/* from the highest digit down, as big_digit() leaves the rest */
	for (int power = 22; power >= 0; power--) {
		int digit;

		big_set(&ten, 1);
		big_power10(&ten, power);
		digit = big_digit(&big, &ten);
		if (digit || count)
			digits[count++] = (char)('0' + digit);
	}
	return put_digits(at, digits, count);
}

static char *put_positional(char *at, const struct decimal *decimal,
			    const struct binary *number)
{
	int whole = decimal->point;

	if (whole <= 0) {
		at = put_digits(at, "0.", 2);
		at = put_zeros(at, -whole);
		return put_digits(at, decimal->digits, decimal->count);
	}
	if (whole >= decimal->count) {
		if (whole > 15 && number->exponent > 0)
			return put_integer(at, number);
		at = put_digits(at, decimal->digits, decimal->count);
		return put_zeros(at, whole - decimal->count);
	}
	at = put_digits(at, decimal->digits, whole);
	*at++ = '.';
	return put_digits(at, decimal->digits + whole, decimal->count - whole);
}

static char *put_decimal(char *at, const struct decimal *decimal,
			 const struct binary *number)
{
	if (scientific_length(decimal) < positional_length(decimal))
		return put_scientific(at, decimal);
	return put_positional(at, decimal, number);
}

/* Where the bits of a number are, below its sign. */
struct layout {
	int mantissa_bits;
	int bias;
};

static const struct layout binary32 = { 23, 127 };
static const struct layout binary64 = { 52, 1023 };

static struct binary take_apart(uint64_t bits, const struct layout *layout)
{
	uint64_t one = (uint64_t)1 << layout->mantissa_bits;
	uint64_t mantissa = bits & (one - 1);
	int exponent = (int)(bits >> layout->mantissa_bits);
	int lowest = 1 - layout->bias - layout->mantissa_bits;

	if (!exponent)
		return (struct binary){ mantissa, lowest, 0 };
	return (struct binary){ mantissa | one, lowest + exponent - 1,
				!mantissa && exponent > 1 };
}

/* Bits without the sign; what the short way has found, or NULL. */
static char *put_bits(char *at, uint64_t bits, const struct layout *layout,
		      const struct scaled_integer *found)
{
	/* all bits of the exponent, none of the mantissa */
	uint64_t infinity = (2 * (uint64_t)layout->bias + 1) << layout->mantissa_bits;
	struct decimal decimal;
	struct binary number;

	if (!bits)
		return put_digits(at, "0", 1);
	if (bits >= infinity)
		return put_digits(at, bits == infinity ? "inf" : "nan", 3);
	if (found && is_positional(found))
		return put_point(at, found);
	number = take_apart(bits, layout);
	if (found)
		set_integer(&decimal, found);
	else
		divide(&decimal, &number);
	return put_decimal(at, &decimal, &number);
}

char *ue__put_double(char *at, double value)
{
	struct scaled_integer found;
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	*at = '-';
	return put_bits(at + (bits >> 63), bits & INT64_MAX, &binary64,
			try_double(&found, value < 0 ? -value : value));
}

char *ue__put_float(char *at, float value)
{
	struct scaled_integer found;
	uint32_t bits;

	memcpy(&bits, &value, sizeof(bits));
	*at = '-';
	return put_bits(at + (bits >> 31), bits & INT32_MAX, &binary32,
			try_float(&found, value < 0 ? -value : value));
}
