/* SPDX-License-Identifier: MIT */
/* Parses comparisons of --where, and links those of an expression. */
#include <stdlib.h>
#include <string.h>

#include "expression.h"
#include "common/cli/message.h"
#include "common/cli/memory.h"

int where_complain(const struct where *where, size_t at, const char *problem, ...)
{
	va_list arguments;
	AUTO_FREE char *text;

	va_start(arguments, problem);
	text = xvprintf(problem, arguments);
	va_end(arguments);
	message("cannot parse the expression: %s", text);
	message_caret(where->text, at);
	return -1;
}

/* Comparisons */

const char *where_side_text(enum where_side side)
{
	static const char *const texts[] = {
		[WHERE_EITHER] = "", [WHERE_START] = "start.", [WHERE_STOP] = "stop.",
	};

	return texts[side];
}

/* "start." or "stop.", of one event of a pair. */
static void parse_side(struct parser *parser, const struct where *where,
		       struct comparison *comparison)
{
	for (int side = WHERE_START; side <= WHERE_STOP && where->is_of_pairs; side++)
		if (grammar_take(parser, where_side_text((enum where_side)side))) {
			comparison->side = (enum where_side)side;
			return;
		}
}

static int parse_name(struct parser *parser, const struct where *where,
		      struct comparison *comparison)
{
	const char *problem;
	size_t length;

	comparison->at = parser->at;
	parse_side(parser, where, comparison);
	length = field_parse(&comparison->field, grammar_rest(parser), &problem);
	if (!length)
		return grammar_complain(parser, parser->at, "%s", problem);
	parser->at += length;
	comparison->named = comparison->field.property;
	if (comparison->field.count)
		comparison->field.property = PROPERTY_NONE;
	comparison->is_duration = where->is_of_pairs && !comparison->side &&
				  !strcmp(comparison->field.text, "duration");
	return 0;
}

static int parse_value(struct parser *parser, const struct where *where,
		       struct comparison *comparison)
{
	size_t length = literal_parse(where, parser->at, comparison->operator,
				      &comparison->literal);

	if (!length)
		return -1;
	parser->at += length;
	return comparison_check(where, comparison);
}

static int parse_comparison(struct parser *parser, int is_negated)
{
	struct where *where = parser->context;
	struct comparison *comparison;

	if (where->count == WHERE_COMPARISONS_MAX)
		return grammar_complain(parser, parser->at,
					"it has more than %u comparisons",
					WHERE_COMPARISONS_MAX);
	where->comparisons =
		xgrow(where->comparisons, where->count, sizeof(*where->comparisons));
	comparison = &where->comparisons[where->count++];
	*comparison = (struct comparison){ .is_negated = is_negated };
	if (parse_name(parser, where, comparison) ||
	    grammar_operator(parser, &comparison->operator) ||
	    grammar_check_value(parser, comparison->operator))
		return -1;
	return parse_value(parser, where, comparison);
}

static void complain(struct parser *parser, size_t at, char *sentence)
{
	where_complain(parser->context, at, "%s", sentence);
	free(sentence);
}

/* All of it */

static const struct dialect dialect = {
	.length_max = WHERE_LENGTH_MAX,
	.depth_max = WHERE_DEPTH_MAX,
	.empty = "it is empty; write NAME == VALUE, for example status >= 500",
	.joint_hint =
		"; text with blanks or other special characters is written in quotes",
	.name_hint = "a name with other characters than letters, digits and _ is "
		     "written in backquotes, `a-b`",
	.comparison = parse_comparison,
	.complain = complain,
};

/* Recursion ends at depth WHERE_DEPTH_MAX. */
static void link_nodes(struct where *where, const struct node *node, uint32_t if_false,
		       uint32_t if_true)
{
	const struct node *next;

	if (node->kind == NODE_COMPARISON) {
		where->comparisons[node->comparison].on[0] = if_false;
		where->comparisons[node->comparison].on[1] = if_true;
		return;
	}
	for (uint32_t child = node->child; child; child = where->nodes[child].sibling) {
		next = where->nodes[child].sibling ?
			       &where->nodes[where->nodes[child].sibling] :
			       NULL;
		link_nodes(where, &where->nodes[child],
			   next && node->kind == NODE_ANY ? next->comparison : if_false,
			   next && node->kind == NODE_ALL ? next->comparison : if_true);
	}
}

static struct where *parse_text(const char *text, int is_of_pairs)
{
	struct where *where = xcalloc(1, sizeof(*where));
	struct parser parser = { .dialect = &dialect, .context = where };
	int result;

	where->text = xstrdup(text);
	where->is_of_pairs = is_of_pairs;
	parser.text = where->text;
	result = grammar_parse(&parser);
	where->nodes = parser.nodes;
	where->missing = where->count;
	if (!result) {
		link_nodes(where, where->nodes, WHERE_FAILS, WHERE_PASSES);
		return where;
	}
	where_free(where);
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
	free(where->nodes);
	free(where->comparisons);
	free(where->names);
	free(where->seen);
	free(where->text);
	free(where);
}
