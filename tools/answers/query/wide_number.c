/* SPDX-License-Identifier: MIT */
/*
 * Numbers from 2^63 on. SQLite's whole numbers end there, and ids and addresses of the kernel
 * are beyond. They are text of 20 characters: those of 19 digits have a blank in front, so that
 * =, <, ORDER BY, max() and GROUP BY, which compare bytes, put them in their order, and any
 * text is greater than all numbers. This holds in a kept database, too, whatever reads it.
 *
 * Questions have numbers. Where digits are compared with a column, they become the text; anywhere
 * else they are as in SQLite, a float, as results of arithmetic and members of JSON
 * are. A float from 2^63 on (1e19), or digits from 2^64 on, become the text only for the rows
 * where the column is text, as a column, or a name given by AS, may have floats. Results have no
 * blank.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "event_tables.h"

#define FIRST_WIDE ((uint64_t)INT64_MAX + 1)

void wide_number_text(char text[WIDE_NUMBER_LENGTH + 1], uint64_t number)
{
	snprintf(text, WIDE_NUMBER_LENGTH + 1, "%20llu", (unsigned long long)number);
}

int wide_number_parse(const char *text, size_t length, uint64_t *number)
{
	char again[WIDE_NUMBER_LENGTH + 1];

	if (length != WIDE_NUMBER_LENGTH || !text)
		return -1;
	errno = 0;
	*number = strtoull(text, NULL, 10);
	if (errno || *number < FIRST_WIDE)
		return -1;
	wide_number_text(again, *number);
	return memcmp(again, text, length) ? -1 : 0;
}

/* Tokens of SQL (sqlite.org/lang_expr.html) */

static int is_word_byte(char c)
{
	return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || c == '_' ||
	       c == '$' || (unsigned char)c >= 0x80;
}

/* The end of a text or a name in quotes, in which a doubled quote is one. */
static const char *skip_quoted(const char *at, char quote)
{
	for (at++; *at; at++) {
		if (*at != quote)
			continue;
		if (at[1] != quote || quote == ']')
			return at + 1;
		at++;
	}
	return at;
}

static const char *skip_comment(const char *at)
{
	const char *end = *at == '-' ? strchr(at, '\n') : strstr(at + 2, "*/");

	return !end ? at + strlen(at) : *at == '-' ? end + 1 : end + 2;
}

/* 1.5e+3 is one token, whose sign no other word has. */
static const char *skip_word(const char *at)
{
	const int is_number = *at >= '0' && *at <= '9';
	const int is_hex = is_number && (at[1] | 0x20) == 'x';

	for (;; at++) {
		const int is_exponent = is_number && !is_hex && (*at | 0x20) == 'e' &&
					(at[1] == '+' || at[1] == '-');

		if (is_exponent)
			at++;
		else if (!is_word_byte(*at) && !(is_number && *at == '.'))
			return at;
	}
}

static const char *skip_token(const char *at)
{
	if (*at == '\'' || *at == '"' || *at == '`')
		return skip_quoted(at, *at);
	if (*at == '[')
		return skip_quoted(at, ']');
	if (!strncmp(at, "--", 2) || !strncmp(at, "/*", 2))
		return skip_comment(at);
	return is_word_byte(*at) || (*at == '.' && at[1] >= '0' && at[1] <= '9') ?
		       skip_word(at + (*at == '.')) : at + 1;
}

/* A token that is a whole number from 2^63 to 2^64 - 1. */
static int is_wide(const char *at, size_t length, uint64_t *number)
{
	const int is_hex = length > 2 && at[0] == '0' && (at[1] | 0x20) == 'x';
	char *end;

	if (*at < '0' || *at > '9')
		return 0;
	errno = 0;
	*number = strtoull(at, &end, is_hex ? 16 : 10);
	return !errno && end == at + length && *number >= FIRST_WIDE;
}

/* A token that is another number from 2^63 on: a float, or digits from 2^64 on. */
static int is_huge(const char *at, size_t length, double *number)
{
	const size_t digits = strspn(at, "0123456789");
	char *end;

	if ((!digits && *at != '.') || (digits == 1 && (at[1] | 0x20) == 'x'))
		return 0;
	errno = 0;
	if (digits == length && (strtoull(at, NULL, 10), !errno))
		return 0;
	*number = strtod(at, &end);
	return end == at + length && *number >= 0x1p63;
}

/* The text with which texts of wide numbers compare as they do with this number. */
static void huge_text(char text[WIDE_NUMBER_LENGTH + 1], double number)
{
	if (number < 0x1p64)
		wide_number_text(text, (uint64_t)number);
	else
		memcpy(text, "99999999999999999999", WIDE_NUMBER_LENGTH + 1);
}

/* The tokens before a number */

enum kind {
	OTHER,
	NAME, /* of a column, perhaps with its table's */
	DOT,
	COMPARE,
	REST_OF_SUM, /* an operator whose result is a float, or a member of JSON */
	OPEN,
	COMMA,
	IN,
	NOT,
	BETWEEN,
	AND,
};

static int is_word(const char *at, size_t length, const char *word)
{
	return strlen(word) == length && !sqlite3_strnicmp(at, word, (int)length);
}

static enum kind kind_of_word(const char *at, size_t length)
{
	static const struct {
		const char *word;
		enum kind kind;
	} words[] = { { "in", IN }, { "not", NOT }, { "between", BETWEEN }, { "and", AND },
		      { "is", COMPARE } };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (is_word(at, length, words[i].word))
			return words[i].kind;
	return *at >= '0' && *at <= '9' ? OTHER : NAME;
}

