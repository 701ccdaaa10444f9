/* SPDX-License-Identifier: MIT */
/* Parses values: numbers, words, and text in quotes. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <userevents/decode/render.h>

#include "common/cli/memory.h"
#include "common/cli/options.h"
#include "common/records/byte_cursor.h"
#include "common/records/time_limit.h"
#include "expression.h"

/*
 * Matches text with globs, as the kernel's lib/glob.c does, but by characters of UTF-8, not
 * by bytes: '*' any text, '?' one character, "[a-z]" or "[!a-z]" one of a set, and '\' before
 * a character that stands for itself.
 */

/* The character at a place, and where the next begins. Bytes that are not UTF-8 are single. */
static uint32_t next_character(const char **text, const char *end)
{
	const unsigned char *at = (const unsigned char *)*text;
	const size_t left = (size_t)(end - *text);
	size_t length = *at < 0xc0 ? 1 : *at < 0xe0 ? 2 : *at < 0xf0 ? 3 : 4;
	uint32_t code = length == 1 ? *at : *at & (0x7fu >> length);

	for (size_t i = 1; i < length; i++) {
		if (i >= left || (at[i] & 0xc0) != 0x80) {
			*text += 1;
			return *at | 0x80000000u;
		}
		code = code << 6 | (at[i] & 0x3fu);
	}
	*text += length;
	return code;
}

/* Whether a set, from behind its '[', has the character. Returns where the glob goes on. */
static const char *match_set(const char *glob, const char *end, uint32_t character,
			     int *is_match)
{
	const int is_inverted = *glob == '!';
	const char *begin = glob += is_inverted;
	int is_in = 0;

	/* a ']' that comes first is one of the set */
	while (*glob != ']' || glob == begin) {
		uint32_t first = next_character(&glob, end), last = first;

		if (*glob == '-' && glob[1] != ']') {
			glob++;
			last = next_character(&glob, end);
		}
		is_in |= character >= first && character <= last;
	}
	*is_match = is_in != is_inverted;
	return glob + 1;
}

/* One character of the text with one item of the glob, which is no '*'. */
static int match_item(const char **glob, const char *end, uint32_t character)
{
	int is_match;

	switch (**glob) {
	case '?':
		++*glob;
		return 1;
	case '[':
		*glob = match_set(*glob + 1, end, character, &is_match);
		return is_match;
	case '\\':
		++*glob;
	}
	return next_character(glob, end) == character;
}

/* After a mismatch, the last '*' takes one character more: going back further is no use. */
int text_matches(const char *glob, const char *text, size_t length)
{
	const char *const end = text + length, *const glob_end = glob + strlen(glob);
	const char *star = NULL, *star_text = NULL;

	for (;;) {
		const char *item = glob;

		if (*glob == '*') {
			star = ++glob;
			star_text = text;
			if (!*glob)
				return 1;
			continue;
		}
		if (text == end)
			return !*glob;
		if (*glob && match_item(&item, glob_end, next_character(&text, end))) {
			glob = item;
			continue;
		}
		if (!star)
			return 0;
		glob = star;
		next_character(&star_text, end);
		text = star_text;
	}
}

/* The place after the ']' of a set; NULL: it has none. */
static const char *set_end(const char *set)
{
	const char *end;

	set += *set == '!';
	if (!*set)
		return NULL;
	end = strchr(set + 1, ']');
	return end ? end + 1 : NULL;
}

/* The place of the first fault of a glob, or -1 without one; the reason in problem. */
static long glob_fault(const char *glob, const char **problem)
{
	const char *at = glob;

	*problem = "a \"!\" in front would invert the glob in the kernel; write "
		   "!(NAME ~ \"GLOB\"), or \\! for the character";
	if (*glob == '!')
		return 0;
	while (*at) {
		const char *item = at;

		*problem = "the bracket is not closed; write \\[ for the character";
		if (*item == '[' && !(at = set_end(item + 1)))
			return item - glob;
		*problem = "a character is expected after the \"\\\"";
		if (*item == '\\' && !item[1])
			return item - glob;
		if (*item != '[')
			at = item + (*item == '\\' ? 2 : 1);
	}
	return -1;
}

