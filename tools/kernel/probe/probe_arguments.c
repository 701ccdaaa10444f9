/* SPDX-License-Identifier: MIT */
/* Checks the arguments of a probe: names, expressions, types, and how they go together.
 */
#include <stdlib.h>
#include <string.h>

#include "common/cli/memory.h"
#include "fetch_argument.h"

/* As in the kernel: MAX_ARG_NAME_LEN, MAX_ARGSTR_LEN, FETCH_INSN_MAX,
 * MAX_PROBE_EVENT_SIZE. */
#define NAME_MAX_LENGTH 32
#define BODY_MAX_LENGTH 63
#define STEPS_MAX 14
#define EVENT_MAX_SIZE 3072

/* "NAME=EXPRESSION:TYPE" */
struct argument {
	struct part name; /* empty: none */
	struct part body;
	struct part expression;
	struct part type;
	int has_type;
};

struct checking {
	struct fetching fetching;
	struct words names; /* of the arguments before */
	size_t size; /* of the event */
};

static size_t place_of(const struct checking *checking, const char *at)
{
	return (size_t)(at - checking->fetching.probe->text);
}

static struct argument split(struct part text)
{
	const char *equal = memchr(text.at, '=', text.length),
		   *end = text.at + text.length;
	struct argument argument = { .body = text };
	const char *colon;

	if (equal) {
		argument.name = (struct part){ text.at, (size_t)(equal - text.at) };
		argument.body = (struct part){ equal + 1, (size_t)(end - equal - 1) };
	}
	argument.expression = argument.body;
	colon = memchr(argument.body.at, ':', argument.body.length);
	argument.has_type = colon != NULL;
	if (colon) {
		argument.expression.length = (size_t)(colon - argument.body.at);
		argument.type = (struct part){ colon + 1, (size_t)(end - colon - 1) };
	}
	return argument;
}

/* Names that fields of all probes have. */
static int is_reserved(const char *name)
{
	static const char *const reserved[] = {
		"common_type", "common_flags", "common_preempt_count", "common_pid",
		"common_tgid", "__probe_ip",   "__probe_ret_ip",       "__probe_func",
	};

	for (size_t i = 0; i < sizeof(reserved) / sizeof(reserved[0]); i++)
		if (!strcmp(name, reserved[i]))
			return 1;
	return 0;
}

static int is_used(const struct words *names, const char *name)
{
	for (size_t i = 0; i < names->count; i++)
		if (!strcmp(names->items[i], name))
			return 1;
	return 0;
}

/* Without a name, the kernel calls it argN. */
static int check_name(struct checking *checking, struct part text,
		      const struct argument *argument)
{
	const int has_name = argument->body.at != text.at;
	char *name = has_name ? part_text(argument->name) :
				xprintf("arg%zu", checking->names.count + 1);
	const size_t at = place_of(checking, text.at);
	struct fault *fault = checking->fetching.fault;

	if (has_name && !part_is_name(argument->name))
		fault_at(fault, at, "the name \"%s\" of an argument is no identifier",
			 name);
	else if (strlen(name) > NAME_MAX_LENGTH)
		fault_at(fault, at, "the name of an argument has %d characters at most",
			 NAME_MAX_LENGTH);
	else if (is_reserved(name))
		fault_at(fault, at, "the kernel has a field \"%s\" in each probe", name);
	else if (is_used(&checking->names, name))
		fault_at(fault, at, "an argument before this one has the name \"%s\"",
			 name);
	words_add(&checking->names, name);
	return fault->reason ? -1 : 0;
}

/* Text is in memory, at an address, unless it is the definition's or a field's. */
static int check_string(const struct checking *checking, const struct argument *argument,
			const struct fetch_type *type, enum fetched fetched)
{
	struct fault *fault = checking->fetching.fault;
	const size_t at = place_of(checking, argument->type.at);
	const struct part body = argument->expression;

	if (fetched == FETCHED_FIELD_RELATIVE)
		return fault_at(fault, place_of(checking, body.at),
				"the kernel looks for this field 4 "
				"bytes too early; write +4(%.*s):string",
				(int)body.length, body.at);
	if (type->is_symstr) {
		if (fetched == FETCHED_VALUE || fetched == FETCHED_MEMORY ||
		    fetched == FETCHED_FIELD)
			return 0;
		return fault_at(
			fault, at,
			"symstr is for an address in a register, on the stack, in "
			"an argument or in memory of the kernel");
	}
	if (fetched == FETCHED_MEMORY || fetched == FETCHED_USER_MEMORY ||
	    fetched == FETCHED_IMMEDIATE || fetched == FETCHED_FIELD ||
	    fetched == FETCHED_FIELD_TEXT)
		return 0;
	return fault_at(fault, at, "a string is in memory: +0(%.*s):%.*s",
			(int)body.length, body.at, (int)argument->type.length,
			argument->type.at);
}