static enum kind kind_of(const char *at, size_t length)
{
	if (is_word_byte(*at))
		return kind_of_word(at, length);
	switch (*at) {
	case '"':
	case '`':
	case '[':
		return NAME;
	case '.':
		return length == 1 ? DOT : OTHER;
	case '(':
		return OPEN;
	case ',':
		return COMMA;
	case '=':
	case '<':
	case '>':
	case '!':
		return COMPARE;
	default:
		return strchr("+-*/%&|~", *at) ? REST_OF_SUM : OTHER;
	}
}

static int is_blank(const char *at)
{
	return strchr(" \t\r\n", *at) || !strncmp(at, "--", 2) || !strncmp(at, "/*", 2);
}

/* The tokens before a place, the last one first; "a.b" is one name, and "<=" one comparison. */
struct before {
	enum kind kinds[4];
	const char *name, *name_end; /* the last name */
	const char *asked, *asked_end; /* the column of IN or BETWEEN */
	int is_in_list; /* of IN, of a column */
	int is_between; /* BETWEEN of a column, up to its AND */
};

static int is_column(const struct before *before, int at)
{
	return before->kinds[at] == NAME &&
	       (at + 1 == 4 || before->kinds[at + 1] != REST_OF_SUM);
}

static int is_of_column(const struct before *before, int at)
{
	return is_column(before, before->kinds[at] == NOT ? at + 1 : at);
}

static void ask_for_name(struct before *before, const struct before *of)
{
	before->asked = of->name;
	before->asked_end = of->name_end;
}

static void push(struct before *before, enum kind kind, const char *at, const char *end)
{
	enum kind *kinds = before->kinds;

	if (kind == OPEN && kinds[0] == IN && is_of_column(before, 1)) {
		before->is_in_list = 1;
		ask_for_name(before, before);
	} else if (kind == OTHER) {
		before->is_in_list = 0; /* ')' at the latest */
		before->is_between &= kinds[0] != AND;
	}
	if (kind == BETWEEN) {
		before->is_between = is_of_column(before, 0);
		ask_for_name(before, before);
	}
	if (kind == NAME && kinds[0] != DOT)
		before->name = at;
	if (kind == NAME)
		before->name_end = end;
	if (kind == COMPARE && kinds[0] == COMPARE)
		return;
	if (kind == NAME && kinds[0] == DOT && kinds[1] == NAME) {
		memmove(kinds, kinds + 1, 3 * sizeof(*kinds));
		return;
	}
	memmove(kinds + 1, kinds, 3 * sizeof(*kinds));
	kinds[0] = kind;
}

/* "-> " and ">" look alike at their end. */
static enum kind kind_at(const struct before *before, const char *at, size_t length)
{
	return *at == '>' && at[-1] == '-' && before->kinds[0] == REST_OF_SUM ?
		       REST_OF_SUM : *at == '>' && at[-1] == '>' && before->kinds[0] == REST_OF_SUM ?
		       REST_OF_SUM : kind_of(at, length);
}

/* "= column" behind a number; the column becomes the last name. */
static int is_before_column(const char *at, struct before *before)
{
	struct before after = { .kinds = { OTHER } };
	int count = 0;

	while (*at && count < 3) {
		const char *end = skip_token(at);
		const enum kind kind = kind_at(&after, at, (size_t)(end - at));

		if (!is_blank(at)) {
			if (!count && kind != COMPARE)
				return 0;
			if (kind != DOT && !(kind == COMPARE && after.kinds[0] == COMPARE) &&
			    !(kind == NAME && after.kinds[0] == DOT))
				count++;
			push(&after, kind, at, end);
			if (count < 3)
				ask_for_name(before, &after);
		}
		at = end;
	}
	return count == 3 ? after.kinds[0] != REST_OF_SUM && after.kinds[0] != OPEN &&
				    after.kinds[1] == NAME :
			    count == 2 && after.kinds[0] == NAME;
}

/* If so, before->asked is the column. */
static int is_compared(struct before *before, const char *rest)
{
	switch (before->kinds[0]) {
	case COMPARE:
		ask_for_name(before, before);
		return is_column(before, 1);
	case OPEN:
	case COMMA:
		return before->is_in_list;
	case BETWEEN:
	case AND:
		if (before->is_between)
			return 1;
		/* fall through */
	default:
		return before->kinds[0] != REST_OF_SUM && is_before_column(rest, before);
	}
}

char *wide_numbers_quoted(const char *sql)
{
	struct before before = { .kinds = { OTHER } };
	struct bytes to = { .at = NULL };

	while (*sql) {
		const char *end = skip_token(sql);
		const size_t length = (size_t)(end - sql);
		char text[WIDE_NUMBER_LENGTH + 1];
		uint64_t number;
		double huge;

		if (is_wide(sql, length, &number) && is_compared(&before, end)) {
			wide_number_text(text, number);
			bytes_addf(&to, "'%s'", text);
		} else if (is_huge(sql, length, &huge) && is_compared(&before, end)) {
			huge_text(text, huge);
			bytes_addf(&to, "CASE typeof(%.*s) WHEN 'text' THEN '%s' ELSE %.*s END",
				   (int)(before.asked_end - before.asked), before.asked, text,
				   (int)length, sql);
		} else {
			bytes_add(&to, sql, length);
		}
		if (!is_blank(sql) && !(before.is_in_list && *sql >= '0' && *sql <= '9'))
			push(&before, kind_at(&before, sql, length), sql, end);
		sql = end;
	}
	bytes_add(&to, "", 1);
	return (char *)to.at;
}
