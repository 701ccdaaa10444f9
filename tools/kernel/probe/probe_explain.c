/* SPDX-License-Identifier: MIT */
/*
 * Explains definitions of probes: the fix to add to the kernel's reason for a refusal, and
 * the definitions that the kernel takes for something else.
 */
#include <stdlib.h>
#include <string.h>
#include <userevents/decode/record.h>

#include "common/cli/memory.h"
#include "common/cli/options.h"
#include "common/records/byte_cursor.h"
#include "kernel/control/instance.h"
#include "kernel/tracefs/tracing_files.h"
#include "probe.h"

/* Registers; those of x86-64 alone, others are left to the kernel. */

#ifdef __x86_64__

static const char *const registers[] = {
	"ax",  "bx",  "cx",  "dx",  "si",  "di", "bp", "sp", "r8",	"r9",	"r10",
	"r11", "r12", "r13", "r14", "r15", "ip", "cs", "ss", "orig_ax", "flags"
};

#define REGISTERS (sizeof(registers) / sizeof(registers[0]))

static const char *register_meant(const char *name)
{
	/* "rdi" and "edi" in assembly */
	if ((*name == 'r' || *name == 'e') && name[1] && strlen(name) == 3)
		for (size_t i = 0; i < REGISTERS; i++)
			if (!strcmp(name + 1, registers[i]))
				return registers[i];
	return nearest(name, registers, REGISTERS, sizeof(*registers));
}

static const char *register_of_argument(unsigned n)
{
	static const char *const of[] = { "di", "si", "dx", "cx", "r8", "r9" };

	return n >= 1 && n <= sizeof(of) / sizeof(of[0]) ? of[n - 1] : NULL;
}

#else

static const char *register_meant(const char *name)
{
	(void)name;
	return NULL;
}

static const char *register_of_argument(unsigned n)
{
	(void)n;
	return NULL;
}

#endif

/* Fields of the event that an eprobe is attached to. */

enum attached_field {
	FIELD_NONE, /* there is no such field */
	FIELD_NUMBER,
	FIELD_TEXT,
	FIELD_TEXT_RELATIVE, /* __rel_loc, which the kernel reads from a wrong place */
	FIELD_OTHER, /* an array or a struct, which the kernel takes for a number */
};

static struct tracepoint *attached_event(const char *format)
{
	return tracepoint_new("", NULL, format, strlen(format), HOST_IS_BIG_ENDIAN);
}

static enum attached_field kind_of(const struct kernel_field *field)
{
	if (field->is_number || field->kind == KERNEL_TEXT_POINTER)
		return FIELD_NUMBER;
	if (!kernel_field_is_copied_text(field))
		return FIELD_OTHER;
	return field->own->location == UE_LOCATION_RELATIVE ? FIELD_TEXT_RELATIVE :
							      FIELD_TEXT;
}

static enum attached_field attached_field(const char *format, struct part name)
{
	AUTO(tracepoint_drop) struct tracepoint *event = attached_event(format);
	struct kernel_field field;
	enum attached_field result = FIELD_NONE;

	if (!kernel_field_find(event, name.at, name.length, kernel_version(), &field) &&
	    field.own)
		result = kind_of(&field);
	return result;
}

static char *attached_field_meant(const char *format, const char *name)
{
	AUTO(tracepoint_drop) struct tracepoint *event = attached_event(format);
	struct words names = { 0 };

	kernel_field_names(event, &names);
	return words_nearest(&names, name);
}

/* Definitions that the kernel takes for something else */

/* "NAME=EXPRESSION:TYPE" */
struct argument {
	struct part expression;
	struct part type; /* empty: none */
};

static struct argument split(struct part text)
{
	const char *equal = memchr(text.at, '=', text.length),
		   *end = text.at + text.length;
	const char *begin = equal ? equal + 1 : text.at;
	const char *colon = memchr(begin, ':', (size_t)(end - begin));

	return (struct argument){
		.expression = { begin, (size_t)((colon ? colon : end) - begin) },
		.type = { colon ? colon + 1 : end,
			  colon ? (size_t)(end - colon - 1) : 0 },
	};
}

