/* SPDX-License-Identifier: MIT */
/* Parses one comparison of a filter: a field, an operator, and a value of its kind. */
#include <stdlib.h>
#include <string.h>

#include "kfilter.h"

/*
 * Parses text of filters, and warns of text that cannot be what the kernel finds.
 *
 * The kernel's globs have three traps: one that begins with a digit is no glob, one that begins
 * with "!" is a negation, and "*END" compares with the last bytes of an array, also if the text
 * in it is shorter.
 */

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

static int kfilter_text_parse(struct filter_parser *parser, const struct filter_comparison *comparison)
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

/* Longer ones before those that they begin with. */
const char *const kfilter_operators[FILTER_OPERATORS] = {
	[FILTER_GLOB] = "~",	 [FILTER_UNEQUAL] = "!=",  [FILTER_EQUAL] = "==",
	[FILTER_AT_MOST] = "<=", [FILTER_LESS] = "<",	   [FILTER_AT_LEAST] = ">=",
	[FILTER_GREATER] = ">",	 [FILTER_BITS] = "&",
};

/* Names */

/* A field whose name has other characters cannot be named; it begins at the place. */
static const struct ue_record_field *unnameable(const struct filter_parser *parser, size_t least)
{
	const struct ue_record_layout *format = &parser->tracepoint->format;

	for (uint32_t i = 0; i < format->field_count; i++) {
		const struct ue_record_field *field = &format->fields[i];

		if (field->name_length > least &&
		    !strncmp(kfilter_rest(parser), field->name, field->name_length))
			return field;
	}
	return NULL;
}

