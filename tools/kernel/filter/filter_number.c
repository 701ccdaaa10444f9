/* SPDX-License-Identifier: MIT */
/*
 * Parses numbers of filters, and warns of those with which a comparison always or never holds.
 *
 * The kernel reads a number of 64 bits, and cuts it to the size of the field: to a u8,
 * "== 300" holds for 44.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/utsname.h>

#include "kfilter.h"

/* The kernel's buffer, with a NUL. */
#define NUMBER_MAX 23u
#define NO_NUMBER "is not a number such as 12, -1 or 0x1f"
#define FRACTION "._0123456789"

static int malformed(struct parser *parser, const struct filter_comparison *comparison,
		     size_t length, const char *sentence)
{
	return grammar_complain(parser, comparison->value_at, "\"%.*s\" %s", (int)length,
				parser->text + comparison->value_at, sentence);
}

/* All of the word: with the prefix 0x hexadecimal, with 0 octal. */
static int read_magnitude(const char *text, size_t length, uint64_t *magnitude)
{
	char word[NUMBER_MAX + 1], *end;

	memcpy(word, text, length);
	word[length] = '\0';
	errno = 0;
	*magnitude = strtoull(word, &end, 0);
	if (!length || *end || *word == '-' || *word == '+')
		return -EINVAL;
	return errno ? -ERANGE : 0;
}

/* The value as the kernel gets it: signed ones converted. */
static int read_value(struct parser *parser, const struct filter_comparison *comparison,
		      size_t length, uint64_t *value)
{
	const char *text = parser->text + comparison->value_at;
	const size_t minus = *text == '-';
	int result;

	if (length > NUMBER_MAX)
		return malformed(parser, comparison, length, "has too many digits");
	result = read_magnitude(text + minus, length - minus, value);
	if (result == -EINVAL)
		return malformed(parser, comparison, length,
				 NO_NUMBER);
	if (minus && !comparison->field.is_signed)
		return malformed(parser, comparison, length, "is negative, but the field has no "
							     "sign");
	if (result || (comparison->field.is_signed && *value > (uint64_t)INT64_MAX + minus))
		return malformed(parser, comparison, length, "does not fit into 64 bits");
	if (minus)
		*value = 0 - *value;
	return 0;
}

/* Conditions that do not depend on the event */

static uint64_t cut(uint64_t value, const struct kernel_field *field)
{
	const unsigned unused = 64 - 8 * field->size;

	if (field->is_signed)
		return (uint64_t)((int64_t)(value << unused) >> unused);
	return value << unused >> unused;
}

/* Numbers whose order as u64 is that of the values. */
static uint64_t rank(uint64_t value, const struct kernel_field *field)
{
	return field->is_signed ? value ^ UINT64_C(1) << 63 : value;
}

/* 1: always, 0: never, -1: it depends. Of one operator; others are its opposite. */
static int is_equal(uint64_t value, uint64_t least, uint64_t most)
{
	if (value < least || value > most)
		return 0;
	return least == most ? 1 : -1;
}

static int is_less(uint64_t value, uint64_t least, uint64_t most)
{
	return value <= least ? 0 : value > most ? 1 : -1;
}

static int is_at_most(uint64_t value, uint64_t least, uint64_t most)
{
	return value < least ? 0 : value >= most ? 1 : -1;
}

static int opposite(int truth)
{
	return truth < 0 ? truth : !truth;
}

static int truth_of(const struct filter_comparison *comparison, uint64_t value)
{
	const struct kernel_field *field = &comparison->field;
	const uint64_t least = rank(field->least, field), most = rank(field->most, field);
	const uint64_t ranked = rank(value, field);

	if (!field->size)
		return 0;
	switch (comparison->operator) {
	case WHERE_EQUAL:
		return is_equal(ranked, least, most);
	case WHERE_UNEQUAL:
		return opposite(is_equal(ranked, least, most));
	case WHERE_LESS:
		return is_less(ranked, least, most);
	case WHERE_AT_LEAST:
		return opposite(is_less(ranked, least, most));
	case WHERE_AT_MOST:
		return is_at_most(ranked, least, most);
	case WHERE_GREATER:
		return opposite(is_at_most(ranked, least, most));
	default:
		return field->kind == KERNEL_CPU || !value ? 0 : -1;
	}
}

/* Warnings */

/* Bytes that are no number, but that the kernel compares as one. */
static int warn_of_bytes(struct parser *parser,
			 const struct filter_comparison *comparison)
{
	const struct kernel_field *field = &comparison->field;
	const char *const dynamic[] = { "__data_loc", "__rel_loc" };

	for (int i = 0; i < 2; i++)
		if (!strncmp(field->type, dynamic[i], strlen(dynamic[i])))
			return kfilter_fault(parser, KFILTER_WARNING, comparison->at,
					    "\"%.*s\" is %.*s%s, and the kernel compares "
					    "the place and the length of its bytes, not the bytes",
					    KERNEL_FIELD_NAME(field), KERNEL_FIELD_TYPE(field));
	return kfilter_fault(parser, KFILTER_WARNING, comparison->at,
			    "\"%.*s\" is %.*s%s, and the kernel compares its %u bytes as one "
			    "number",
			    KERNEL_FIELD_NAME(field), KERNEL_FIELD_TYPE(field),
			    field->size);
}

