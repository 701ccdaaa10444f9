/* SPDX-License-Identifier: MIT */
/*
 * Numbers from 2^63 on. SQLite's whole numbers end there, and ids and addresses of the kernel
 * are beyond. They are text of 20 characters: those of 19 digits have a blank in front, so that
 * =, <, ORDER BY, max() and GROUP BY, which compare bytes, put them in their order, and any
 * text is greater than all numbers. This holds in a kept database, too, whatever reads it.
 *
 * Questions have digits: in these such a number becomes the text. Results have no blank.
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

char *wide_numbers_quoted(const char *sql)
{
	struct bytes to = { .at = NULL };
	int is_negative = 0; /* SQLite has -9223372036854775808 */

	while (*sql) {
		const char *end = skip_token(sql);
		const size_t length = (size_t)(end - sql);
		char text[WIDE_NUMBER_LENGTH + 1];
		uint64_t number;

		if (!is_negative && is_wide(sql, length, &number)) {
			wide_number_text(text, number);
			sql_quote_text(&to, text);
		} else {
			bytes_add(&to, sql, length);
		}
		if (!strchr(" \t\r\n", *sql))
			is_negative = *sql == '-' && length == 1;
		sql = end;
	}
	bytes_add(&to, "", 1);
	return (char *)to.at;
}
