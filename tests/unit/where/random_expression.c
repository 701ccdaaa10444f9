/* SPDX-License-Identifier: MIT */
/* Makes, prints and evaluates random trees of comparisons. */
#include "random_expression.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EQ, NE, LT, LE, GT, GE, BITS, GLOB };
static const char *const operators[] = { "==", "!=", "<", "<=", ">", ">=", "&", "~" };


struct number {
	const char *text;
	double number; /* of one with decimals, and then whole is 0 */
	wide whole;
	int is_float;
};

struct tree {
	enum { COMPARISON, NOT, AND, OR } kind;
	struct tree *children[2];
	/* For a comparison: */
	char name[32];
	int operator;
	const struct number *number; /* NULL: text */
	char text[64];
};

uint64_t random_state = 1;

uint64_t random_bits(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state * 0x2545f4914f6cdd1d;
}

#define WHOLE(n) { #n, 0, n, 0 }
#define REAL(n) { #n, n, 0, 1 }
#define TWO_TO_64 ((wide)UINT64_MAX + 1)

static const struct number numbers[] = {
	WHOLE(0), WHOLE(1), WHOLE(-1), WHOLE(2), WHOLE(3), WHOLE(7), WHOLE(44), WHOLE(127),
	WHOLE(128), WHOLE(-128), WHOLE(-129), WHOLE(200), WHOLE(255), WHOLE(256), WHOLE(300),
	WHOLE(0x2c), WHOLE(0xff), WHOLE(-0x80), WHOLE(32767), WHOLE(32768), WHOLE(-32768),
	WHOLE(-32769), WHOLE(65535), WHOLE(65536), WHOLE(2147483647), WHOLE(2147483648),
	WHOLE(-2147483648), WHOLE(-2147483649), WHOLE(4294967295), WHOLE(4294967296),
	WHOLE(9223372036854775807), WHOLE(-9223372036854775807),
	{ "-9223372036854775808", 0, -(TWO_TO_64 / 2), 0 },
	{ "9223372036854775808", 0, TWO_TO_64 / 2, 0 },
	{ "18446744073709551615", 0, TWO_TO_64 - 1, 0 },
	{ "0xFFFFFFFFFFFFFFFE", 0, TWO_TO_64 - 2, 0 },
	REAL(0.5), REAL(-0.5), REAL(127.5), REAL(-128.5), REAL(255.5), REAL(2.0), REAL(1e30),
	REAL(-1e30), REAL(9223372036854775808.0), REAL(18446744073709551616.0), REAL(4e9),
	REAL(-1.0), REAL(1e-9),
};

static const char *const texts[] = {
	"", "a", "G", "GET", "GETS", "1a", "1", "abcdefgh", "abcdefghi", "x", "\xc3\xa9",
	"caf\xc3\xa9", "worker", "user_events", "many", "it's", "a b", "*", "GET\\",
};