static int complain_of_name(struct filter_parser *parser, size_t length)
{
	const struct ue_record_field *field = unnameable(parser, length);
	const char *text = kfilter_rest(parser);
	char *near;

	if (field)
		return kfilter_fault(parser, KFILTER_MALFORMED, parser->at,
				    "the kernel's filters cannot name the field \"%.*s\": they "
				    "only know letters, digits and _",
				    (int)field->name_length, field->name);
	near = kernel_field_nearest(parser->tracepoint, text, length);
	kfilter_fault(parser, KFILTER_MALFORMED, parser->at,
		     "the event has no field \"%.*s\"%s%s%s", (int)length, text,
		     near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
	free(near);
	return -1;
}

static int parse_name(struct filter_parser *parser, struct filter_comparison *comparison)
{
	struct kernel_field *field = &comparison->field;
	const char *text = kfilter_rest(parser);
	size_t length = 0;

	while (kfilter_is_letter(text[length]))
		length++;
	comparison->at = parser->at;
	if (kernel_field_find(parser->tracepoint, text, length, parser->kernel, field))
		return complain_of_name(parser, length);
	parser->at += length;
	if (field->count > 1)
		kfilter_fault(parser, KFILTER_WARNING, comparison->at,
			     "the event has %u fields \"%.*s\", and the kernel compares the last",
			     field->count, KERNEL_FIELD_NAME(field));
	return 0;
}

/* Before Linux 6.4 the kernel does not know that fields of user events are text. */
static int check_ability(struct filter_parser *parser, const struct filter_comparison *comparison)
{
	const struct kernel_field *field = &comparison->field;

	if (parser->kernel >= 6004 || !field->own ||
	    strncmp(parser->tracepoint->system, SYSTEM, strlen(SYSTEM)) ||
	    !kernel_field_is_text(field))
		return 0;
	return kfilter_fault(parser, KFILTER_UNABLE, comparison->at,
			    "Linux %d.%d cannot compare the text of user events such as \"%.*s\"; "
			    "Linux 6.4 can, and so can --where of other commands",
			    parser->kernel / 1000, parser->kernel % 1000,
			    KERNEL_FIELD_NAME(field));
}

static int take(struct filter_parser *parser, const char *suffix)
{
	if (strncmp(kfilter_rest(parser), suffix, strlen(suffix)))
		return 0;
	parser->at += strlen(suffix);
	return 1;
}

/* ".ustring" and ".function", in this order alone. */
static int parse_suffixes(struct filter_parser *parser, struct filter_comparison *comparison)
{
	const struct kernel_field *field = &comparison->field;
	const size_t at = parser->at;

	comparison->is_user_text = take(parser, ".ustring");
	if (comparison->is_user_text && field->kind != KERNEL_TEXT_POINTER)
		kfilter_fault(parser, KFILTER_WARNING, at,
			     "\".ustring\" changes nothing, as \"%.*s\" is not a pointer to text",
			     KERNEL_FIELD_NAME(field));
	if (parser->kernel < 6006 && !strncmp(kfilter_rest(parser), ".function", 9))
		return kfilter_fault(parser, KFILTER_UNABLE, parser->at,
				    "Linux %d.%d has no \".function\"; Linux 6.6 has",
				    parser->kernel / 1000, parser->kernel % 1000);
	comparison->is_function = take(parser, ".function");
	if (*kfilter_rest(parser) == '.')
		return kfilter_fault(parser, KFILTER_MALFORMED, parser->at,
				    "after the name of a field, only \".ustring\" and "
				    "\".function\" are known");
	return 0;
}

/* Operators */

#define VALUE_EXPECTED "an operator and a value are expected after a name, such as != 0"

/*
 * Operators of other languages, and those that they mean. The longer ones come before those
 * that they begin with.
 */
static const struct {
	const char *typed, *sentence;
} usual[] = {
	{ "===", "\"===\" is not an operator; write ==" },
	{ "=~", "\"=~\" is not an operator; a glob is matched by ~" },
	{ "!~", "\"!~\" is not an operator; write !(NAME ~ \"GLOB\")" },
	{ "=<", "\"=<\" is not an operator; write <=" },
	{ "=>", "\"=>\" is not an operator; write >=" },
	{ "<>", "\"<>\" is not an operator; write !=" },
	{ "|", VALUE_EXPECTED },
	{ "&&", VALUE_EXPECTED },
	{ ")", VALUE_EXPECTED },
};

/* A sentence on what stands where an operator should; NULL: it may be one. */
static const char *wrong_operator(const char *text)
{
	for (size_t i = 0; i < sizeof(usual) / sizeof(usual[0]); i++)
		if (!strncmp(text, usual[i].typed, strlen(usual[i].typed)))
			return usual[i].sentence;
	if (!*text)
		return VALUE_EXPECTED;
	return *text == '=' && text[1] != '=' ? "\"=\" is not an operator; write ==" : NULL;
}

static int parse_operator(struct filter_parser *parser, struct filter_comparison *comparison)
{
	const char *sentence;

	kfilter_skip_blanks(parser);
	comparison->operator_at = parser->at;
	sentence = wrong_operator(kfilter_rest(parser));
	for (unsigned i = 0; i < FILTER_OPERATORS && !sentence; i++)
		if (take(parser, kfilter_operators[i])) {
			comparison->operator = (enum filter_operator)i;
			kfilter_skip_blanks(parser);
			comparison->value_at = parser->at;
			return 0;
		}
	return kfilter_fault(parser, KFILTER_MALFORMED, parser->at, "%s", sentence ? sentence :
			     "an operator is expected after a name: == != < <= > >= & or ~");
}

/* Values */

/* The value is of no kind. */
static int complain_of_value(struct filter_parser *parser,
			     const struct filter_comparison *comparison)
{
	const struct kernel_field *field = &comparison->field;
	const char *operator = kfilter_operators[comparison->operator];
	const char *text = kfilter_rest(parser);

	if (!*text || strchr("()&|", *text))
		return kfilter_fault(parser, KFILTER_MALFORMED, parser->at,
				    "a value is expected after \"%s\"", operator);
	if (strchr("=!<>~", *text))
		return kfilter_fault(parser, KFILTER_MALFORMED, comparison->operator_at,
				    "there is no such operator; operators are == != < <= > >= & "
				    "and ~");
	if (kernel_field_is_text(field))
		return kfilter_fault(parser, KFILTER_MALFORMED, parser->at,
				    "text is written in quotes: %.*s %s \"...\"",
				    KERNEL_FIELD_NAME(field), operator);
	return kfilter_fault(parser, KFILTER_MALFORMED, parser->at,
			    "a number is expected, as \"%.*s\" is %.*s%s",
			    KERNEL_FIELD_NAME(field), KERNEL_FIELD_TYPE(field));
}

int kfilter_comparison_parse(struct filter_parser *parser)
{
	struct filter_comparison comparison = { 0 };
	const char *text;

	if (parse_name(parser, &comparison) || check_ability(parser, &comparison) ||
	    parse_suffixes(parser, &comparison) || parse_operator(parser, &comparison))
		return -1;
	text = kfilter_rest(parser);
	if (comparison.is_function)
		return kfilter_function_parse(parser, &comparison);
	if (!strncmp(text, "CPUS", 4))
		return kfilter_cpus_parse(parser, &comparison);
	if (*text == '"' || *text == '\'')
		return kfilter_text_parse(parser, &comparison);
	if (*text == '-' || (*text >= '0' && *text <= '9'))
		return kfilter_number_parse(parser, &comparison);
	return complain_of_value(parser, &comparison);
}
