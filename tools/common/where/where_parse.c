/* SPDX-License-Identifier: MIT */
/* Parses comparisons of --where, and links those of an expression. */
#include "expression.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/cli/memory.h"
#include "common/cli/message.h"
#include "common/records/time_limit.h"

/*
 * Converts values that are compared with properties: names of levels and opcodes, times and
 * UUIDs. And finds faults that no event can repair.
 *
 * Events may have a field with the name of a property. So a value in quotes, or a number, that
 * cannot be the property's only means such a field. A bare word cannot have been meant as
 * that.
 */

struct named_number {
	const char *name;
	uint64_t number;
};

static const struct named_number levels[] = {
	{ "critical", UE_LEVEL_CRITICAL_ERROR },
	{ "error", UE_LEVEL_ERROR },
	{ "warning", UE_LEVEL_WARNING },
	{ "information", UE_LEVEL_INFORMATION },
	{ "verbose", UE_LEVEL_VERBOSE },
	{ "info", UE_LEVEL_INFORMATION },
	{ 0 },
};

static const struct named_number opcodes[] = {
	{ "info", UE_OPCODE_INFO },
	{ "start", UE_OPCODE_ACTIVITY_START },
	{ "stop", UE_OPCODE_ACTIVITY_STOP },
	{ "collection_start", UE_OPCODE_COLLECTION_START },
	{ "collection_stop", UE_OPCODE_COLLECTION_STOP },
	{ "extension", UE_OPCODE_EXTENSION },
	{ "reply", UE_OPCODE_REPLY },
	{ "resume", UE_OPCODE_RESUME },
	{ "suspend", UE_OPCODE_SUSPEND },
	{ "send", UE_OPCODE_SEND },
	{ "receive", UE_OPCODE_RECEIVE },
	{ 0 },
};

/* A message was printed. */
#define TOLD ""

/* Each sets the value, or returns the reason why it cannot. */
typedef const char *convert(const struct literal *literal, enum where_operator operator,
			    struct property_literal *to);

static const char *convert_number(const struct literal *literal, enum where_operator operator,
				  struct property_literal *to)
{
	if (operator == WHERE_GLOB)
		return "is a number, and ~ compares text";
	to->value = literal->quoted.type ? literal->quoted : literal->number;
	if (to->value.type <= VALUE_BOOLEAN)
		return "is a number, 17 or 0x11";
	return to->value.type == VALUE_FLOAT ? "is a number without decimals" : NULL;
}

static const char *convert_named(const struct literal *literal, enum where_operator operator,
				 struct property_literal *to, const struct named_number *names,
				 const char *list)
{
	for (; names->name && operator != WHERE_GLOB; names++)
		if (!strcasecmp(names->name, literal->text)) {
			to->value.type = VALUE_UNSIGNED;
			to->value.whole = (int64_t)names->number;
			return NULL;
		}
	return convert_number(literal, operator, to) ? list : NULL;
}

static const char *convert_level(const struct literal *literal, enum where_operator operator,
				 struct property_literal *to)
{
	return convert_named(literal, operator, to, levels,
			     "is 1 to 255, or critical, error, warning, information or "
			     "verbose, which are 1 to 5");
}

static const char *convert_opcode(const struct literal *literal, enum where_operator operator,
				  struct property_literal *to)
{
	return convert_named(literal, operator, to, opcodes,
			     "is 0 to 255, or info, start, stop, collection_start, "
			     "collection_stop, extension, reply, resume, suspend, send or "
			     "receive");
}

static const char *convert_text(const struct literal *literal, enum where_operator operator,
				struct property_literal *to)
{
	if (operator != WHERE_EQUAL && operator != WHERE_UNEQUAL && operator != WHERE_GLOB)
		return "is text, which is compared with ==, != or ~";
	if (literal->number.type > VALUE_BOOLEAN)
		return "is text, and digits as text are written in quotes";
	to->value.type = VALUE_TEXT;
	to->text = xstrdup(literal->text);
	to->value.text = to->text;
	to->value.length = literal->length;
	return NULL;
}