static int check_array(const struct checking *checking, const struct argument *argument,
		       const struct fetch_type *type, enum fetched fetched)
{
	const size_t at = place_of(checking, argument->type.at);
	const struct part body = argument->expression;

	if (!type->count || fetched == FETCHED_MEMORY || fetched == FETCHED_VARIABLE)
		return 0;
	if (type->is_string && !type->is_symstr && fetched == FETCHED_USER_MEMORY)
		return 0;
	if (fetched == FETCHED_USER_MEMORY)
		return fault_at(checking->fetching.fault, at,
				"the kernel has no arrays of a program's "
				"memory (\"u\")");
	return fault_at(checking->fetching.fault, at,
			"an array is in memory: +0(%.*s):%.*s", (int)body.length, body.at,
			(int)argument->type.length, argument->type.at);
}

/* $comm and \"TEXT" */
static int check_own_text(const struct checking *checking,
			  const struct argument *argument, enum fetched fetched)
{
	const int is_eprobe = checking->fetching.probe->kind == PROBE_EVENT;

	/* it would look for the text in the program, and store an empty one */
	if (fetched == FETCHED_TEXT && checking->fetching.probe->kind == PROBE_PROGRAM)
		return fault_at(checking->fetching.fault,
				place_of(checking, argument->expression.at),
				"the kernel cannot store a text of the definition in probes of "
				"programs");
	if (argument->has_type ? part_is(argument->type, "string") : !is_eprobe)
		return 0;
	return fault_at(checking->fetching.fault,
			place_of(checking, argument->has_type ? argument->type.at :
								argument->expression.at),
			"%s is a string; write %.*s%s",
			fetched == FETCHED_COMM ? "$comm" : "a text",
			(int)argument->expression.length, argument->expression.at,
			is_eprobe ? ":string" : " without a type");
}

/* A text without ":string" would be its address. */
static int check_field_text(const struct checking *checking,
			    const struct argument *argument,
			    const struct fetch_type *type, enum fetched fetched)
{
	if (type->is_string ||
	    (fetched != FETCHED_FIELD_TEXT && fetched != FETCHED_FIELD_RELATIVE))
		return 0;
	return fault_at(checking->fetching.fault,
			place_of(checking, argument->expression.at),
			"the field is text; write %s%.*s%s:string",
			fetched == FETCHED_FIELD_TEXT ? "" : "+4(",
			(int)argument->expression.length, argument->expression.at,
			fetched == FETCHED_FIELD_TEXT ? "" : ")");
}

static int check_together(struct checking *checking, const struct argument *argument,
			  const struct fetch_type *type, enum fetched fetched,
			  unsigned steps)
{
	struct fault *fault = checking->fetching.fault;
	const size_t at = place_of(checking, argument->type.at);
	const int is_stored = fetched == FETCHED_MEMORY || fetched == FETCHED_USER_MEMORY;

	if (fetched == FETCHED_COMM || fetched == FETCHED_TEXT)
		return check_own_text(checking, argument, fetched);
	if (type->is_symbol && checking->fetching.probe->kind == PROBE_PROGRAM)
		return fault_at(
			fault, at,
			"addresses of a program are no symbols of the kernel; use "
			"x64");
	if (fetched == FETCHED_VARIABLE)
		return 0;
	if (check_field_text(checking, argument, type, fetched) ||
	    (type->is_string && check_string(checking, argument, type, fetched)) ||
	    check_array(checking, argument, type, fetched))
		return -1;
	steps += (!is_stored || (type->is_string && type->count) || type->is_symstr) +
		 type->is_bitfield + (type->count > 0);
	return steps > STEPS_MAX ? fault_at(fault, place_of(checking, argument->body.at),
					    "it is nested too deeply for the kernel") :
				   0;
}

/* Expressions of the kernel's BTF may have a type that is not one of ours. */
static int check_argument(struct checking *checking, struct part text)
{
	const struct argument argument = split(text);
	struct fault *fault = checking->fetching.fault;
	const size_t at = place_of(checking, argument.body.at);
	struct fetch_type type = { .size = 8 };
	enum fetched fetched;
	unsigned steps = 0;

	if (check_name(checking, text, &argument))
		return -1;
	if (argument.body.length > BODY_MAX_LENGTH)
		return fault_at(fault, at,
				"the expression of an argument has %d characters at most",
				BODY_MAX_LENGTH);
	if (fetch_check(&checking->fetching, argument.expression, &fetched, &steps))
		return -1;
	if (argument.has_type &&
	    fetch_type_parse(&type, argument.type, checking->fetching.grammar,
			     place_of(checking, argument.type.at), fault))
		return -1;
	if (check_together(checking, &argument, &type, fetched, steps))
		return -1;
	checking->size += type.size * (type.count ? type.count : 1);
	return checking->size > EVENT_MAX_SIZE ?
		       fault_at(fault, at, "the event becomes larger than %d bytes here",
				EVENT_MAX_SIZE) :
		       0;
}

int probe_check_arguments(const struct probe *probe, const struct grammar *grammar,
			  const char *format, struct fault *fault)
{
	struct checking checking = { .fetching = { probe, grammar, format, fault } };
	int result = 0;

	for (size_t i = 0; i < probe->argument_count && !result; i++)
		result = check_argument(&checking, probe->arguments[i]);
	for (size_t i = 0; i < checking.names.count; i++)
		free((char *)checking.names.items[i]);
	free(checking.names.items);
	return result;
}