static int is_word_character(char c)
{
	return (unsigned char)c >= 0x80 || (c && strchr("_./:*?[]@%+,#^{}-", c)) ||
	       (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Numbers */

/*
 * The syntax of digits alone. Leading zeros are excluded, since the kernel reads 010 as 8, and people
 * read it as 10.
 */
static int is_decimal(const char *text, int *is_whole)
{
	size_t whole, fraction = 0;

	text += *text == '-';
	whole = strspn(text, "0123456789");
	if (whole > 1 && *text == '0')
		return 0;
	text += whole;
	*is_whole = !*text;
	if (*text == '.')
		fraction = strspn(++text, "0123456789");
	text += fraction;
	if (!whole && !fraction)
		return 0;
	if (*text == 'e' || *text == 'E') {
		text += 1 + (text[1] == '+' || text[1] == '-');
		if (!*text)
			return 0;
		text += strspn(text, "0123456789");
	}
	return !*text;
}

static int is_hexadecimal(const char *text)
{
	text += *text == '-';
	return text[0] == '0' && (text[1] | 0x20) == 'x' && text[2] &&
	       !text[2 + strspn(text + 2, "0123456789abcdefABCDEF")];
}

/* 0, or -1 if it does not fit into 64 bits. */
static int parse_whole(const char *text, struct value *number)
{
	const int is_negative = *text == '-';
	unsigned long long magnitude;

	errno = 0;
	magnitude = strtoull(text + is_negative, NULL, is_hexadecimal(text) ? 16 : 10);
	if (errno || (is_negative && magnitude > (uint64_t)INT64_MAX + 1))
		return -1;
	number->type = is_negative ? VALUE_SIGNED : VALUE_UNSIGNED;
	number->whole = (int64_t)(is_negative ? 0 - magnitude : magnitude);
	return 0;
}

/* The words inf and nan with any sign, as floats are printed. */
static int read_float_word(const char *text, struct value *number)
{
	const int is_negative = *text == '-';
	const char *word = text + is_negative;

	if (strcmp(word, "inf") && strcmp(word, "nan"))
		return 0;
	number->type = VALUE_FLOAT;
	number->number = *word == 'n' ? NAN : is_negative ? -INFINITY : INFINITY;
	return 1;
}

/* 0, or -1 for a number that does not fit. Other words are no numbers. */
static int read_number(const char *text, struct value *number)
{
	int is_whole = 0;

	if (!strcmp(text, "true") || !strcmp(text, "false")) {
		number->type = VALUE_BOOLEAN;
		number->whole = *text == 't';
		return 0;
	}
	if (read_float_word(text, number))
		return 0;
	if (is_hexadecimal(text))
		return parse_whole(text, number);
	if (!is_decimal(text, &is_whole))
		return 0;
	if (is_whole)
		return parse_whole(text, number);
	number->type = VALUE_FLOAT;
	number->number = strtod(text, NULL);
	return 0;
}

/* Those that JSON has in quotes: "0xFF", "inf", and from 2^63 on those of query and export. */
static void read_quoted_number(const char *text, struct value *number)
{
	struct value whole = { .type = VALUE_NONE };

	if (read_float_word(text, number))
		return;
	if (is_hexadecimal(text) || !text[strspn(text, "0123456789")])
		parse_whole(text, &whole);
	if (is_hexadecimal(text) || whole.whole < 0)
		*number = whole;
}

/* Values that fields have words for */

/* "NAME(-17)": the number in parentheses. 0, or -1 for another text. */
static int number_in_parentheses(const char *text, const char *name, int64_t *number)
{
	const size_t length = strlen(name);
	char *end;

	if (strncmp(text, name, length) || text[length] != '(')
		return -1;
	errno = 0;
	*number = strtoll(text + length + 1, &end, 10);
	return errno || end == text + length + 1 || strcmp(end, ")") ? -1 : 0;
}

/* "ENOENT(2)" */
static void print_errno(char printed[64], int32_t number)
{
	const struct ue_value item = {
		.bytes = (const uint8_t *)&number,
		.length = sizeof(number),
		.encoding = UE_ENCODING_VALUE32,
		.format = UE_FORMAT_ERRNO,
		.big_endian = HOST_IS_BIG_ENDIAN,
	};

	ue_value_to_text(&item, 0, printed, 64);
}

/* "ENOENT" or "ENOENT(2)" for the errno that is printed as the latter. */
static int is_errno(const char *text, int32_t number)
{
	const size_t length = strlen(text);
	char printed[64];

	print_errno(printed, number);
	return !strncmp(printed, text, length) && (!printed[length] || printed[length] == '(');
}

#define ERRNO_MAX 4095 /* include/linux/err.h: MAX_ERRNO */

static void read_errno(const char *text, struct value *error)
{
	int32_t number = 1;
	int64_t unknown;

	if (!number_in_parentheses(text, "ERRNO", &unknown)) {
		*error = (struct value){ .type = VALUE_SIGNED, .whole = unknown };
		return;
	}
	if (text[0] != 'E' || !text[1] || !strncmp(text, "ERRNO", strlen(text)))
		return;
	while (number <= ERRNO_MAX && !is_errno(text, number))
		number++;
	if (number <= ERRNO_MAX)
		*error = (struct value){ .type = VALUE_SIGNED, .whole = number };
}

const char *errno_hint(const struct literal *literal)
{
	static char hint[100];
	struct words names = { .items = NULL };
	char printed[64], *near;

	for (int32_t number = 1; number <= ERRNO_MAX; number++) {
		print_errno(printed, number);
		if (strncmp(printed, "ERRNO", strlen("ERRNO")))
			words_add(&names, xstrndup(printed, strcspn(printed, "(")));
	}
	near = words_nearest(&names, literal->text);
	snprintf(hint, sizeof(hint), near ? "write its number or name; did you mean %s?" :
		 "write its number or name, %s", near ? near : "ENOENT");
	free(near);
	return hint;
}

static void read_date(const char *text, struct value *date)
{
	int64_t seconds, nanoseconds = 0;

	if (number_in_parentheses(text, "TIME", &seconds) &&
	    date_parse(text, &seconds, &nanoseconds))
		return;
	*date = (struct value){ .type = VALUE_SIGNED, .whole = seconds };
	if (nanoseconds)
		*date = (struct value){
			.type = VALUE_FLOAT,
			.number = (double)seconds + (double)nanoseconds / 1e9,
		};
}

const struct value *literal_number(const struct literal *literal, const struct value *field)
{
	if (field->spelling == SPELT_ERRNO && literal->error.type)
		return &literal->error;
	if (field->spelling == SPELT_TIME && literal->date.type)
		return &literal->date;
	if (literal->number.type)
		return &literal->number;
	return literal->quoted.type ? &literal->quoted : NULL;
}

int literal_may_be_number(const struct literal *literal)
{
	return literal->number.type || literal->quoted.type || literal->error.type ||
	       literal->date.type;
}

/* Bytes */

/* "00ff", "00 ff" or 0x00ff. */
static void parse_hex(struct literal *literal)
{
	const char *text = literal->text;

	if (text[0] == '0' && (text[1] | 0x20) == 'x')
		text += 2;
	while (*text) {
		const int high = hex_digit(text[0]), low = high < 0 ? -1 : hex_digit(text[1]);
		uint8_t byte;

		if (low < 0)
			return;
		byte = (uint8_t)(high << 4 | low);
		bytes_add(&literal->hex, &byte, 1);
		text += 2;
		text += *text == ' ' && text[1];
	}
	literal->is_hex = 1;
}

/* All of it */

/* Text in double quotes has the escapes of JSON; that in single quotes has none. */

/* Four hexadecimal digits: 0 or -1. */
static int read_unit(const char *text, uint32_t *unit)
{
	*unit = 0;
	for (int i = 0; i < 4; i++) {
		const int digit = hex_digit(text[i]);

		if (digit < 0)
			return -1;
		*unit = *unit << 4 | (uint32_t)digit;
	}
	return 0;
}

/* "\u00e9", or two of them for a character beyond U+FFFF. Returns its end, or NULL. */
static const char *take_unicode(const char *text, struct bytes *to)
{
	uint32_t unit, low;

	if (read_unit(text + 2, &unit))
		return NULL;
	text += 6;
	if (unit >= 0xd800 && unit < 0xdc00 && text[0] == '\\' && text[1] == 'u' &&
	    !read_unit(text + 2, &low) && low >= 0xdc00 && low < 0xe000) {
		unit = 0x10000 + ((unit & 0x3ff) << 10 | (low & 0x3ff));
		text += 6;
	}
	bytes_add_utf8(to, unit);
	return text;
}

/* Parse from a backslash on. Returns the end of the escape, or NULL. */
static const char *take_escape(const char *text, struct bytes *to)
{
	static const char letters[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
	const char *letter = text[1] ? strchr(letters, text[1]) : NULL;

	if (text[1] == 'u')
		return take_unicode(text, to);
	if (!letter)
		return NULL;
	bytes_add(to, &meanings[letter - letters], 1);
	return text + 2;
}

/* Where the text in quotes ends; NULL: nowhere. */
static const char *quote_end(const char *text)
{
	const char quote = *text;

	for (text++; *text && *text != quote; text++)
		if (quote == '"' && *text == '\\' && text[1])
			text++;
	return *text ? text : NULL;
}

/* has_escapes: those of a glob are the glob's own. */
static size_t take_quoted(const struct where *where, size_t at, struct literal *literal,
			  int has_escapes)
{
	const char *begin = where->text + at, *end = quote_end(begin);
	struct bytes text = { .at = NULL };

	literal->is_quoted = 1;
	if (!end) {
		where_complain(where, at, "the quote is not closed");
		return 0;
	}
	for (const char *from = begin + 1; from != end;) {
		const int is_escape = has_escapes && *begin == '"' && *from == '\\';
		const char *next = is_escape ? take_escape(from, &text) : from + 1;

		if (!next) {
			bytes_free(&text);
			where_complain(where, at + (size_t)(from - begin), "in \"\" a backslash "
				       "begins an escape of JSON; write \\\\, or text in ''");
			return 0;
		}
		if (!is_escape)
			bytes_add(&text, from, 1);
		from = next;
	}
	literal->length = text.length;
	bytes_add(&text, "", 1);
	literal->text = (char *)text.at;
	return (size_t)(end - begin) + 1;
}

/* "(2)" behind a word of capital letters, as in ENOENT(2). */
static size_t parentheses_length(const char *word, size_t length)
{
	const char *number = word + length + 1;
	size_t digits;

	if (word[length] != '(' || strspn(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") < length)
		return 0;
	digits = strspn(number + (*number == '-'), "0123456789");
	number += (*number == '-') + digits;
	return digits && *number == ')' ? (size_t)(number + 1 - word) - length : 0;
}

static size_t take_word(const struct where *where, size_t at, struct literal *literal)
{
	const char *text = where->text + at;

	while (is_word_character(text[literal->length]))
		literal->length++;
	if (!literal->length) {
		where_complain(where, at,
			       "a value is a number, a word, or text in quotes");
		return 0;
	}
	literal->length += parentheses_length(text, literal->length);
	literal->text = xstrndup(text, literal->length);
	return literal->length;
}

static int check_glob(const struct where *where, const struct literal *literal)
{
	const char *problem;
	const long fault = glob_fault(literal->text, &problem);

	if (fault < 0)
		return 0;
	return where_complain(where, literal->at + (size_t)literal->is_quoted + (size_t)fault,
			      "%s", problem);
}

size_t literal_parse(const struct where *where, size_t at, enum where_operator operator,
		     struct literal *literal)
{
	const char first = where->text[at];
	size_t length;

	literal->at = at;
	length = first == '"' || first == '\'' ?
			 take_quoted(where, at, literal, operator != WHERE_GLOB) :
			 take_word(where, at, literal);
	if (!length)
		return 0;
	if (operator == WHERE_GLOB)
		return check_glob(where, literal) ? 0 : length;
	parse_hex(literal);
	read_errno(literal->text, &literal->error);
	read_date(literal->text, &literal->date);
	literal->is_null = !literal->is_quoted && !strcmp(literal->text, "null");
	if (literal->is_quoted) {
		read_quoted_number(literal->text, &literal->quoted);
	} else if (read_number(literal->text, &literal->number)) {
		where_complain(where, at, "the number does not fit into 64 bits");
		return 0;
	}
	return length;
}

void literal_free(struct literal *literal)
{
	free(literal->text);
	bytes_free(&literal->hex);
}
