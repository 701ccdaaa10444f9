/* SPDX-License-Identifier: MIT */
/* Parses values: numbers, words, and text in quotes. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/memory.h"
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
