/* SPDX-License-Identifier: MIT */
/*
 * Checks filters against the format of an event: the grammar's dialect of the kernel. A
 * comparison is a field, an operator, and a value of the field's kind.
 */
#include "kfilter.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/memory.h"

/* Faults */

static void add_fault(const struct parser *parser, enum kfilter_kind kind, size_t at,
		      char *sentence)
{
	struct kfilter_faults *faults =
		((const struct filter_check *)parser->context)->faults;

	faults->items = xgrow(faults->items, faults->count, sizeof(*faults->items));
	faults->items[faults->count++] = (struct kfilter_fault){
		.kind = kind, .at = at, .sentence = sentence,
	};
}

int kfilter_fault(const struct parser *parser, enum kfilter_kind kind, size_t at,
		  const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	add_fault(parser, kind, at, xvprintf(format, arguments));
	va_end(arguments);
	return kind == KFILTER_WARNING ? 0 : -1;
}

int kfilter_needs_6_6(const struct parser *parser, const char *part)
{
	const int kernel = ((const struct filter_check *)parser->context)->kernel;

	return kernel >= 6006 ? 0 :
				kfilter_fault(parser, KFILTER_UNABLE, parser->at,
					      "Linux %d.%d has no \"%s\"; Linux 6.6 has",
					      kernel / 1000, kernel % 1000, part);
}

/*
 * Parses text of filters, and warns of text that the kernel can never find.
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

static void warn_of_glob(struct parser *parser,
			 const struct filter_comparison *comparison, const char *glob,
			 size_t length)
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

static void warn_of_length(struct parser *parser,
			   const struct filter_comparison *comparison, const char *text,
			   size_t length)
{
	const struct kernel_field *field = &comparison->field;
	const size_t room = field->kind == KERNEL_COMM ? COMM_MAX : field->size;
	const int is_glob = comparison->operator == WHERE_GLOB;
	const int is_not = is_glob ? length && *text == '!' :
				     comparison->operator == WHERE_UNEQUAL;

	if (!room || (field->kind != KERNEL_COMM && field->kind != KERNEL_TEXT_HERE))
		return;
	if (is_glob && !is_digit(*text))
		length = least_length(text + is_not, length - (size_t)is_not);
	if (length > room)
		kfilter_fault(parser, KFILTER_WARNING, comparison->at,
			     "this %s holds, as \"%.*s\" has %zu bytes at most",
			     is_not ? "always" : "never", KERNEL_FIELD_NAME(field), room);
}

static int warn(struct parser *parser, const struct filter_comparison *comparison,
		const char *text, size_t length)
{
	const struct kernel_field *field = &comparison->field;

	if (field->is_bytes)
		kfilter_fault(parser, KFILTER_WARNING, comparison->at,
			     "\"%.*s\" is %.*s%s, and the kernel compares it as text, up to "
			     "the first byte 0", KERNEL_FIELD_NAME(field),
			     KERNEL_FIELD_TYPE(field));
	if (comparison->operator == WHERE_GLOB)
		warn_of_glob(parser, comparison, text, length);
	warn_of_length(parser, comparison, text, length);
	return 0;
}

static int kfilter_text_parse(struct parser *parser,
			      const struct filter_comparison *comparison)
{
	const struct kernel_field *field = &comparison->field;
	const char *text = grammar_rest(parser) + 1, *end = strchr(text, text[-1]);
	const enum where_operator operator = comparison->operator;
	const size_t length = end ? (size_t)(end - text) : 0;

	if (!end)
		return grammar_complain(parser, parser->at,
				    "the quote is not closed");
	if (!kernel_field_is_text(field))
		return grammar_complain(parser, parser->at,
				    "\"%.*s\" is not text but %.*s%s; write numbers without "
				    "quotes", KERNEL_FIELD_NAME(field), KERNEL_FIELD_TYPE(field));
	if (operator!= WHERE_EQUAL && operator!= WHERE_UNEQUAL && operator!= WHERE_GLOB)
		return grammar_complain(parser, comparison->operator_at,
				    "%s does not compare text; == != and ~ do",
				    where_operator_text(operator));
	if (length > TEXT_MAX)
		return grammar_complain(parser, parser->at,
				    "the text has more than %u bytes", TEXT_MAX);
	parser->at += length + 2;
	return warn(parser, comparison, text, length);
}

/* Names */

/* A field whose name has other characters cannot be named; it begins at the place. */
static const struct ue_record_field *unnameable(const struct parser *parser, size_t least)
{
	const struct filter_check *check = parser->context;
	const struct ue_record_layout *format = &check->tracepoint->format;

	for (uint32_t i = 0; i < format->field_count; i++) {
		const struct ue_record_field *field = &format->fields[i];

		if (field->name_length > least &&
		    !strncmp(grammar_rest(parser), field->name, field->name_length))
			return field;
	}
	return NULL;
}