/* Names are matched like globs of events: with a colon it is PROVIDER:EVENT. */
static const char *convert_event(const struct literal *literal, enum where_operator operator,
				 struct property_literal *to)
{
	to->has_group = strchr(literal->text, ':') != NULL;
	return convert_text(literal, operator, to);
}

static int is_uuid(const char *text)
{
	for (size_t i = 0; i < 36; i++)
		if (i == 8 || i == 13 || i == 18 || i == 23 ? text[i] != '-' :
							      !isxdigit((uint8_t)text[i]))
			return 0;
	return !text[36];
}

static const char *convert_uuid(const struct literal *literal, enum where_operator operator,
				struct property_literal *to)
{
	const char *problem;

	if (operator != WHERE_GLOB && !is_uuid(literal->text))
		return "is a UUID, 01234567-89ab-cdef-0123-456789abcdef";
	problem = convert_text(literal, operator, to);
	for (char *at = to->text; at && *at; at++)
		*at = (char)tolower((uint8_t)*at);
	return problem;
}

static const char *convert_time(const struct literal *literal, enum where_operator operator,
				struct property_literal *to)
{
	struct time_limit time = { 0 };

	if (operator == WHERE_GLOB || operator == WHERE_BITS)
		return "is compared with == != < <= > or >=";
	if (time_limit_parse(literal->text, 0, &time))
		return TOLD;
	if (time_limit_is_relative(&time))
		return "is seconds, 853.5, or a date, '2026-01-31T12:00'";
	to->value.type = VALUE_SIGNED;
	to->value.whole = time.time;
	to->is_wall_clock = time.kind == LIMIT_DATE;
	return NULL;
}

/* Either type, as sources differ. */
static const char *convert_any(const struct literal *literal, enum where_operator operator,
			       struct property_literal *to)
{
	if (literal->number.type > VALUE_BOOLEAN)
		return convert_number(literal, operator, to);
	return convert_text(literal, operator, to);
}

static const struct {
	convert *convert;
	int is_never_a_field;
} properties[PROPERTIES] = {
	[PROPERTY_PID] = { convert_number, 1 },
	[PROPERTY_TID] = { convert_number, 1 },
	[PROPERTY_COMM] = { convert_text, 1 },
	[PROPERTY_CPU] = { convert_number, 1 },
	[PROPERTY_CGROUP] = { convert_any, 1 },
	[PROPERTY_TIME] = { convert_time, 1 },
	[PROPERTY_PROVIDER] = { convert_text, 0 },
	[PROPERTY_EVENT] = { convert_event, 0 },
	[PROPERTY_LEVEL] = { convert_level, 0 },
	[PROPERTY_KEYWORD] = { convert_number, 0 },
	[PROPERTY_OPCODE] = { convert_opcode, 0 },
	[PROPERTY_ID] = { convert_number, 0 },
	[PROPERTY_VERSION] = { convert_number, 0 },
	[PROPERTY_ACTIVITY] = { convert_uuid, 0 },
	[PROPERTY_RELATED_ACTIVITY] = { convert_uuid, 0 },
};

/* Whether a field may have this name and this value. */
static int may_be_field(const struct comparison *comparison)
{
	const struct literal *literal = &comparison->literal;

	if (!comparison->field.count || properties[comparison->named].is_never_a_field)
		return 0;
	return literal->is_quoted || literal->number.type > VALUE_BOOLEAN;
}

static int check_property(const struct where *where, struct comparison *comparison)
{
	const struct literal *literal = &comparison->literal;
	struct property_literal *to = &comparison->of_property;
	const char *problem = properties[comparison->named].convert(literal,
								    comparison->operator, to);

	if (!problem) {
		to->property = comparison->named;
		return 0;
	}
	if (may_be_field(comparison))
		return 0;
	if (!*problem) {
		message_caret(where->text, literal->at);
		return -1;
	}
	return where_complain(where, literal->at, "%s %s%s", property_name(comparison->named),
			      problem,
			      comparison->field.count &&
				      !properties[comparison->named].is_never_a_field ?
				      "; if a field of text is meant, use quotes" : "");
}

