/* SPDX-License-Identifier: MIT */
/*
 * Parses expressions:
 *
 *	any	   := all { "||" all }
 *	all	   := one { "&&" one }
 *	one	   := { "!" } ( "(" any ")" | comparison )
 *	comparison := name operator value
 *
 * Parentheses nest WHERE_DEPTH_MAX deep at most, and so does the recursion of this parser and
 * of all that walks the nodes.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "expression.h"
#include "common/cli/message.h"
#include "common/cli/memory.h"

struct parser {
	struct where *where;
	size_t at;
	unsigned depth;
};

static const char *const operators[] = {
	[WHERE_EQUAL] = "==",	[WHERE_UNEQUAL] = "!=",	 [WHERE_LESS] = "<",
	[WHERE_AT_MOST] = "<=", [WHERE_GREATER] = ">",	 [WHERE_AT_LEAST] = ">=",
	[WHERE_BITS] = "&",	[WHERE_GLOB] = "~",
};

const char *where_operator_text(enum where_operator operator)
{
	return operators[operator];
}

int where_complain(const struct where *where, size_t at, const char *problem, ...)
{
	va_list arguments;
	char *text;

	va_start(arguments, problem);
	text = xvprintf(problem, arguments);
	va_end(arguments);
	message("cannot parse the expression: %s", text);
	message_caret(where->text, at);
	free(text);
	return -1;
}

static const char *rest(const struct parser *parser)
{
	return parser->where->text + parser->at;
}

static void skip_blanks(struct parser *parser)
{
	parser->at += strspn(rest(parser), " \t\r\n");
}

static int take(struct parser *parser, const char *token)
{
	const size_t length = strlen(token);

	skip_blanks(parser);
	if (strncmp(rest(parser), token, length))
		return 0;
	parser->at += length;
	return 1;
}

static int begins_word(const char *text, const char *word)
{
	const size_t length = strlen(word);

	/* text may be shorter than the word */
	if (strncasecmp(text, word, length))
		return 0;
	return text[length] != '_' && !(text[length] >= '0' && text[length] <= '9') &&
	       !((text[length] | 0x20) >= 'a' && (text[length] | 0x20) <= 'z');
}

/* Operators */

/* Operators of other languages, and those that they mean. */
static int complain_about_operator(const struct parser *parser)
{
	static const struct {
		const char *typed, *problem;
	} usual[] = {
		{ "=~", "\"=~\" is no operator; a glob is matched by ~" },
		{ "!~", "\"!~\" is no operator; write !(NAME ~ \"GLOB\")" },
		{ "<>", "\"<>\" is no operator; write !=" },
		{ "=", "\"=\" is no operator; write ==" },
		{ "|", "\"|\" is no operator; write || for \"or\"" },
		{ "^", "\"^\" is no operator; operators are == != < <= > >= & ~" },
	};
	const char *text = rest(parser);

	for (size_t i = 0; i < sizeof(usual) / sizeof(usual[0]); i++)
		if (!strncmp(text, usual[i].typed, strlen(usual[i].typed)))
			return where_complain(parser->where, parser->at, "%s",
					      usual[i].problem);
	if (!*text || *text == ')' || !strncmp(text, "&&", 2))
		return where_complain(parser->where, parser->at,
				      "an operator and a value are expected after a name, "
				      "for example != 0");
	if (strchr("-:/@#$%+*?;,", *text) && text[-1] != ' ')
		return where_complain(parser->where, parser->at,
				      "a name with other characters than letters, digits and _ "
				      "is written in backquotes, `a-b`");
	return where_complain(parser->where, parser->at,
			      "an operator is expected after a name: == != < <= > >= & or ~");
}

static int parse_operator(struct parser *parser, enum where_operator *operator)
{
	/* the longer ones first */
	static const enum where_operator order[] = {
		WHERE_EQUAL,   WHERE_UNEQUAL, WHERE_AT_MOST, WHERE_AT_LEAST,
		WHERE_LESS,    WHERE_GREATER, WHERE_BITS,    WHERE_GLOB,
	};
	const char *text;

	skip_blanks(parser);
	text = rest(parser);
	if (!strncmp(text, "&&", 2) || !strncmp(text, "<>", 2))
		return complain_about_operator(parser);
	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
		*operator = order[i];
		if (take(parser, operators[order[i]]))
			return 0;
	}
	return complain_about_operator(parser);
}