static int complain_of_name(struct parser *parser, size_t length)
{
	const struct filter_check *check = parser->context;
	const struct ue_record_field *field = unnameable(parser, length);
	const char *text = grammar_rest(parser);
	AUTO_FREE char *near = NULL;

	if (field)
		return grammar_complain(parser, parser->at,
				    "the kernel's filters cannot name the field \"%.*s\": they "
				    "only know letters, digits and _",
				    (int)field->name_length, field->name);
	if (!length)
		return grammar_complain(parser, parser->at,
					"the name of a field is expected");
	near = kernel_field_nearest(check->tracepoint, text, length);
	grammar_complain(parser, parser->at,
		     "the event has no field \"%.*s\"%s%s%s", (int)length, text,
		     near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
	return -1;
}

static int parse_name(struct parser *parser, struct filter_comparison *comparison)
{
	const struct filter_check *check = parser->context;
	struct kernel_field *field = &comparison->field;
	const char *text = grammar_rest(parser);
	size_t length = 0;

	while (is_name_letter(text[length]))
		length++;
	comparison->at = parser->at;
	if (kernel_field_find(check->tracepoint, text, length, check->kernel, field))
		return complain_of_name(parser, length);
	parser->at += length;
	if (field->count > 1)
		kfilter_fault(parser, KFILTER_WARNING, comparison->at,
			     "the event has %u fields \"%.*s\", and the kernel compares the last",
			     field->count, KERNEL_FIELD_NAME(field));
	return 0;
}

/* Before Linux 6.4 the kernel does not know that fields of user events are text. */
static int check_ability(struct parser *parser,
			 const struct filter_comparison *comparison)
{
	const struct filter_check *check = parser->context;
	const struct kernel_field *field = &comparison->field;

	if (check->kernel >= 6004 || !field->own || !kernel_field_is_text(field) ||
	    strncmp(check->tracepoint->system, SYSTEM, strlen(SYSTEM)))
		return 0;
	return kfilter_fault(parser, KFILTER_UNABLE, comparison->at,
			     "Linux %d.%d cannot compare the text of user events such as "
			     "\"%.*s\"; "
			     "Linux 6.4 can, and so can --where of other commands",
			     check->kernel / 1000, check->kernel % 1000,
			     KERNEL_FIELD_NAME(field));
}

/* ".ustring" and ".function", in this order alone. */
static int parse_suffixes(struct parser *parser, struct filter_comparison *comparison)
{
	const struct kernel_field *field = &comparison->field;
	const size_t at = parser->at;

	comparison->is_user_text = grammar_take(parser, ".ustring");
	if (comparison->is_user_text && field->kind != KERNEL_TEXT_POINTER)
		kfilter_fault(parser, KFILTER_WARNING, at,
			     "\".ustring\" changes nothing, as \"%.*s\" is not a pointer to text",
			     KERNEL_FIELD_NAME(field));
	if (!strncmp(grammar_rest(parser), ".function", 9) &&
	    kfilter_needs_6_6(parser, ".function"))
		return -1;
	comparison->is_function = grammar_take(parser, ".function");
	if (*grammar_rest(parser) == '.')
		return grammar_complain(parser, parser->at,
				    "after the name of a field, only \".ustring\" and "
				    "\".function\" are known");
	return 0;
}

/* Values */

/* The value is of no kind. */
static int complain_of_value(struct parser *parser,
			     const struct filter_comparison *comparison)
{
	const struct kernel_field *field = &comparison->field;

	if (grammar_check_value(parser, comparison->operator))
		return -1;
	if (kernel_field_is_text(field))
		return grammar_complain(parser, parser->at,
					"text is written in quotes: %.*s %s \"...\"",
					KERNEL_FIELD_NAME(field),
					where_operator_text(comparison->operator));
	return grammar_complain(parser, parser->at,
			    "a number is expected, as \"%.*s\" is %.*s%s",
			    KERNEL_FIELD_NAME(field), KERNEL_FIELD_TYPE(field));
}

static int parse_comparison(struct parser *parser, int is_negated)
{
	struct filter_comparison comparison = { 0 };
	const char *text;

	(void)is_negated;
	if (parse_name(parser, &comparison) || check_ability(parser, &comparison) ||
	    parse_suffixes(parser, &comparison))
		return -1;
	grammar_skip_blanks(parser);
	comparison.operator_at = parser->at;
	if (grammar_operator(parser, &comparison.operator))
		return -1;
	comparison.value_at = parser->at;
	text = grammar_rest(parser);
	if (comparison.is_function)
		return kfilter_function_parse(parser, &comparison);
	if (!strncmp(text, "CPUS", 4))
		return kfilter_cpus_parse(parser, &comparison);
	if (*text == '"' || *text == '\'')
		return kfilter_text_parse(parser, &comparison);
	if (*text == '-' || is_digit(*text))
		return kfilter_number_parse(parser, &comparison);
	return complain_of_value(parser, &comparison);
}

/* All of it */

static void complain(struct parser *parser, size_t at, char *sentence)
{
	add_fault(parser, KFILTER_MALFORMED, at, sentence);
}

/* kernel/trace/trace_events_filter.c */
static const struct dialect dialect = {
	.length_max = 4095, /* less than a page */
	.depth_max = UINT_MAX,
	.empty = "it is empty; a filter is such as id == 1",
	.joint_hint = "",
	.comparison = parse_comparison,
	.complain = complain,
};

/* They do not help, as the filter is not used. */
static void drop_warnings(struct kfilter_faults *faults)
{
	for (size_t i = 0; i + 1 < faults->count; i++)
		free(faults->items[i].sentence);
	faults->items[0] = faults->items[faults->count - 1];
	faults->count = 1;
}

int kfilter_check(const char *text, const struct tracepoint *tracepoint, int kernel,
		  struct kfilter_faults *faults)
{
	struct filter_check check = { tracepoint, kernel, faults };
	struct parser parser = { .dialect = &dialect, .context = &check, .text = text };
	int result = grammar_parse(&parser);

	free(parser.nodes);
	if (result)
		drop_warnings(faults);
	return result;
}

const struct kfilter_fault *kfilter_refusal(const struct kfilter_faults *faults)
{
	return faults->count && faults->items[0].kind != KFILTER_WARNING ?
		       &faults->items[0] :
		       NULL;
}

void kfilter_faults_free(struct kfilter_faults *faults)
{
	for (size_t i = 0; i < faults->count; i++)
		free(faults->items[i].sentence);
	free(faults->items);
	*faults = (struct kfilter_faults){ 0 };
}
