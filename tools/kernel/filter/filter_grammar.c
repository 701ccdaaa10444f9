/* SPDX-License-Identifier: MIT */
/*
 * Parses filters as kernel/trace/trace_events_filter.c does:
 *
 *	any	   := all { "||" all }
 *	all	   := one { "&&" one }
 *	one	   := { "!" } ( "(" any ")" | comparison )
 *
 * The kernel nests as deep as a page of text can, so the parser must not recurse. It keeps the
 * places of the parentheses that are open instead.
 */
#include "kfilter.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/cli/memory.h"

/* The kernel takes less than a page. */
#define LENGTH_MAX 4095u

int kfilter_fault(struct filter_parser *parser, enum kfilter_kind kind, size_t at,
		 const char *format, ...)
{
	struct kfilter_faults *faults = parser->faults;
	va_list arguments;

	faults->items = xgrow(faults->items, faults->count, sizeof(*faults->items));
	va_start(arguments, format);
	faults->items[faults->count++] = (struct kfilter_fault){
		.kind = kind, .at = at, .sentence = xvprintf(format, arguments),
	};
	va_end(arguments);
	return kind == KFILTER_WARNING ? 0 : -1;
}

const char *kfilter_rest(const struct filter_parser *parser)
{
	return parser->text + parser->at;
}

int kfilter_is_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

int kfilter_is_letter(char c)
{
	return c == '_' || (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
}

void kfilter_skip_blanks(struct filter_parser *parser)
{
	while (kfilter_is_blank(*kfilter_rest(parser)))
		parser->at++;
}

static int malformed(struct filter_parser *parser, const char *sentence)
{
	return kfilter_fault(parser, KFILTER_MALFORMED, parser->at, "%s", sentence);
}

static int begins_with(const struct filter_parser *parser, const char *token)
{
	return !strncmp(kfilter_rest(parser), token, strlen(token));
}

static int begins_with_word(const struct filter_parser *parser, const char *word)
{
	const char *text = kfilter_rest(parser);

	return !strncasecmp(text, word, strlen(word)) && !kfilter_is_letter(text[strlen(word)]);
}

/* Before a comparison. before: the token before it, NULL at the beginning. */
static int complain_of_begin(struct filter_parser *parser, const char *before)
{
	const char c = *kfilter_rest(parser);

	if (!c && !before)
		return malformed(parser, "it is empty; a filter is such as id == 1");
	if (!c || c == ')' || c == '|' || begins_with(parser, "&&"))
		return kfilter_fault(parser, KFILTER_MALFORMED, parser->at,
				    before ? "a comparison is expected after \"%s\"" :
					     "a comparison is expected at the beginning%s",
				    before ? before : "");
	if (c == '"' || c == '\'' || c == '-' || (c >= '0' && c <= '9'))
		return malformed(parser, "the name of a field is expected; the value comes after "
					 "the operator");
	if (c == '!')
		return malformed(parser, "\"!\" stands before a comparison or a parenthesis: "
					 "!(id == 1)");
	return malformed(parser, "the name of a field is expected");
}

/* The parser is behind a comparison or a parenthesis. */
static int complain_of_end(struct filter_parser *parser)
{
	const char *text = kfilter_rest(parser);

	if (*text == '&' || begins_with_word(parser, "and"))
		return malformed(parser, "\"and\" between comparisons is written &&");
	if (*text == '|' || begins_with_word(parser, "or"))
		return malformed(parser, "\"or\" between comparisons is written ||");
	if (strchr("=!<>~", *text))
		return malformed(parser, "a comparison has one operator; join comparisons with "
					 "&& or ||");
	return malformed(parser, "&& or || is expected between comparisons");
}

struct open_parentheses {
	size_t *places;
	size_t count;
};

static void open_parenthesis(struct filter_parser *parser, struct open_parentheses *open)
{
	open->places = xgrow(open->places, open->count, sizeof(*open->places));
	open->places[open->count++] = parser->at++;
}

/* "!" and "(" and the comparison behind them. joint: what stands before, or NULL. */
static int parse_one(struct filter_parser *parser, struct open_parentheses *open,
		     const char *joint)
{
	for (;;) {
		const char *text;

		kfilter_skip_blanks(parser);
		text = kfilter_rest(parser);
		if (*text == '(') {
			open_parenthesis(parser, open);
			joint = "(";
		} else if (*text == '!' && text[1] != '=' && text[1] != '~') {
			parser->at++;
			joint = "!";
		} else if (kfilter_is_letter(*text) && !(*text >= '0' && *text <= '9')) {
			return kfilter_comparison_parse(parser);
		} else {
			return complain_of_begin(parser, joint);
		}
	}
}

/* Any ")" and the joint behind it: 1 with a joint, 0 at the end, -1 with a fault. */
static int parse_joint(struct filter_parser *parser, struct open_parentheses *open,
		       const char **joint)
{
	for (;; parser->at++) {
		kfilter_skip_blanks(parser);
		if (*kfilter_rest(parser) != ')')
			break;
		if (!open->count)
			return malformed(parser, "the parenthesis has no \"(\"");
		open->count--;
	}
	*joint = begins_with(parser, "&&") ? "&&" : begins_with(parser, "||") ? "||" : NULL;
	if (*joint)
		parser->at += 2;
	else if (*kfilter_rest(parser))
		return complain_of_end(parser);
	return *joint != NULL;
}

static int parse_all(struct filter_parser *parser, struct open_parentheses *open)
{
	const char *joint = NULL;
	int result;

	do {
		if (parse_one(parser, open, joint))
			return -1;
		result = parse_joint(parser, open, &joint);
	} while (result > 0);
	if (!result && open->count)
		return kfilter_fault(parser, KFILTER_MALFORMED, open->places[open->count - 1],
				    "the parenthesis is not closed");
	return result;
}

/* They do not help, as the filter is not used. */
static void drop_warnings(struct kfilter_faults *faults)
{
	for (size_t i = 0; i + 1 < faults->count; i++)
		free(faults->items[i].sentence);
	faults->items[0] = faults->items[faults->count - 1];
	faults->count = 1;
}

int kfilter_check(const char *text, const struct tracepoint *tracepoint, int kernel,
		  struct kfilter_faults *faults)
{
	struct filter_parser parser = {
		.text = text, .tracepoint = tracepoint, .kernel = kernel, .faults = faults,
	};
	struct open_parentheses open = { 0 };
	int result;

	if (strlen(text) > LENGTH_MAX)
		return kfilter_fault(&parser, KFILTER_MALFORMED, LENGTH_MAX,
				    "it has more than %u bytes", LENGTH_MAX);
	result = parse_all(&parser, &open);
	free(open.places);
	if (result)
		drop_warnings(faults);
	return result;
}

const struct kfilter_fault *kfilter_refusal(const struct kfilter_faults *faults)
{
	return faults->count && faults->items[0].kind != KFILTER_WARNING ? &faults->items[0] :
									   NULL;
}

void kfilter_faults_free(struct kfilter_faults *faults)
{
	for (size_t i = 0; i < faults->count; i++)
		free(faults->items[i].sentence);
	free(faults->items);
	*faults = (struct kfilter_faults){ 0 };
}