static int is_string(struct part type)
{
	return type.length && memmem(type.at, type.length, "str", 3) != NULL;
}

static struct part identifier(const char *at, const char *end)
{
	struct part name = { at, 0 };

	while (at + name.length < end &&
	       part_is_name((struct part){ at, name.length + 1 }))
		name.length++;
	return name;
}

#define DOUBT(fault, probe, part, ...) \
	fault_at(fault, (size_t)((part).at - (probe)->text), __VA_ARGS__)

static int doubt_text(const struct probe *probe, const struct argument *argument,
		      int is_relative, struct fault *fault)
{
	const struct part body = argument->expression;

	if (*body.at != '$' || (is_string(argument->type) && !is_relative))
		return 0;
	if (!is_string(argument->type))
		return DOUBT(fault, probe, body,
			     "the field is text; write %s%.*s%s:string",
			     is_relative ? "+4(" : "", (int)body.length, body.at,
			     is_relative ? ")" : "");
	return DOUBT(
		fault, probe, body,
		"the kernel looks for this field 4 bytes too early; write +4(%.*s):string",
		(int)body.length, body.at);
}

static int doubt_field(const struct probe *probe, const char *format,
		       const struct argument *argument, int knows_user_texts,
		       struct fault *fault)
{
	const struct part body = argument->expression;
	const char *end = body.at + body.length,
		   *dollar = memchr(body.at, '$', body.length);
	struct part name = { 0 };
	enum attached_field kind;

	if (!dollar)
		return 0;
	name = identifier(dollar + 1, end);
	kind = attached_field(format, name);
	if (kind == FIELD_NONE && (part_is(name, "comm") || part_is(name, "COMM")))
		return is_string(argument->type) ?
			       0 :
			       DOUBT(fault, probe, body,
				     "$comm is a string; write $comm:string");
	if (kind == FIELD_OTHER)
		return DOUBT(
			fault, probe, body,
			"the field \"%.*s\" is an array or a struct, of which the kernel "
			"fetches a wrong number",
			(int)name.length, name.at);
	if (kind != FIELD_TEXT && kind != FIELD_TEXT_RELATIVE)
		return 0;
	if (!knows_user_texts && part_is(probe->module, "user_events"))
		return DOUBT(
			fault, probe, body,
			"this kernel does not know that the field \"%.*s\" is text; Linux "
			"6.4 does",
			(int)name.length, name.at);
	return doubt_text(probe, argument, kind == FIELD_TEXT_RELATIVE, fault);
}

/* The kernel looks for the last ")", and drops the rest. */
static int doubt_memory(const struct probe *probe, struct part body, struct fault *fault)
{
	const char *end = body.at + body.length;

	if (!body.length || (*body.at != '+' && *body.at != '-'))
		return 0;
	for (const char *at = body.at; at + 1 < end; at++)
		if (*at == ')' && at[1] != ')')
			return fault_at(fault, (size_t)(at + 1 - probe->text),
					"the kernel ignores what follows \")\" here");
	return 0;
}

int probe_doubt(const struct probe *probe, const char *format, int knows_user_texts,
		struct fault *fault)
{
	const char *comment = strchr(probe->text, '#');
	struct part rest = probe->rest, word;
	int result = 0;

	if (comment)
		return fault_at(
			fault, (size_t)(comment - probe->text),
			"'#' begins a comment for the kernel, which ignores the rest");
	while (!result && (word = part_next(&rest)).length && !part_is(word, "if")) {
		const struct argument argument = split(word);
		const struct part body = argument.expression;

		result = doubt_memory(probe, body, fault);
		if (result)
			break;
		if (probe->kind == PROBE_EVENT && format)
			result = doubt_field(probe, format, &argument, knows_user_texts,
					     fault);
		else if (probe->kind == PROBE_PROGRAM && body.length > 1 &&
			 !memcmp(body.at, "\\\"", 2))
			result = DOUBT(
				fault, probe, body,
				"the kernel stores an empty text in probes of programs");
		else if (part_is(body, "$comm") && argument.type.length &&
			 !is_string(argument.type))
			result = DOUBT(fault, probe, argument.type,
				       "$comm is a string; write $comm without a type");
	}
	return result;
}