/* Comparisons */

static int complain_about_name(const struct parser *parser, const char *problem)
{
	const char *text = rest(parser);
	const size_t at = parser->at;

	if (!*text)
		return where_complain(parser->where, at, at ?
				      "a comparison is expected at the end" :
				      "it is empty; write NAME == VALUE, for example "
				      "status >= 500");
	if (*text == ')')
		return where_complain(parser->where, at,
				      "a comparison is expected before \")\"");
	if (strchr("\"'-", *text) || (*text >= '0' && *text <= '9'))
		return where_complain(parser->where, at,
				      "the name of a field is expected; the value comes "
				      "after the operator");
	return where_complain(parser->where, at, "%s", problem);
}

const char *where_side_text(enum where_side side)
{
	static const char *const texts[] = {
		[WHERE_EITHER] = "", [WHERE_START] = "start.", [WHERE_STOP] = "stop.",
	};

	return texts[side];
}

/* "start." or "stop.", of one event of a pair. */
static void parse_side(struct parser *parser, struct comparison *comparison)
{
	for (int side = WHERE_START; side <= WHERE_STOP && parser->where->is_of_pairs; side++)
		if (take(parser, where_side_text((enum where_side)side))) {
			comparison->side = (enum where_side)side;
			return;
		}
}

static int parse_name(struct parser *parser, struct comparison *comparison)
{
	const char *problem;
	size_t length;

	skip_blanks(parser);
	comparison->at = parser->at;
	parse_side(parser, comparison);
	length = field_parse(&comparison->field, rest(parser), &problem);
	if (!length)
		return complain_about_name(parser, problem);
	parser->at += length;
	comparison->named = comparison->field.property;
	if (comparison->field.count)
		comparison->field.property = PROPERTY_NONE;
	comparison->is_duration = parser->where->is_of_pairs && !comparison->side &&
				  !strcmp(comparison->field.text, "duration");
	return 0;
}

static struct comparison *add_comparison(struct parser *parser)
{
	struct where *where = parser->where;

	if (where->count == WHERE_COMPARISONS_MAX) {
		where_complain(where, parser->at, "it has more than %u comparisons",
			       WHERE_COMPARISONS_MAX);
		return NULL;
	}
	where->comparisons = xgrow(where->comparisons, where->count,
				   sizeof(*where->comparisons));
	where->comparisons[where->count] = (struct comparison){ .on = { 0 } };
	return &where->comparisons[where->count++];
}

static struct node *new_node(const struct parser *parser, enum node_kind kind)
{
	struct node *node = xcalloc(1, sizeof(*node));

	node->kind = kind;
	node->comparison = parser->where->count;
	return node;
}

static void free_node(struct node *node)
{
	while (node) {
		struct node *next = node->sibling;

		free_node(node->child);
		free(node);
		node = next;
	}
}

static int parse_comparison(struct parser *parser, int is_negated)
{
	struct comparison *comparison = add_comparison(parser);
	size_t length;

	if (!comparison || parse_name(parser, comparison) ||
	    parse_operator(parser, &comparison->operator))
		return -1;
	skip_blanks(parser);
	comparison->is_negated = is_negated;
	length = literal_parse(parser->where, parser->at, comparison->operator,
			       &comparison->literal);
	parser->at += length;
	return length ? comparison_check(parser->where, comparison) : -1;
}

static struct node *parse_any(struct parser *parser, int is_negated);

static struct node *parse_parentheses(struct parser *parser, int is_negated, size_t open)
{
	struct node *node;

	if (parser->depth == WHERE_DEPTH_MAX) {
		where_complain(parser->where, open, "parentheses are nested more than %u deep",
			       WHERE_DEPTH_MAX);
		return NULL;
	}
	parser->depth++;
	node = parse_any(parser, is_negated);
	parser->depth--;
	if (!node || take(parser, ")"))
		return node;
	where_complain(parser->where, open, "the parenthesis is not closed");
	free_node(node);
	return NULL;
}

static struct node *parse_one(struct parser *parser, int is_negated)
{
	struct node *node;

