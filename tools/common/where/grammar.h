/* SPDX-License-Identifier: MIT */
/*
 * The grammar of --where and of the kernel's filters:
 *
 *	any	   := all { "||" all }
 *	all	   := one { "&&" one }
 *	one	   := { "!" } ( "(" any ")" | comparison )
 *	comparison := name operator value
 *
 * A dialect is a table: its limits, its sentences, and a function that parses names and
 * values.
 */
#ifndef UE__TOOLS_WHERE_GRAMMAR_H
#define UE__TOOLS_WHERE_GRAMMAR_H

#include <stddef.h>
#include <stdint.h>

enum where_operator {
	WHERE_EQUAL,
	WHERE_UNEQUAL,
	WHERE_LESS,
	WHERE_AT_MOST,
	WHERE_GREATER,
	WHERE_AT_LEAST,
	WHERE_BITS, /* & */
	WHERE_GLOB, /* ~ */
	WHERE_OPERATORS
};

/* "==" and so on. */
const char *where_operator_text(enum where_operator operator);

/*
 * The parser moves every "!" into the comparisons, by De Morgan, so that ALL, ANY and
 * comparisons are left.
 */
enum node_kind {
	NODE_COMPARISON,
	NODE_ALL,
	NODE_ANY,
};

struct node {
	enum node_kind kind;
	uint32_t comparison;  /* number of the first comparison in it */
	uint32_t child, last; /* indices of its first and last part, 0 without any */
	uint32_t sibling;     /* index of the next part, 0 after the last */
};

struct parser;

struct dialect {
	unsigned length_max, depth_max;
	const char *empty;	/* printed for an empty expression */
	const char *joint_hint; /* follows "&& or || is expected between comparisons" */
	const char *name_hint;	/* printed if a name ends at a character such as '-'; or
				   NULL */
	/* Parse the comparison at this place, and move it: 0, or -1 after a complaint. */
	int (*comparison)(struct parser *parser, int is_negated);
	/* Take a sentence about a fault, which is to be freed. */
	void (*complain)(struct parser *parser, size_t at, char *sentence);
};

struct parser {
	const struct dialect *dialect;
	void *context; /* of the dialect */
	const char *text;
	size_t at;
	const char *joint; /* the token before the place, NULL at the beginning */
	struct node *nodes; /* the first is the root; to be freed */
	uint32_t node_count, comparisons;
	struct open_part *open;
	size_t depth;
};

/* Parse text into nodes: 0, or -1 after a complaint. */
int grammar_parse(struct parser *parser);

/* Functions for dialects. */

/* Complain about a place in the text. Returns -1. */
int grammar_complain(struct parser *parser, size_t at, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* Parse an operator, and blanks around it: 0, or -1 after a complaint. */
int grammar_operator(struct parser *parser, enum where_operator *operator);
/* Complain if this place cannot begin a value in either dialect: 0, or -1. */
int grammar_check_value(struct parser *parser, enum where_operator operator);
void grammar_skip_blanks(struct parser *parser);
/* Move behind this token: 1, or 0 if the text is another one. */
int grammar_take(struct parser *parser, const char *token);

static inline const char *grammar_rest(const struct parser *parser)
{
	return parser->text + parser->at;
}

static inline int is_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static inline int is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static inline int is_name_letter(char c)
{
	return c == '_' || is_digit(c) || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
}

#endif