/* Additions to the reasons of the kernel */

static const char *const types[] = {
	"u8",  "u16", "u32", "u64",  "s8",     "s16",	  "s32",    "s64",    "x8",
	"x16", "x32", "x64", "char", "string", "ustring", "symbol", "symstr",
};

/* Types of C, which people write by habit. */
static const struct {
	const char *name, *type;
} of_c[] = {
	{ "int", "s32" },    { "unsigned", "u32" }, { "long", "s64" },
	{ "short", "s16" },  { "ulong", "u64" },    { "pointer", "x64" },
	{ "ptr", "x64" },    { "str", "string" },   { "size_t", "u64" },
	{ "bool", "u8" },    { "hex", "x64" },	    { "uint", "u32" },
	{ "int32", "s32" },  { "int64", "s64" },    { "uint32", "u32" },
	{ "uint64", "u64" },
};

static char *meant(const char *near, const char *sign)
{
	return near ? xprintf("did you mean \"%s%s\"?", sign, near) : NULL;
}

static char *hint_type(struct part word)
{
	struct part name = { word.at, 0 };
	const char *near = NULL;
	AUTO_FREE char *text;

	while (name.length < word.length && word.at[name.length] != '[')
		name.length++;
	text = part_text(name);
	for (size_t i = 0; i < sizeof(of_c) / sizeof(of_c[0]); i++)
		if (!strcmp(text, of_c[i].name))
			near = of_c[i].type;
	if (!near)
		near = nearest(text, types, sizeof(types) / sizeof(types[0]),
			       sizeof(*types));
	return near && strcmp(near, text) ? meant(near, "") : NULL;
}

/* at: in the type of an argument. */
static char *hint_memory(const char *command, const char *at)
{
	const char *begin = at;
	struct argument argument;

	while (begin > command && begin[-1] != ' ')
		begin--;
	argument = split((struct part){ begin, strcspn(begin, " ") });
	if (argument.expression.length > 1 && argument.expression.at[1] == 'u')
		return xstrdup("the kernel has no arrays of a program's memory (\"u\")");
	return xprintf("what is in memory is +0(%.*s):%.*s",
		       (int)argument.expression.length, argument.expression.at,
		       (int)argument.type.length, argument.type.at);
}

static char *hint_field(const char *format, struct part word)
{
	const char *dollar = memchr(word.at, '$', word.length);
	struct part name;
	char *text, *near, *result;

	if (!dollar || !format)
		return NULL;
	name = identifier(dollar + 1, word.at + word.length);
	text = part_text(name);
	near = attached_field_meant(format, text);
	result = meant(near, "$");
	free(near);
	free(text);
	return result;
}

static char *hint_program(struct part word)
{
	uint64_t n = 0;
	const char *name;

	part_number((struct part){ word.at + 4,
				   identifier(word.at + 1, word.at + word.length).length -
					   3 },
		    &n);
	name = n <= 6 ? register_of_argument((unsigned)n) : NULL;
	return name ? xprintf("in a program, argument %d is in %%%s at the entry", (int)n,
			      name) :
		      xstrdup("in a program, take a register");
}

char *probe_hint(const struct probe *probe, const char *format,
		 const struct refusal *refusal)
{
	const char *reason = refusal->reason, *at = refusal->command + refusal->at;
	const struct part word = { at, strcspn(at, " \t") };
	char *name, *result;

	if (strstr(reason, "register name") && *at == '%') {
		name = part_text(identifier(at + 1, at + word.length));
		result = meant(register_meant(name), "%");
		free(name);
		return result;
	}
	if (strstr(reason, "nknown type"))
		return hint_type(word);
	if (strstr(reason, "only memory"))
		return hint_memory(refusal->command, at);
	if (strstr(reason, "$retval"))
		return xstrdup("begin with \"r\", or put %return behind the function");
	if (probe->kind == PROBE_PROGRAM && word.length > 4 && !strncmp(at, "$arg", 4))
		return hint_program(word);
	if (probe->kind != PROBE_EVENT)
		return NULL;
	return *at == '%' ?
		       xstrdup("an event has no registers; take its fields: $FIELD") :
		       hint_field(format, word);
}
