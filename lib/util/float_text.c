/* SPDX-License-Identifier: MIT */
/*
 * Write floating point numbers as the fewest digits that read back as the same number.
 *
 * libc converts in both directions, and rounds correctly. A decimal of DBL_DIG digits
 * survives a normal double. So if any decimal of so few digits reads back as the number,
 * printing DBL_DIG digits gives it, with zeros behind; otherwise one or two digits more are
 * needed. Subnormal numbers have fewer bits, and are tried from one digit on.
 *
 * Most numbers that people make have few digits behind the point, and libc would be most
 * of an event's cost. So an integer is tried first: if some power of ten makes one of
 * the number, and dividing by that power gives the number back (both are exact, so the
 * quotient is rounded once), the integer has the digits.
 *
 * libc writes and reads the decimal point of the locale. The digits alone are taken.
 */
#define _GNU_SOURCE
#define __STDC_WANT_IEC_60559_BFP_EXT__ 1 /* strfromd() */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "errno_guard.h"
#include "number_text.h"

/* A positive number: digits with a decimal exponent, 0.DDD * 10^point. */
struct decimal {
	char digits[24];
	int count;
	int point;
};

/* The types differ in these; numbers are held as double. */
struct type {
	int digits;    /* that survive in a decimal */
	int places;    /* behind the point, tried with integers */
	double limit;  /* below it, an integer is the only one that can be meant */
	double normal; /* the smallest number of full precision */
	int (*print)(char *text, size_t size, const char *form, double value);
	double (*read)(const char *text, char **end);
};

/* strfromd() is snprintf() with less to parse. musl does not have it. */
static int print_double(char *text, size_t size, const char *form, double value)
{
#ifdef __GLIBC__
	return strfromd(text, size, form, value);
#else
	return snprintf(text, size, form, value);
#endif
}

static int print_float(char *text, size_t size, const char *form, double value)
{
	return print_double(text, size, form, (double)(float)value);
}

static double read_float(const char *text, char **end)
{
	return strtof(text, end);
}

static const struct type binary32 = {
	FLT_DIG, 8, 0x1p26, FLT_MIN, print_float, read_float
};
static const struct type binary64 = {
	DBL_DIG, 15, 0x1p50, DBL_MIN, print_double, strtod
};

static void drop_zeros(struct decimal *decimal)
{
	while (decimal->count > 1 && decimal->digits[decimal->count - 1] == '0')
		decimal->count--;
}

/* The short way: 1, or 0 for a number that it does not find. */
static int find_integer(struct decimal *decimal, const struct type *type, double value)
{
	double power = 1;

	/* x87 rounds a quotient twice: to its own digits, then to those of a double */
	if (FLT_EVAL_METHOD != 0 && FLT_EVAL_METHOD != 1)
		return 0;
	for (int places = 0; places <= type->places; places++, power *= 10) {
		double scaled = value * power, back;
		uint64_t integer;

		if (!(scaled < type->limit))
			return 0;
		integer = (uint64_t)(scaled + 0.5);
		back = (double)integer / power;
		if ((type == &binary32 ? (float)back : back) != value)
			continue;
		decimal->count = (int)(ue__put_decimal(decimal->digits, integer) -
				       decimal->digits);
		decimal->point = decimal->count - places;
		drop_zeros(decimal);
		return 1;
	}
	return 0;
}

/* Print so many digits, with an exponent. */
static void print(char *text, size_t size, const struct type *type, double value,
		  int digits)
{
	char form[] = "%.00e";

	form[2] = (char)('0' + (digits - 1) / 10);
	form[3] = (char)('0' + (digits - 1) % 10);
	type->print(text, size, form, value);
}

/*
 * Add one to the last digit: 1 if the text then reads back. Below a power of two the
 * neighbour is only half as far as above, so the nearest decimal may be too far, and the
 * next one near enough.
 */
static int reads_back_above(char *text, const struct type *type, double value)
{
	char *last = strchr(text, 'e') - 1;

	if (*last == '9')
		return 0;
	++*last;
	return type->read(text, NULL) == value;
}

static void take_digits(struct decimal *decimal, const char *text)
{
	decimal->count = 0;
	for (; *text != 'e'; text++)
		if (*text >= '0' && *text <= '9')
			decimal->digits[decimal->count++] = *text;
	drop_zeros(decimal);
	decimal->point = atoi(text + 1) + 1;
}

static void find_digits(struct decimal *decimal, const struct type *type, double value)
{
	int digits = value < type->normal ? 1 : type->digits;
	char text[40];
	UE__KEEP_ERRNO; /* strtod() sets it for subnormal numbers */

	for (;; digits++) {
		print(text, sizeof(text), type, value, digits);
		if (type->read(text, NULL) == value || digits == DBL_DECIMAL_DIG ||
		    reads_back_above(text, type, value))
			break;
	}
	take_digits(decimal, text);
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

static char *put_scientific(char *at, const struct decimal *decimal)
{
	int exponent = decimal->point - 1;

	*at++ = decimal->digits[0];
	if (decimal->count > 1) {
		*at++ = '.';
		at = mempcpy(at, decimal->digits + 1, (size_t)decimal->count - 1);
	}
	*at++ = 'e';
	*at++ = exponent < 0 ? '-' : '+';
	if (exponent < 0)
		exponent = -exponent;
	if (exponent >= 100)
		*at++ = (char)('0' + exponent / 100);
	return ue__put_two(at, (uint32_t)exponent % 100);
}

static char *put_positional(char *at, const struct decimal *decimal, double value)
{
	int whole = decimal->point;

	if (whole <= 0) {
		at = mempcpy(at, "0.", 2);
		memset(at, '0', (size_t)-whole);
		return mempcpy(at - whole, decimal->digits, (size_t)decimal->count);
	}
	if (whole >= decimal->count) {
		/* an integer of up to 22 digits, all of them exact */
		if (whole > DBL_DIG)
			return at + print_double(at, 24, "%.0f", value);
		memset(at, '0', (size_t)whole);
		memcpy(at, decimal->digits, (size_t)decimal->count);
		return at + whole;
	}
	at = mempcpy(at, decimal->digits, (size_t)whole);
	*at++ = '.';
	return mempcpy(at, decimal->digits + whole, (size_t)(decimal->count - whole));
}

/* The sign apart: RISC-V makes a double without it of a NaN that is a float. */
static char *put_number(char *at, const struct type *type, double value, int is_negative)
{
	struct decimal decimal;

	if (is_negative)
		*at++ = '-';
	value = fabs(value);
	if (value == 0)
		return mempcpy(at, "0", 1);
	if (!isfinite(value))
		return mempcpy(at, isnan(value) ? "nan" : "inf", 3);
	if (!find_integer(&decimal, type, value))
		find_digits(&decimal, type, value);
	if (scientific_length(&decimal) < positional_length(&decimal))
		return put_scientific(at, &decimal);
	return put_positional(at, &decimal, value);
}

char *ue__put_double(char *at, double value)
{
	return put_number(at, &binary64, value, signbit(value));
}

char *ue__put_float(char *at, float value)
{
	return put_number(at, &binary32, value, signbit(value));
}
