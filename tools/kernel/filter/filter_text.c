/* SPDX-License-Identifier: MIT */
/*
 * Parses text of filters, and warns of text that cannot be what the kernel finds.
 *
 * The kernel's globs have three traps: one that begins with a digit is no glob, one that begins
 * with "!" is a negation, and "*END" compares with the last bytes of an array, also if the text
 * in it is shorter.
 */
#include <string.h>

#include "filter_grammar.h"

/* MAX_FILTER_STR_VAL, with a NUL. */
#define TEXT_MAX 255u
/* TASK_COMM_LEN, without the NUL */
#define COMM_MAX 15u

/* The least number of bytes that a glob matches. */
static size_t least_length(const char *glob, size_t length)
{
	size_t least = 0;

	for (size_t i = 0; i < length; i++) {
		if (glob[i] == '*')
			continue;
		least++;
		if (glob[i] == '\\')
			i++;
		else if (glob[i] == '[')
			for (i += 1 + (glob[i + 1] == '!') + 1; i < length && glob[i] != ']';)
				i++;
	}
	return least;
}

static int is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* "*END" without other special characters. */
static int is_end_alone(const char *glob, size_t length)
{
	if (length < 2 || *glob != '*')
		return 0;
	for (size_t i = 1; i < length; i++)
		if (strchr("*?[\\", glob[i]))
			return 0;
	return 1;
}

static int has_special(const char *glob, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (strchr("*?[\\", glob[i]))
			return 1;
	return 0;
}

static void warn_of_glob(struct filter_parser *parser, const struct filter_comparison *comparison,
			 const char *glob, size_t length)
{
	const enum kernel_field_kind kind = comparison->field.kind;
	const size_t at = comparison->value_at + 1;

	if (is_digit(*glob) && has_special(glob, length))
		kfilter_fault(parser, KFILTER_WARNING, at,
			     "a glob that begins with a digit is compared as text, with its * and "
			     "?; write \"\\%.*s\"", (int)length, glob);
	else if (*glob == '!')
		kfilter_fault(parser, KFILTER_WARNING, at,
			     "\"!\" at the beginning of a glob is taken for \"not\"; for the "
			     "character write \"\\!\"");
	else if (is_end_alone(glob, length) &&
		 (kind == KERNEL_TEXT_HERE || kind == KERNEL_COMM))
		kfilter_fault(parser, KFILTER_WARNING, at,
			     "the kernel compares this with the end of the array, not of "
			     "the text; write \"*\\%.*s\"", (int)length - 1, glob + 1);
	else if (length && strspn(glob, "*") >= length)
		kfilter_fault(parser, KFILTER_WARNING, comparison->at, "this always holds");
}

static void warn_of_length(struct filter_parser *parser,
			   const struct filter_comparison *comparison, const char *text,
			   size_t length)
{
	const struct kernel_field *field = &comparison->field;
	const size_t room = field->kind == KERNEL_COMM ? COMM_MAX : field->size;
	const int is_glob = comparison->operator == FILTER_GLOB;
	const int is_not = is_glob ? length && *text == '!' :
				     comparison->operator == FILTER_UNEQUAL;

	if (!room || (field->kind != KERNEL_COMM && field->kind != KERNEL_TEXT_HERE))
		return;
	if (is_glob && !is_digit(*text))
		length = least_length(text + is_not, length - (size_t)is_not);
	if (length > room)
		kfilter_fault(parser, KFILTER_WARNING, comparison->at,
			     "this %s holds, as \"%.*s\" has %zu bytes at most",
			     is_not ? "always" : "never", KERNEL_FIELD_NAME(field), room);
}

static int warn(struct filter_parser *parser, const struct filter_comparison *comparison,
		const char *text, size_t length)
{
	const struct kernel_field *field = &comparison->field;

	if (field->is_bytes)
		kfilter_fault(parser, KFILTER_WARNING, comparison->at,
			     "\"%.*s\" is %.*s%s, and the kernel compares it as text, up to "
			     "the first byte 0", KERNEL_FIELD_NAME(field),
			     KERNEL_FIELD_TYPE(field));
	if (comparison->operator == FILTER_GLOB)
		warn_of_glob(parser, comparison, text, length);
	warn_of_length(parser, comparison, text, length);
	return 0;
}

int kfilter_text_parse(struct filter_parser *parser, const struct filter_comparison *comparison)
{
	const struct kernel_field *field = &comparison->field;
	const char *text = kfilter_rest(parser) + 1, *end = strchr(text, text[-1]);
	const enum filter_operator operator = comparison->operator;
	const size_t length = end ? (size_t)(end - text) : 0;

	if (!end)
		return kfilter_fault(parser, KFILTER_MALFORMED, parser->at,
				    "the quote is not closed");
	if (!kernel_field_is_text(field))
		return kfilter_fault(parser, KFILTER_MALFORMED, parser->at,
				    "\"%.*s\" is not text but %.*s%s; write numbers without "
				    "quotes", KERNEL_FIELD_NAME(field), KERNEL_FIELD_TYPE(field));
	if (operator != FILTER_EQUAL && operator != FILTER_UNEQUAL && operator != FILTER_GLOB)
		return kfilter_fault(parser, KFILTER_MALFORMED, comparison->operator_at,
				    "%s does not compare text; == != and ~ do",
				    kfilter_operators[operator]);
	if (length > TEXT_MAX)
		return kfilter_fault(parser, KFILTER_MALFORMED, parser->at,
				    "the text has more than %u bytes", TEXT_MAX);
	parser->at += length + 2;
	return warn(parser, comparison, text, length);
}
