/* SPDX-License-Identifier: MIT */
/*
 * Comparisons of numbers for the kernel. It cuts a value to the size of the field, so that
 * "a == 300" holds for 44 in a field of 8 bits: values beyond the field's range are decided
 * here.
 */
#include <math.h>
#include <stdlib.h>

#include "kernel_filter.h"
#include "common/cli/memory.h"

static enum where_operator opposite(enum where_operator operator)
{
	static const enum where_operator opposites[] = {
		[WHERE_EQUAL] = WHERE_UNEQUAL,	  [WHERE_UNEQUAL] = WHERE_EQUAL,
		[WHERE_LESS] = WHERE_AT_LEAST,	  [WHERE_AT_MOST] = WHERE_GREATER,
		[WHERE_GREATER] = WHERE_AT_MOST,  [WHERE_AT_LEAST] = WHERE_LESS,
		[WHERE_BITS] = WHERE_BITS,	  [WHERE_GLOB] = WHERE_GLOB,
	};

	return opposites[operator];
}

/* A whole number of any size; one beyond 64 bits stays a float. */
static struct value whole_value(double whole)
{
	struct value value = { .type = VALUE_FLOAT, .number = whole };

	if (whole >= -0x1p63 && whole < 0x1p63) {
		value.type = VALUE_SIGNED;
		value.whole = (int64_t)whole;
	} else if (whole >= 0x1p63 && whole < 0x1p64) {
		value.type = VALUE_UNSIGNED;
		value.whole = (int64_t)(uint64_t)whole;
	}
	return value;
}

/* A number with decimals: rounded down, with the operator that is right for that. */
static struct value round_down(double number, enum where_operator *operator)
{
	if (floor(number) != number && *operator == WHERE_LESS)
		*operator = WHERE_AT_MOST;
	if (floor(number) != number && *operator == WHERE_AT_LEAST)
		*operator = WHERE_GREATER;
	return whole_value(floor(number));
}

static struct part written(const struct kernel_number *number, enum where_operator operator,
			   const struct value *value)
{
	struct part part = { .kind = PART_TEXT };
	const char *format = value->type == VALUE_SIGNED ? "%.*s %s %lld" : "%.*s %s %llu";

	part.text = xprintf(format, number->length, number->name,
			    where_operator_text(operator), (long long)value->whole);
	return part;
}

static struct part ordered(const struct kernel_number *number, enum where_operator operator,
			   const struct value *value)
{
	const uint64_t all = UINT64_MAX >> (64 - number->bits);
	const struct value least = {
		.type = VALUE_SIGNED,
		.whole = number->is_signed ? -(int64_t)(all / 2) - 1 : 0,
	};
	const struct value most = {
		.type = VALUE_UNSIGNED,
		.whole = (int64_t)(number->is_signed ? all / 2 : all),
	};
	const int is_below = value_compare(value, &least) < 0;
	const int is_above = value_compare(value, &most) > 0;

	if (!is_below && !is_above)
		return written(number, operator, value);
	switch (operator) {
	case WHERE_EQUAL:
		return part_none;
	case WHERE_UNEQUAL:
		return part_any;
	case WHERE_LESS:
	case WHERE_AT_MOST:
		return is_above ? part_any : part_none;
	default:
		return is_below ? part_any : part_none;
	}
}

/* A negative number has all bits from the field's highest on. */
static struct part bits_part(const struct comparison *comparison, const struct value *literal,
			     const struct kernel_number *number)
{
	const uint64_t most = number->bits == 64 ? UINT64_MAX : (UINT64_C(1) << number->bits) - 1;
	uint64_t bits = (uint64_t)literal->whole;
	struct part part;
	char *text;

	if (number->has_no_bits || (number->is_signed && bits > most / 2))
		return part_any;
	bits &= most;
	if (!bits)
		return comparison->is_negated ? part_any : part_none;
	part = written(number, WHERE_BITS,
		       &(struct value){ .type = VALUE_UNSIGNED, .whole = (int64_t)bits });
	if (!comparison->is_negated)
		return part;
	text = xprintf("!%s", part.text);
	free(part.text);
	part.text = text;
	return part;
}

struct part number_part(const struct comparison *comparison, const struct value *literal,
			const struct kernel_number *number)
{
	enum where_operator operator = comparison->operator;
	struct value value = *literal;

	if (operator == WHERE_BITS)
		return bits_part(comparison, literal, number);
	if (comparison->is_negated)
		operator = opposite(operator);
	if (literal->type != VALUE_FLOAT)
		return ordered(number, operator, &value);
	value = round_down(literal->number, &operator);
	if (floor(literal->number) != literal->number && operator == WHERE_EQUAL)
		return part_none;
	if (floor(literal->number) != literal->number && operator == WHERE_UNEQUAL)
		return part_any;
	return ordered(number, operator, &value);
}