static const char *const glob_parts[] = {
	"*", "*", "*", "?", "a", "G", "E", "T", "1", "x", "b", "h", "\xc3\xa9", "[a-z]", "[!a]", "[GE]",
	"[\xc3\xa0-\xc3\xaf]", "\\*", "\\\\", "'", " ", "\\1", "-", "]",
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Making */

/* One that matches a text: a part of it, and '*' for the rest. */
static void matching_glob(char *glob, const char *text)
{
	size_t begin = random_below(strlen(text) + 1);
	size_t end = random_below(2) ? strlen(text) :
				       begin + random_below(strlen(text) - begin + 1);

	if (begin)
		*glob++ = '*';
	for (size_t i = begin; i < end; i++) {
		if (strchr("*?[\\!", text[i]))
			*glob++ = '\\';
		*glob++ = text[i];
	}
	strcpy(glob, text[end] ? "*" : "");
}

static int is_ascii(const char *text)
{
	while (*text && (unsigned char)*text < 0x80)
		text++;
	return !*text;
}

static void random_glob(char *text, const char *value)
{
	size_t parts = random_below(5);

	if (random_below(2) && is_ascii(value)) {
		matching_glob(text, value);
		return;
	}
	*text = '\0';
	while (parts--)
		strcat(text, glob_parts[random_below(COUNT(glob_parts))]);
}

static struct tree *random_comparison(const struct oracle_value *values, size_t count)
{
	struct tree *tree = calloc(1, sizeof(*tree));
	const struct oracle_value *value = &values[random_below(count)];

	strcpy(tree->name, value->name);
	if (value->type == ORACLE_TEXT) {
		static const int of_text[] = { EQ, NE, GLOB, GLOB };

		tree->operator = of_text[random_below(4)];
		if (tree->operator == GLOB)
			random_glob(tree->text, value->text);
		else
			strcpy(tree->text, random_below(3) ? texts[random_below(COUNT(texts))] :
							     value->text);
		if (strchr(tree->text, '"') && strchr(tree->text, '\''))
			*tree->text = '\0';
		return tree;
	}
	do {
		tree->operator = (int)random_below(value->type == ORACLE_FLOAT ? BITS : GLOB);
		tree->number = &numbers[random_below(COUNT(numbers))];
	} while (tree->number->is_float && (tree->operator == BITS || value->has_no_order));
	return tree;
}

struct tree *tree_random(const struct oracle_value *values, size_t count, unsigned depth)
{
	struct tree *tree;

	if (!depth || !random_below(4))
		return random_comparison(values, count);
	tree = calloc(1, sizeof(*tree));
	tree->kind = NOT + (int)random_below(3);
	tree->children[0] = tree_random(values, count, depth - 1);
	if (tree->kind != NOT)
		tree->children[1] = tree_random(values, count, depth - 1);
	return tree;
}

void tree_free(struct tree *tree)
{
	if (!tree)
		return;
	tree_free(tree->children[0]);
	tree_free(tree->children[1]);
	free(tree);
}

/* Printing */

static void put(char *text, size_t size, const char *more)
{
	if (strlen(text) + strlen(more) < size)
		strcat(text, more);
}

static void print_comparison(const struct tree *tree, char *text, size_t size)
{
	static const char *const blanks[] = { "", " ", "\t " };
	const char *quote = strchr(tree->text, '"') || !random_below(3) ? "'" : "\"";

	put(text, size, tree->name);
	put(text, size, blanks[random_below(3)]);
	put(text, size, operators[tree->operator]);
	put(text, size, blanks[random_below(3)]);
	if (tree->number) {
		put(text, size, tree->number->text);
		return;
	}
	quote = strchr(tree->text, '\'') ? "\"" : quote;
	put(text, size, quote);
	for (const char *at = tree->text; *at; at++) {
		const char one[2] = { *at, '\0' };

		/* a backslash in a glob is the glob's own */
		if (*at == '\\' && *quote == '"' && tree->operator != GLOB)
			put(text, size, "\\");
		put(text, size, one);
	}
	put(text, size, quote);
}

static void print(const struct tree *tree, char *text, size_t size, int outside)
{
	/* && binds more than ||; parentheses stand where they must, and sometimes elsewhere */
	const int has_parentheses = (tree->kind == OR && outside != OR && outside != COMPARISON) ||
				    (tree->kind == AND && outside == NOT) || !random_below(8);

	if (has_parentheses)
		put(text, size, "(");
	switch (tree->kind) {
	case COMPARISON:
		print_comparison(tree, text, size);
		break;
	case NOT:
		put(text, size, random_below(2) ? "!" : "! ");
		print(tree->children[0], text, size, NOT);
		break;
	default:
		print(tree->children[0], text, size, tree->kind);
		put(text, size, tree->kind == AND ? " && " : "||");
		print(tree->children[1], text, size, tree->kind);
	}
	if (has_parentheses)
		put(text, size, ")");
}

void tree_print(const struct tree *tree, char *text, size_t size)
{
	*text = '\0';
	print(tree, text, size, COMPARISON);
}

/* Evaluating */

static int by_order(int operator, int order)
{
	switch (operator) {
	case EQ: return !order;
	case NE: return order != 0;
	case LT: return order < 0;
	case LE: return order <= 0;
	case GT: return order > 0;
	default: return order >= 0;
	}
}

/* Exact for both. */
_Static_assert(LDBL_MANT_DIG >= 64, "long double holds numbers of 64 bits");

static int compare_numbers(const struct oracle_value *value, const struct number *number)
{
	long double one = value->type == ORACLE_FLOAT ? (long double)value->number :
							(long double)value->whole;
	long double other = number->is_float ? (long double)number->number :
					       (long double)number->whole;

	return one < other ? -1 : one > other;
}

static int next_code(const char **text)
{
	const unsigned char *at = (const unsigned char *)*text;

	*text += *at < 0x80 ? 1 : 2; /* all others of this test have two bytes */
	return *at < 0x80 ? *at : (*at & 0x1f) << 6 | (at[1] & 0x3f);
}

static int matches(const char *glob, const char *text)
{
	int code, first, last, is_in = 0, is_inverted;

	if (*glob == '*')
		return matches(glob + 1, text) ||
		       (*text && (next_code(&text), matches(glob, text)));
	if (!*glob || !*text)
		return !*glob && !*text;
	code = next_code(&text);
	if (*glob == '?')
		return matches(glob + 1, text);
	if (*glob != '[') {
		glob += *glob == '\\';
		return next_code(&glob) == code && matches(glob, text);
	}
	is_inverted = *++glob == '!';
	glob += is_inverted;
	while (*glob != ']') {
		first = last = next_code(&glob);
		if (*glob == '-' && *++glob)
			last = next_code(&glob);
		is_in |= code >= first && code <= last;
	}
	return is_in != is_inverted && matches(glob + 1, text);
}

static uint64_t bits_of(wide whole)
{
	return whole < 0 ? (uint64_t)(int64_t)whole : (uint64_t)whole;
}

static int comparison_passes(const struct tree *tree, const struct oracle_value *value)
{
	if (value->type == ORACLE_ABSENT)
		return -1;
	if (!tree->number)
		return tree->operator == GLOB ? matches(tree->text, value->text) :
			(!strcmp(tree->text, value->text) && !value->has_nul) ==
				(tree->operator == EQ);
	if (tree->operator == BITS)
		return (bits_of(value->whole) & bits_of(tree->number->whole)) != 0;
	if (value->type == ORACLE_FLOAT && isnan(value->number))
		return tree->operator == NE;
	return by_order(tree->operator, compare_numbers(value, tree->number));
}

int tree_passes(const struct tree *tree, const struct oracle_value *values, size_t count)
{
	int one, other;

	if (tree->kind == COMPARISON) {
		while (count-- && strcmp(values->name, tree->name))
			values++;
		return comparison_passes(tree, values);
	}
	one = tree_passes(tree->children[0], values, count);
	if (tree->kind == NOT)
		return one < 0 ? -1 : !one;
	other = tree_passes(tree->children[1], values, count);
	if (tree->kind == AND)
		return !one || !other ? 0 : one < 0 || other < 0 ? -1 : 1;
	return one > 0 || other > 0 ? 1 : one < 0 || other < 0 ? -1 : 0;
}
