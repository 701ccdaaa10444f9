/* SPDX-License-Identifier: MIT */
/*
 * Parses expressions of both dialects into a tree.
 *
 * The kernel nests as deep as a page of text can, so the parser does not recurse: it
 * keeps the parentheses that are open in an array.
 */
#include "grammar.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/cli/memory.h"

int grammar_complain(struct parser *parser, size_t at, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	parser->dialect->complain(parser, at, xvprintf(format, arguments));
	va_end(arguments);
	return -1;
}

static int complain_here(struct parser *parser, const char *sentence)
{
	return grammar_complain(parser, parser->at, "%s", sentence);
}

void grammar_skip_blanks(struct parser *parser)
{
	while (is_blank(*grammar_rest(parser)))
		parser->at++;
}

static int begins_with(const struct parser *parser, const char *token)
{
	return !strncmp(grammar_rest(parser), token, strlen(token));
}

static int begins_with_word(const struct parser *parser, const char *word)
{
	const char *text = grammar_rest(parser);

	return !strncasecmp(text, word, strlen(word)) &&
	       !is_name_letter(text[strlen(word)]);
}

int grammar_take(struct parser *parser, const char *token)
{
	if (!begins_with(parser, token))
		return 0;
	parser->at += strlen(token);
	return 1;
}

/* Operators */

static const char *const operators[WHERE_OPERATORS] = {
	[WHERE_EQUAL] = "==",
	[WHERE_UNEQUAL] = "!=",
	[WHERE_LESS] = "<",
	[WHERE_AT_MOST] = "<=",
	[WHERE_GREATER] = ">",
	[WHERE_AT_LEAST] = ">=",
	[WHERE_BITS] = "&",
	[WHERE_GLOB] = "~",
};

const char *where_operator_text(enum where_operator operator)
{
	return operators[operator];
}

#define VALUE_EXPECTED "an operator and a value are expected after a name, such as != 0"

/*
 * Operators of other languages, and those that they mean. The longer ones come before
 * those that they begin with.
 */
static const struct {
	const char *typed, *sentence;
} usual[] = {
	{ "===", "\"===\" is not an operator; write ==" },
	{ "=~", "\"=~\" is not an operator; a glob is matched by ~" },
	{ "!~", "\"!~\" is not an operator; write !(NAME ~ \"GLOB\")" },
	{ "=<", "\"=<\" is not an operator; write <=" },
	{ "=>", "\"=>\" is not an operator; write >=" },
	{ "<>", "\"<>\" is not an operator; write !=" },
	{ "||", VALUE_EXPECTED },
	{ "|", "\"|\" is not an operator; write || for \"or\"" },
	{ "&&", VALUE_EXPECTED },
	{ ")", VALUE_EXPECTED },
};

/* The sentence about the text where an operator should be; NULL: it may be one. */
static const char *wrong_operator(const char *text)
{
	for (size_t i = 0; i < sizeof(usual) / sizeof(usual[0]); i++)
		if (!strncmp(text, usual[i].typed, strlen(usual[i].typed)))
			return usual[i].sentence;
	if (!*text)
		return VALUE_EXPECTED;
	return *text == '=' && text[1] != '=' ? "\"=\" is not an operator; write ==" :
						NULL;
}

int grammar_operator(struct parser *parser, enum where_operator *operator)
{
	/* the longer ones first */
	static const enum where_operator order[WHERE_OPERATORS] = {
		WHERE_EQUAL,
		WHERE_UNEQUAL,
		WHERE_AT_MOST,
		WHERE_AT_LEAST,
		WHERE_LESS,
		WHERE_GREATER,
		WHERE_BITS,
		WHERE_GLOB,
	};
	const char *hint = parser->dialect->name_hint, *sentence, *text;

	grammar_skip_blanks(parser);
	text = grammar_rest(parser);
	sentence = wrong_operator(text);
	for (size_t i = 0; i < WHERE_OPERATORS && !sentence; i++) {
		*operator = order[i];
		if (grammar_take(parser, operators[order[i]])) {
			grammar_skip_blanks(parser);
			return 0;
		}
	}
	if (!sentence && hint && strchr("-:/@#$%+*?;,", *text) && !is_blank(text[-1]))
		sentence = hint;
	return complain_here(parser, sentence ? sentence :
						"an operator is expected after a name: "
						"== != < <= > >= & or ~");
}

int grammar_check_value(struct parser *parser, enum where_operator operator)
{
	const char *text = grammar_rest(parser);

	if (!*text || strchr(")&|", *text))
		return grammar_complain(parser, parser->at, "a value is expected after "
							    "\"%s\"",
					operators[operator]);
	if (strchr("=<>~", *text))
		return complain_here(parser, "a value is expected after an operator; "
					     "operators "
					     "are == != < <= > >= & ~");
	if (*text == '!')
		return complain_here(parser, "a value is expected; \"!\" comes before a "
					     "name");
	return 0;
}

/* The tree */

/* A parenthesis that is open, or all of the text; and the nodes for its parts. */
struct open_part {
	size_t at;
	int is_negated;
	uint32_t any, all;
};

static uint32_t add_node(struct parser *parser, enum node_kind kind)
{
	parser->nodes = xgrow(parser->nodes, parser->node_count, sizeof(*parser->nodes));
	parser->nodes[parser->node_count] = (struct node){
		.kind = kind, .comparison = parser->comparisons,
	};
	return parser->node_count++;
}

/* Append a part to a node. A node with one part is not needed: that part takes its place.
 */