static void warn_of_cut(struct parser *parser, const struct filter_comparison *comparison,
			size_t length, uint64_t value)
{
	const struct kernel_field *field = &comparison->field;

	kfilter_fault(parser, KFILTER_WARNING, comparison->value_at,
		     field->is_signed ? "%.*s does not fit into \"%.*s\" (%.*s%s): the kernel "
					"compares with %" PRId64 " instead" :
					"%.*s does not fit into \"%.*s\" (%.*s%s): the kernel "
					"compares with %" PRIu64 " instead",
		     (int)length, parser->text + comparison->value_at, KERNEL_FIELD_NAME(field),
		     KERNEL_FIELD_TYPE(field), cut(value, field));
}

static void warn_of_range(struct parser *parser,
			  const struct filter_comparison *comparison, int is_true)
{
	const struct kernel_field *field = &comparison->field;

	if (field->least == field->most) {
		kfilter_fault(parser, KFILTER_WARNING, comparison->at,
			      "this %s holds, as \"%.*s\" of this event is %" PRIu64,
			      is_true ? "always" : "never", KERNEL_FIELD_NAME(field), field->most);
		return;
	}
	kfilter_fault(parser, KFILTER_WARNING, comparison->at,
		      field->is_signed ? "this %s holds, as \"%.*s\" is from %" PRId64
					 " to %" PRId64 :
					 "this %s holds, as \"%.*s\" is from %" PRIu64
					 " to %" PRIu64,
		      is_true ? "always" : "never", KERNEL_FIELD_NAME(field), field->least,
		      field->most);
}

static void warn_of_truth(struct parser *parser,
			  const struct filter_comparison *comparison, int is_true)
{
	const struct kernel_field *field = &comparison->field;

	if (!field->size)
		kfilter_fault(parser, KFILTER_WARNING, comparison->at,
			     "this never holds, as the kernel compares nothing with \"%.*s\" "
			     "(%.*s%s)", KERNEL_FIELD_NAME(field), KERNEL_FIELD_TYPE(field));
	else if (comparison->operator == WHERE_BITS && field->kind == KERNEL_CPU)
		kfilter_fault(parser, KFILTER_WARNING, comparison->operator_at,
			     "this never holds, as & has no meaning for the processor; write "
			     "%.*s & CPUS{...}", KERNEL_FIELD_NAME(field));
	else if (comparison->operator == WHERE_BITS)
		kfilter_fault(parser, KFILTER_WARNING, comparison->at,
			      "this never holds, as 0 has no bit");
	else
		warn_of_range(parser, comparison, is_true);
}

static int warn(struct parser *parser, const struct filter_comparison *comparison,
		size_t length, uint64_t value)
{
	const struct kernel_field *field = &comparison->field;
	const char *text = parser->text + comparison->value_at;
	const int is_cut = field->size && cut(value, field) != value;
	int truth = truth_of(comparison, is_cut ? cut(value, field) : value);

	text += *text == '-';
	if (*text == '0' && length > 1 && text[1] >= '0' && text[1] <= '9')
		kfilter_fault(parser, KFILTER_WARNING, comparison->value_at,
			     "the kernel reads %.*s, as it begins with 0, as octal", (int)length,
			     parser->text + comparison->value_at);
	/* the bits of a signed field may be given without a sign */
	if (is_cut && (comparison->operator != WHERE_BITS ||
		       (value >> (8 * field->size - 1)) != 1))
		warn_of_cut(parser, comparison, length, value);
	if (!field->is_number && field->size)
		warn_of_bytes(parser, comparison);
	if (truth >= 0)
		warn_of_truth(parser, comparison, truth);
	return 0;
}

int kfilter_number_parse(struct parser *parser,
			 const struct filter_comparison *comparison)
{
	const struct kernel_field *field = &comparison->field;
	const char *text = grammar_rest(parser);
	size_t length = *text == '-';
	uint64_t value = 0;

	while (is_name_letter(text[length]) && text[length] != '_')
		length++;
	if (kernel_field_is_text(field))
		return grammar_complain(parser, parser->at,
				    "\"%.*s\" is text; write \"%.*s\" in quotes",
				    KERNEL_FIELD_NAME(field), (int)length, text);
	if (comparison->operator == WHERE_GLOB)
		return grammar_complain(parser, comparison->operator_at,
				    "~ compares text, and \"%.*s\" is a number",
				    KERNEL_FIELD_NAME(field));
	if (read_value(parser, comparison, length, &value))
		return -1;
	parser->at += length;
	if (text[length] == '.' || text[length] == '_')
		return malformed(parser, comparison, length + strspn(text + length, FRACTION),
				 NO_NUMBER);
	return warn(parser, comparison, length, value);
}

