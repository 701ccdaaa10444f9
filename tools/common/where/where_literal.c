/* SPDX-License-Identifier: MIT */
/* Parses values: numbers, words, and text in quotes. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "expression.h"
#include "common/cli/hex_digit.h"
#include "common/cli/memory.h"

static int is_word_character(char c)
{
	return (unsigned char)c >= 0x80 || (c && strchr("_./:*?[]@%+,#^{}-", c)) ||
	       (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Numbers */

/*
 * The syntax alone. Leading zeros are excluded, since the kernel reads 010 as 8, and people
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

/* 0, or -1 for a number that does not fit. Other words are no numbers. */
static int read_number(const char *text, struct value *number)
{
	int is_whole = 0;

	if (!strcmp(text, "true") || !strcmp(text, "false")) {
		number->type = VALUE_BOOLEAN;
		number->whole = *text == 't';
		return 0;
	}
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

static size_t complain_about_value(const struct where *where, size_t at)
{
	const char *text = where->text + at;

	if (!*text || *text == ')' || !strncmp(text, "&&", 2) || !strncmp(text, "||", 2))
		where_complain(where, at, "a value is expected after an operator");
	else if (*text == '!')
		where_complain(where, at, "a value is expected; \"!\" comes before a name");
	else if (strchr("=<>&~|", *text))
		where_complain(where, at, "a value is expected after an operator; operators "
			       "are == != < <= > >= & ~");
	else
		where_complain(where, at, "a value is a number, a word, or text in quotes");
	return 0;
}

static size_t take_quoted(const struct where *where, size_t at, struct literal *literal)
{
	const char *text = where->text + at, *end = strchr(text + 1, *text);

	if (!end) {
		where_complain(where, at, "the quote is not closed");
		return 0;
	}
	literal->is_quoted = 1;
	literal->length = (size_t)(end - text) - 1;
	literal->text = xstrndup(text + 1, literal->length);
	return literal->length + 2;
}

static size_t take_word(const struct where *where, size_t at, struct literal *literal)
{
	const char *text = where->text + at;

	while (is_word_character(text[literal->length]))
		literal->length++;
	if (!literal->length)
		return complain_about_value(where, at);
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
	length = first == '"' || first == '\'' ? take_quoted(where, at, literal) :
						 take_word(where, at, literal);
	if (!length)
		return 0;
	if (operator == WHERE_GLOB)
		return check_glob(where, literal) ? 0 : length;
	parse_hex(literal);
	if (!literal->is_quoted && read_number(literal->text, &literal->number)) {
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
