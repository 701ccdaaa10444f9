/* SPDX-License-Identifier: MIT */
/*
 * Parses sets of processors, CPUS{0-3,8}, and functions, NAME.function == ksys_read. Which of
 * them exist, the kernel decides.
 */
#include <string.h>
#include <strings.h>
#include <sys/utsname.h>

#include "filter_grammar.h"

/* Sets */

static int is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* A number, or "N" for the last processor: behind it, or NULL. */
static const char *skip_number(const char *text, unsigned long *number)
{
	if (*text == 'N') {
		*number = ~0ul;
		return text + 1;
	}
	if (!is_digit(*text))
		return NULL;
	for (*number = 0; is_digit(*text); text++) {
		if (*number > 1000000)
			return NULL;
		*number = *number * 10 + (unsigned long)(*text - '0');
	}
	return text;
}

/* ":USED/GROUP", or nothing. */
static const char *skip_pattern(const char *text, unsigned long *is_many)
{
	unsigned long used, group;

	if (*text != ':')
		return text;
	*is_many = 1;
	text = skip_number(text + 1, &used);
	text = text && *text == '/' ? skip_number(text + 1, &group) : NULL;
	return text && group && used <= group ? text : NULL;
}

/* FIRST, FIRST-LAST, or "all", with a pattern: behind it, or NULL. */
static const char *skip_range(const char *text, unsigned long *count)
{
	unsigned long first = 0, last;

	if (!strncasecmp(text, "all", 3)) {
		*count += 2;
		return skip_pattern(text + 3, &first);
	}
	text = skip_number(text, &first);
	last = first;
	if (text && *text == '-')
		text = skip_number(text + 1, &last);
	if (!text || last < first)
		return NULL;
	*count += last > first ? 2 : 1;
	return skip_pattern(text, &first);
}

/* The place of the fault in a list of length bytes, or length. count: of processors, to 2. */
static size_t check_list(const char *list, size_t length, unsigned long *count)
{
	const char *text = list, *end = list + length;

	*count = 0;
	for (;;) {
		const char *next;

		while (text < end && (*text == ',' || kfilter_is_blank(*text)))
			text++;
		if (text == end)
			return length;
		next = skip_range(text, count);
		if (!next || (next != end && *next != ',' && !kfilter_is_blank(*next)))
			return (size_t)(text - list);
		text = next;
	}
}

static int warn_of_set(struct filter_parser *parser, const struct filter_comparison *comparison,
		       unsigned long count)
{
	const struct kernel_field *field = &comparison->field;
	const enum filter_operator operator = comparison->operator;

	if (field->kind == KERNEL_NUMBER && !field->size)
		return kfilter_fault(parser, KFILTER_WARNING, comparison->at,
				    "this never holds, as the kernel compares nothing with "
				    "\"%.*s\" (%.*s%s)", KERNEL_FIELD_NAME(field),
				    KERNEL_FIELD_TYPE(field));
	if (field->kind == KERNEL_CPU_MASK || count == 1)
		return 0;
	if (operator == FILTER_BITS)
		return count ? 0 : kfilter_fault(parser, KFILTER_WARNING, comparison->at,
						"this never holds, as the set is empty");
	return kfilter_fault(parser, KFILTER_WARNING, comparison->operator_at,
			     operator == FILTER_EQUAL ?
				     "this never holds, as one processor is compared "
				     "with several; for \"one of them\" write %.*s & CPUS{...}" :
				     "this holds for every processor, as one is compared with "
				     "several; for \"none of them\" write !(%.*s & CPUS{...})",
			     KERNEL_FIELD_NAME(field));
}

static int check_set(struct filter_parser *parser, const struct filter_comparison *comparison)
{
	const struct kernel_field *field = &comparison->field;
	const enum filter_operator operator = comparison->operator;

	if (parser->kernel < 6006)
		return kfilter_fault(parser, KFILTER_UNABLE, parser->at,
				    "Linux %d.%d has no \"CPUS{}\"; Linux 6.6 has",
				    parser->kernel / 1000, parser->kernel % 1000);
	if (kernel_field_is_text(field))
		return kfilter_fault(parser, KFILTER_MALFORMED, parser->at,
				    "\"%.*s\" is text, not the number of a processor",
				    KERNEL_FIELD_NAME(field));
	if (operator != FILTER_EQUAL && operator != FILTER_UNEQUAL && operator != FILTER_BITS)
		return kfilter_fault(parser, KFILTER_MALFORMED, comparison->operator_at,
				    "%s does not compare CPUS{}; == != and & do",
				    kfilter_operators[operator]);
	return 0;
}

int kfilter_cpus_parse(struct filter_parser *parser, const struct filter_comparison *comparison)
{
	const char *text = kfilter_rest(parser), *list = text + strlen("CPUS{"), *end;
	unsigned long count;
	size_t length, fault;

	if (check_set(parser, comparison))
		return -1;
	if (text[4] != '{')
		return kfilter_fault(parser, KFILTER_MALFORMED, parser->at,
				    "processors are written CPUS{0-3,8}");
	end = strchr(list, '}');
	if (!end)
		return kfilter_fault(parser, KFILTER_MALFORMED, parser->at + 4,
				    "the brace is not closed");
	length = (size_t)(end - list);
	fault = check_list(list, length, &count);
	parser->at += strlen("CPUS{");
	if (!length || fault < length)
		return kfilter_fault(parser, KFILTER_MALFORMED, parser->at + fault,
				    "a list of processors is expected, such as 0-3,8");
	parser->at += length + 1;
	return warn_of_set(parser, comparison, count);
}

/* Functions */

/* A kernel of 64 bits also runs tools of 32. */
static size_t kernel_address_size(void)
{
	struct utsname name;

	return sizeof(long) == 4 && !uname(&name) && strstr(name.machine, "64") ?
		       8 :
		       sizeof(long);
}

int kfilter_function_parse(struct filter_parser *parser,
			  const struct filter_comparison *comparison)
{
	const struct kernel_field *field = &comparison->field;
	const char *text = kfilter_rest(parser);
	size_t length = 0;

	if (field->size != kernel_address_size() || field->is_common)
		return kfilter_fault(parser, KFILTER_MALFORMED, comparison->at,
				    "\"%.*s\" (%.*s%s) cannot hold the address of a function, "
				    "which has %zu bytes", KERNEL_FIELD_NAME(field),
				    KERNEL_FIELD_TYPE(field), kernel_address_size());
	if (comparison->operator != FILTER_EQUAL && comparison->operator != FILTER_UNEQUAL)
		return kfilter_fault(parser, KFILTER_MALFORMED, comparison->operator_at,
				    "%s does not compare functions; == and != do",
				    kfilter_operators[comparison->operator]);
	if (is_digit(*text)) {
		struct filter_comparison address = *comparison;

		address.field.kind = KERNEL_NUMBER;
		address.field.is_signed = 0;
		address.field.least = 0;
		address.field.most = field->size == 8 ? UINT64_MAX : UINT32_MAX;
		address.field.is_number = 1;
		return kfilter_number_parse(parser, &address);
	}
	/* the kernel takes all up to a blank for the name */
	while (kfilter_is_letter(text[length]) || text[length] == '.')
		length++;
	if (!length)
		return kfilter_fault(parser, KFILTER_MALFORMED, parser->at,
				    "the name of a function of the kernel is expected, without "
				    "quotes");
	if (text[length] && !kfilter_is_blank(text[length]))
		return kfilter_fault(parser, KFILTER_MALFORMED, parser->at + length,
				    "a blank is expected after the name of a function, as the "
				    "kernel takes all up to it for the name");
	parser->at += length;
	return 0;
}
