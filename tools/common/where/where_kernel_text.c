/* SPDX-License-Identifier: MIT */
/*
 * Comparisons of numbers for the kernel. It cuts a value to the size of the field, so that
 * "a == 300" holds for 44 in a field of 8 bits: values beyond the field's range are decided
 * here.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/memory.h"
#include "expression.h"

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

/*
 * Comparisons of text for the kernel, which differs from --where:
 *
 *  - It compares bytes; so non-ASCII text is left to this program, and "?" and sets, which
 *    are characters here, become "?*".
 *  - "1*" is no glob to it, as it begins with a digit, and "*a" compares with the end of the
 *    array, not of the text. A backslash makes a real glob of either.
 *  - Where a glob follows text to its end, an array without a NUL may be read beyond it; so
 *    such a glob gets a "*" at its end, and its opposite is left to this program.
 *  - Dynamic text of length 0 is taken for the next bytes. "~ *" never holds for that.
 */

/* MAX_FILTER_STR_VAL, with a NUL. */
#define KERNEL_TEXT_MAX 255u

static int is_ascii(const char *text)
{
	for (; *text; text++)
		if (*text < ' ' || *text > '~')
			return 0;
	return 1;
}

/* The kernel knows no escape inside of quotes. NULL: there is none that the text lacks. */
static const char *quote_for(const char *text)
{
	return !strchr(text, '"') ? "\"" : !strchr(text, '\'') ? "'" : NULL;
}

static struct part text_written(const char *negation, const struct kernel_text *text,
			   const char *operator, const char *literal, int may_be_empty)
{
	const char *quote = quote_for(literal);
	struct part part = { .kind = PART_TEXT };

	if (!quote || strlen(literal) > KERNEL_TEXT_MAX)
		return part_any;
	part.text = xprintf("%s%.*s %s %s%s%s", negation, text->length, text->name, operator,
			    quote, literal, quote);
	if (text->is_dynamic && may_be_empty) {
		AUTO_FREE char *first = part.text;

		part.text = xprintf("%s || !%.*s ~ \"*\"", first, text->length, text->name);
		part.is_joined_by_or = 1;
	}
	return part;
}

static struct part equality(const char *literal, const struct kernel_text *text, int is_equal)
{
	/* the kernel does not tell dynamic text with a NUL from its beginning */
	if (!is_ascii(literal) || (!is_equal && text->is_dynamic))
		return part_any;
	return text_written("", text, is_equal ? "==" : "!=", literal, !is_equal || !*literal);
}

/* Globs */

/* The end of an item that is no '*'. */
static const char *skip_item(const char *glob)
{
	if (*glob == '[') {
		glob += glob[1] == '!';
		glob = strchr(glob + 2, ']');
	} else if (*glob == '\\') {
		glob++;
	}
	for (glob++; ((unsigned char)*glob & 0xc0) == 0x80;)
		glob++;
	return glob;
}

static void add(struct bytes *to, char c)
{
	/* "**" is "*" */
	if (c != '*' || !to->length || to->at[to->length - 1] != '*' ||
	    (to->length > 1 && to->at[to->length - 2] == '\\'))
		bytes_add(to, &c, 1);
}

/* The same glob, or one that matches more. is_exact: whether it is the same. */
static char *convert(const char *glob, int is_array, int *is_exact)
{
	struct bytes to = { .at = NULL };
	int has_escape = 0;

	*is_exact = 1;
	while (*glob) {
		const char *next = *glob == '*' ? glob + 1 : skip_item(glob);
		const char c = *glob == '\\' ? glob[1] : *glob;

		if (*glob == '*') {
			add(&to, '*');
		} else if (*glob == '?' || *glob == '[' || c < ' ' || c > '~') {
			add(&to, '?');
			add(&to, '*');
			*is_exact = 0;
		} else {
			if (!has_escape || strchr("*?[\\!", c))
				add(&to, '\\');
			has_escape = 1;
			bytes_add(&to, &c, 1);
		}
		glob = next;
	}
	if (is_array) {
		add(&to, '*');
		*is_exact = 0;
	}
	bytes_add(&to, "", 1);
	return (char *)to.at;
}

static struct part glob(const char *literal, const struct kernel_text *text, int is_negated)
{
	int is_exact;
	AUTO_FREE char *converted = convert(literal, text->room != 0, &is_exact);
	struct part part = part_any;

	if (!*converted)
		part = equality("", text, !is_negated);
	else if (!strcmp(converted, "*"))
		part = is_negated && is_exact ? part_none : part_any;
	else if (!is_negated)
		part = text_written("", text, "~", converted, 0);
	else if (is_exact)
		part = text_written("!", text, "~", converted, 1);
	return part;
}

struct part text_part(const struct comparison *comparison, const char *literal,
		      const struct kernel_text *text)
{
	if (comparison->operator == WHERE_GLOB)
		return glob(literal, text, comparison->is_negated);
	return equality(literal, text, (comparison->operator == WHERE_EQUAL) !=
					       comparison->is_negated);
}