static void append(struct parser *parser, uint32_t to, uint32_t part)
{
	struct node *nodes = parser->nodes;

	if (nodes[part].child && nodes[part].child == nodes[part].last)
		part = nodes[part].child;
	*(nodes[to].child ? &nodes[nodes[to].last].sibling : &nodes[to].child) = part;
	nodes[to].last = part;
}

static void begin_all(struct parser *parser, struct open_part *part)
{
	part->all = add_node(parser, part->is_negated ? NODE_ANY : NODE_ALL);
}

static void open_part(struct parser *parser, size_t at, int is_negated)
{
	struct open_part *part;

	parser->open = xgrow(parser->open, parser->depth, sizeof(*parser->open));
	part = &parser->open[parser->depth++];
	*part = (struct open_part){ .at = at, .is_negated = is_negated };
	part->any = add_node(parser, is_negated ? NODE_ALL : NODE_ANY);
	begin_all(parser, part);
}

static struct open_part *innermost(const struct parser *parser)
{
	return &parser->open[parser->depth - 1];
}

static void close_part(struct parser *parser)
{
	const struct open_part *part = innermost(parser);

	append(parser, part->any, part->all);
	if (--parser->depth)
		append(parser, innermost(parser)->all, part->any);
}

/* Parts and joints */

/* Complain about a place where no comparison can begin: -1, or 0 if one may. */
static int check_begin(struct parser *parser)
{
	const char c = *grammar_rest(parser);

	if (!c && !parser->joint)
		return complain_here(parser, parser->dialect->empty);
	if ((!c || c == ')' || c == '|' || begins_with(parser, "&&")) && !parser->joint)
		return complain_here(parser, "a comparison is expected at the beginning");
	if (!c || c == ')' || c == '|' || begins_with(parser, "&&"))
		return grammar_complain(parser, parser->at,
					"a comparison is expected after \"%s\"",
					parser->joint);
	if (c == '"' || c == '\'' || c == '-' || is_digit(c))
		return complain_here(parser, "the name of a field is expected; the value "
					     "comes "
					     "after the operator");
	if (c == '!')
		return complain_here(parser, "\"!\" stands before a comparison or a "
					     "parenthesis: "
					     "!(id == 1)");
	return 0;
}

static int open_parenthesis(struct parser *parser, int is_negated)
{
	if (parser->depth > parser->dialect->depth_max)
		return grammar_complain(parser, parser->at,
					"parentheses are nested more than %u "
					"deep",
					parser->dialect->depth_max);
	open_part(parser, parser->at++, is_negated);
	return 0;
}

/* "!" and "(" and the comparison after them. */
static int parse_one(struct parser *parser)
{
	int is_negated = innermost(parser)->is_negated;

	for (;;) {
		const char *text;

		grammar_skip_blanks(parser);
		text = grammar_rest(parser);
		if (*text == '!' && text[1] != '=' && text[1] != '~') {
			is_negated = !is_negated;
			parser->joint = "!";
			parser->at++;
		} else if (*text == '(') {
			parser->joint = "(";
			if (open_parenthesis(parser, is_negated))
				return -1;
		} else {
			break;
		}
	}
	if (check_begin(parser))
		return -1;
	append(parser, innermost(parser)->all, add_node(parser, NODE_COMPARISON));
	parser->comparisons++;
	return parser->dialect->comparison(parser, is_negated);
}

/* The parser is behind a comparison or a parenthesis. */
static int complain_of_end(struct parser *parser)
{
	const char *text = grammar_rest(parser);

	if (*text == '&' || begins_with_word(parser, "and"))
		return complain_here(parser, "\"and\" between comparisons is written &&");
	if (*text == '|' || begins_with_word(parser, "or"))
		return complain_here(parser, "\"or\" between comparisons is written ||");
	if (strchr("=!<>~", *text))
		return complain_here(parser, "a comparison has one operator; join "
					     "comparisons "
					     "with && or ||");
	return grammar_complain(parser, parser->at,
				"&& or || is expected between comparisons%s",
				parser->dialect->joint_hint);
}

/* Any ")" and the joint behind it: 1 with a joint, 0 at the end, or -1 after a complaint.
 */
static int parse_joint(struct parser *parser)
{
	for (;; parser->at++) {
		grammar_skip_blanks(parser);
		if (*grammar_rest(parser) != ')')
			break;
		if (parser->depth == 1)
			return complain_here(parser, "the parenthesis has no \"(\"");
		close_part(parser);
	}
	if (!*grammar_rest(parser))
		return 0;
	parser->joint = begins_with(parser, "&&") ? "&&" : "||";
	if (!grammar_take(parser, parser->joint))
		return complain_of_end(parser);
	if (*parser->joint == '&')
		return 1;
	append(parser, innermost(parser)->any, innermost(parser)->all);
	begin_all(parser, innermost(parser));
	return 1;
}

static int parse_parts(struct parser *parser)
{
	int result;

	open_part(parser, 0, 0);
	do {
		if (parse_one(parser))
			return -1;
		result = parse_joint(parser);
	} while (result > 0);
	if (!result && parser->depth > 1)
		return grammar_complain(parser, innermost(parser)->at,
					"the parenthesis is not closed");
	if (!result)
		close_part(parser);
	return result;
}

int grammar_parse(struct parser *parser)
{
	const unsigned length_max = parser->dialect->length_max;
	int result;

	if (strlen(parser->text) > length_max)
		return grammar_complain(parser, length_max, "it has more than %u bytes",
					length_max);
	result = parse_parts(parser);
	free(parser->open);
	return result;
}