const char *number_hint(const struct literal *literal)
{
	int64_t nanoseconds;

	if (!literal->is_quoted && !duration_parse(literal->text, &nanoseconds))
		return "write nanoseconds, as 10000000; a span as 10ms is for \"duration\" in "
		       "latency --where";
	if (literal->text[0] == '0' && isdigit((uint8_t)literal->text[1]))
		return "write it without zeros in front, or as 0x and hex digits";
	return "write 17, 0x11, -1 or 0.5, without quotes";
}

/* Text has no order, and no bits, whatever the field is. */
static int check_operator(const struct where *where, const struct comparison *comparison)
{
	const struct literal *literal = &comparison->literal;
	const enum where_operator operator = comparison->operator;

	if (operator == WHERE_EQUAL || operator == WHERE_UNEQUAL || operator == WHERE_GLOB)
		return 0;
	if (operator == WHERE_BITS && literal->number.type == VALUE_FLOAT)
		return where_complain(where, literal->at, "& takes a whole number");
	if (literal_may_be_number(literal))
		return 0;
	if (literal->is_null)
		return where_complain(where, literal->at, "null is compared with == or !=");
	if (literal->is_quoted)
		return where_complain(where, literal->at, "text is compared with ==, != or ~; "
				      "a number has no quotes");
	return where_complain(where, literal->at, "%s takes a number: %s",
			      where_operator_text(operator), number_hint(literal));
}

static int check_duration(const struct where *where, struct comparison *comparison)
{
	const struct literal *literal = &comparison->literal;
	struct value *to = &comparison->of_property.value;

	to->type = VALUE_SIGNED;
	if (comparison->operator == WHERE_GLOB || comparison->operator == WHERE_BITS)
		return where_complain(where, literal->at, "duration is compared with == != < "
				      "<= > or >=");
	if (literal->is_quoted || duration_parse(literal->text, &to->whole))
		return where_complain(where, literal->at, "duration is 500us, 10ms, 1.5s, 2m, "
				      "1h, without quotes; a field of this name is "
				      "start.duration or stop.duration");
	return 0;
}

#define ELLIPSIS "\xe2\x80\xa6"

/* A table on a narrow terminal shows the beginning of a UUID: "b4085966-46c8" and an ellipsis. */
static void expand_cut_uuid(struct comparison *comparison)
{
	struct literal *literal = &comparison->literal;
	const size_t cut = strlen(ELLIPSIS);
	char *end = literal->text + literal->length - cut;

	if ((comparison->named != PROPERTY_ACTIVITY &&
	     comparison->named != PROPERTY_RELATED_ACTIVITY) ||
	    (comparison->operator != WHERE_EQUAL && comparison->operator != WHERE_UNEQUAL) ||
	    literal->length <= cut || memcmp(end, ELLIPSIS, cut) != 0 ||
	    literal->text[strspn(literal->text, "0123456789abcdefABCDEF-")] != *ELLIPSIS)
		return;
	memcpy(end, "*", 2);
	literal->length -= cut - 1;
	comparison->is_negated ^= comparison->operator == WHERE_UNEQUAL;
	comparison->operator = WHERE_GLOB;
}

/* Set of_property, and check all that needs no event: 0, or -1 after a message. */
static int comparison_check(const struct where *where, struct comparison *comparison)
{
	expand_cut_uuid(comparison);
	if (comparison->is_duration)
		return check_duration(where, comparison);
	if (comparison->named && check_property(where, comparison))
		return -1;
	if (comparison->of_property.property)
		return 0;
	return check_operator(where, comparison);
}

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