/*
 * Parses sets of processors, CPUS{0-3,8}, and functions, NAME.function == ksys_read. Which of
 * them exist, the kernel decides.
 */

/* Sets */

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

		while (text < end && (*text == ',' || is_blank(*text)))
			text++;
		if (text == end)
			return length;
		next = skip_range(text, count);
		if (!next || (next != end && *next != ',' && !is_blank(*next)))
			return (size_t)(text - list);
		text = next;
	}
}

static int warn_of_set(struct parser *parser, const struct filter_comparison *comparison,
		       unsigned long count)
{
	const struct kernel_field *field = &comparison->field;
	const enum where_operator operator = comparison->operator;

	if (field->kind == KERNEL_NUMBER && !field->size)
		return kfilter_fault(parser, KFILTER_WARNING, comparison->at,
				    "this never holds, as the kernel compares nothing with "
				    "\"%.*s\" (%.*s%s)", KERNEL_FIELD_NAME(field),
				    KERNEL_FIELD_TYPE(field));
	if (field->kind == KERNEL_CPU_MASK || count == 1)
		return 0;
	if (operator == WHERE_BITS)
		return count ? 0 : kfilter_fault(parser, KFILTER_WARNING, comparison->at,
						"this never holds, as the set is empty");
	return kfilter_fault(parser, KFILTER_WARNING, comparison->operator_at,
			     operator == WHERE_EQUAL ?
				     "this never holds, as one processor is compared "
				     "with several; for \"one of them\" write %.*s & CPUS{...}" :
				     "this holds for every processor, as one is compared with "
				     "several; for \"none of them\" write !(%.*s & CPUS{...})",
			     KERNEL_FIELD_NAME(field));
}

static int check_set(struct parser *parser, const struct filter_comparison *comparison)
{
	const struct kernel_field *field = &comparison->field;
	const enum where_operator operator = comparison->operator;

	if (kfilter_needs_6_6(parser, "CPUS{}"))
		return -1;
	if (kernel_field_is_text(field))
		return grammar_complain(parser, parser->at,
				    "\"%.*s\" is text, not the number of a processor",
				    KERNEL_FIELD_NAME(field));
	if (operator!= WHERE_EQUAL && operator!= WHERE_UNEQUAL && operator!= WHERE_BITS)
		return grammar_complain(parser, comparison->operator_at,
				    "%s does not compare CPUS{}; == != and & do",
				    where_operator_text(operator));
	return 0;
}

int kfilter_cpus_parse(struct parser *parser, const struct filter_comparison *comparison)
{
	const char *text = grammar_rest(parser), *list = text + strlen("CPUS{"), *end;
	unsigned long count;
	size_t length, fault;

	if (check_set(parser, comparison))
		return -1;
	if (text[4] != '{')
		return grammar_complain(parser, parser->at,
				    "processors are written CPUS{0-3,8}");
	end = strchr(list, '}');
	if (!end)
		return grammar_complain(parser, parser->at + 4,
				    "the brace is not closed");
	length = (size_t)(end - list);
	fault = check_list(list, length, &count);
	parser->at += strlen("CPUS{");
	if (!length || fault < length)
		return grammar_complain(parser, parser->at + fault,
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

int kfilter_function_parse(struct parser *parser,
			   const struct filter_comparison *comparison)
{
	const struct kernel_field *field = &comparison->field;
	const char *text = grammar_rest(parser);
	size_t length = 0;

	if (field->size != kernel_address_size() || !field->own)
		return grammar_complain(parser, comparison->at,
				    "\"%.*s\" (%.*s%s) cannot hold the address of a function, "
				    "which has %zu bytes", KERNEL_FIELD_NAME(field),
				    KERNEL_FIELD_TYPE(field), kernel_address_size());
	if (comparison->operator != WHERE_EQUAL && comparison->operator != WHERE_UNEQUAL)
		return grammar_complain(parser, comparison->operator_at,
				    "%s does not compare functions; == and != do",
				    where_operator_text(comparison->operator));
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
	while (is_name_letter(text[length]) || text[length] == '.')
		length++;
	if (!length)
		return grammar_complain(parser, parser->at,
				    "the name of a function of the kernel is expected, without "
				    "quotes");
	if (text[length] && !is_blank(text[length]))
		return grammar_complain(parser, parser->at + length,
				    "a blank is expected after the name of a function, as the "
				    "kernel takes all up to it for the name");
	parser->at += length;
	return 0;
}