	while (take(parser, "!"))
		is_negated = !is_negated;
	if (take(parser, "("))
		return parse_parentheses(parser, is_negated, parser->at - 1);
	node = new_node(parser, NODE_COMPARISON);
	if (!parse_comparison(parser, is_negated))
		return node;
	free_node(node);
	return NULL;
}

/* Parts joined by an operator. One part alone needs no node. */
static struct node *parse_joined(struct parser *parser, int is_negated, const char *joint,
				 struct node *(*parse)(struct parser *, int),
				 enum node_kind kind)
{
	struct node *node = new_node(parser, kind), **end = &node->child;

	do {
		*end = parse(parser, is_negated);
		if (!*end) {
			free_node(node);
			return NULL;
		}
		end = &(*end)->sibling;
	} while (take(parser, joint));
	if (!node->child->sibling) {
		struct node *only = node->child;

		free(node);
		return only;
	}
	return node;
}

static struct node *parse_all(struct parser *parser, int is_negated)
{
	return parse_joined(parser, is_negated, "&&", parse_one,
			    is_negated ? NODE_ANY : NODE_ALL);
}

static struct node *parse_any(struct parser *parser, int is_negated)
{
	return parse_joined(parser, is_negated, "||", parse_all,
			    is_negated ? NODE_ALL : NODE_ANY);
}

/* All of it */

/* The text after a complete expression. */
static int complain_about_rest(const struct parser *parser)
{
	const char *text = rest(parser), *problem;

	if (*text == ')')
		problem = "the parenthesis has no \"(\"";
	else if (*text == '&' || begins_word(text, "and"))
		problem = "\"and\" between comparisons is written &&";
	else if (*text == '|' || begins_word(text, "or"))
		problem = "\"or\" between comparisons is written ||";
	else if (strchr("=!<>~", *text))
		problem = "a comparison has one operator; join comparisons with && or ||";
	else
		problem = "&& or || is expected between comparisons; text with blanks or "
			  "other special characters is written in quotes";
	return where_complain(parser->where, parser->at, "%s", problem);
}

/* Recursion ends at depth WHERE_DEPTH_MAX. */
static void link_nodes(struct where *where, const struct node *node, uint32_t if_false,
		       uint32_t if_true)
{
	if (node->kind == NODE_COMPARISON) {
		where->comparisons[node->comparison].on[0] = if_false;
		where->comparisons[node->comparison].on[1] = if_true;
		return;
	}
	for (const struct node *child = node->child; child; child = child->sibling) {
		const struct node *next = child->sibling;

		link_nodes(where, child,
			   next && node->kind == NODE_ANY ? next->comparison : if_false,
			   next && node->kind == NODE_ALL ? next->comparison : if_true);
	}
}

static int parse(struct parser *parser)
{
	struct where *where = parser->where;

	if (strlen(where->text) > WHERE_LENGTH_MAX)
		return where_complain(where, WHERE_LENGTH_MAX, "it has more than %u bytes",
				      WHERE_LENGTH_MAX);
	where->root = parse_any(parser, 0);
	if (!where->root)
		return -1;
	skip_blanks(parser);
	if (*rest(parser))
		return complain_about_rest(parser);
	link_nodes(where, where->root, WHERE_FAILS, WHERE_PASSES);
	where->missing = where->count;
	return 0;
}

static struct where *parse_text(const char *text, int is_of_pairs)
{
	struct parser parser = { .where = xcalloc(1, sizeof(struct where)) };

	parser.where->text = xstrdup(text);
	parser.where->is_of_pairs = is_of_pairs;
	if (!parse(&parser))
		return parser.where;
	where_free(parser.where);
	return NULL;
}

struct where *where_parse(const char *text)
{
	return parse_text(text, 0);
}

struct where *where_parse_pairs(const char *text)
{
	return parse_text(text, 1);
}

void where_free(struct where *where)
{
	if (!where)
		return;
	for (uint32_t i = 0; i < where->count; i++) {
		field_free(&where->comparisons[i].field);
		literal_free(&where->comparisons[i].literal);
		free(where->comparisons[i].of_property.text);
	}
	for (uint32_t i = 0; i < where->name_count; i++)
		free(where->names[i]);
	free_node(where->root);
	free(where->comparisons);
	free(where->names);
	free(where->seen);
	free(where->text);
	free(where);
}
