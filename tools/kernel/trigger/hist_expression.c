/* SPDX-License-Identifier: MIT */
/* Checks the fields of histograms, their modifiers, and calculations with them. */
#include "trigger.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/memory.h"
#include "common/cli/options.h"

/* A field, or what the kernel accepts in place of one. */
enum term_kind {
	TERM_NUMBER,
	TERM_TEXT,
	TERM_STACK,
	TERM_HITCOUNT,
	TERM_TIMESTAMP,
	TERM_PID,
};

struct term {
	enum term_kind kind;
	size_t at, name_end, end; /* in the line; the modifier lies behind name_end */
};

static const struct modifier {
	const char *name;
	int places; /* enum hist_place */
	int kinds;  /* 1 << enum term_kind */
	const char *fields; /* of these kinds, in words */
} modifiers[] = {
#define ALL (HIST_KEY | HIST_VALUE | HIST_VARIABLE)
#define NUMBERS (1 << TERM_NUMBER | 1 << TERM_PID)
	{ "hex", ALL, NUMBERS, "numbers" },
	{ "sym", HIST_KEY | HIST_VARIABLE, NUMBERS, "numbers" },
	{ "sym-offset", HIST_KEY | HIST_VARIABLE, NUMBERS, "numbers" },
	{ "syscall", HIST_KEY | HIST_VARIABLE, NUMBERS, "numbers" },
	{ "execname", HIST_KEY | HIST_VARIABLE, 1 << TERM_PID, "common_pid" },
	{ "log2", HIST_KEY, NUMBERS, "numbers" },
	{ "buckets", HIST_KEY, NUMBERS, "numbers" },
	{ "usecs", ALL, 1 << TERM_TIMESTAMP, "common_timestamp" },
	{ "percent", HIST_VALUE, NUMBERS | 1 << TERM_HITCOUNT, "numbers" },
	{ "graph", HIST_VALUE, NUMBERS | 1 << TERM_HITCOUNT, "numbers" },
	{ "stacktrace", HIST_KEY | HIST_VARIABLE, 1 << TERM_STACK, "stack traces" },
#undef NUMBERS
#undef ALL
};

#define MODIFIERS (sizeof(modifiers) / sizeof(modifiers[0]))

static const char *place_name(enum hist_place place)
{
	return place == HIST_KEY ? "keys" : place == HIST_VALUE ? "values" : "variables";
}

/* Fields */

static int is_word(const struct hist_check *check, const struct term *term, const char *word)
{
	size_t length = term->name_end - term->at;

	return strlen(word) == length && !strncmp(check->line + term->at, word, length);
}

static const struct ue_record_field *find_field(const struct hist_check *check,
						const struct term *term)
{
	const struct ue_record_layout *format = &check->tracepoint->format;
	size_t length = term->name_end - term->at;

	for (uint32_t i = 0; i < format->field_count; i++)
		if (format->fields[i].name_length == length &&
		    !memcmp(format->fields[i].name, check->line + term->at, length))
			return &format->fields[i];
	return NULL;
}

/* The kernel reads any field of these sizes as a number, but a struct is none. */
static int is_number(const struct ue_record_field *field, const char *type)
{
	return strncmp(type, "struct ", 7) &&
	       (field->size == 1 || field->size == 2 || field->size == 4 || field->size == 8);
}

static int blame_kind(const struct hist_check *check, const struct term *term,
		      const struct ue_record_field *field)
{
	const int length = (int)(term->name_end - term->at);
	const char *name = check->line + term->at;

	if (!field->size)
		return trigger_blame(check->fault, term->at, "\"%.*s\" has no fixed size, and the "
				     "kernel cannot count by it", length, name);
	return trigger_blame(check->fault, term->at, "\"%.*s\" (%.*s) is neither a number nor "
			     "text; count by another field", length, name,
			     (int)field->type_length, field->type);
}

static int find_kind(const struct hist_check *check, struct term *term,
		     const struct ue_record_field *field)
{
	char *type = xstrndup(field->type, field->type_length);
	/* "char verb[8]", "__data_loc char[] path"; the name refers to the format's text */
	int is_array = field->name[field->name_length] == '[' || strchr(type, '[');
	int result = 0;

	if (!field->size)
		result = -1;
	else if (is_array && strstr(type, "char"))
		term->kind = TERM_TEXT;
	else if (is_array && strstr(type, "_loc ") && strstr(type, "long"))
		term->kind = TERM_STACK;
	else if (!is_array && is_number(field, type))
		term->kind = TERM_NUMBER;
	else
		result = -1;
	free(type);
	return result ? blame_kind(check, term, field) : 0;
}

static const char *const common_numbers[] = { "common_type", "common_flags",
					      "common_preempt_count", "common_cpu" };

static int blame_name(const struct hist_check *check, const struct term *term)
{
	const struct ue_record_layout *format = &check->tracepoint->format;
	char *name = xstrndup(check->line + term->at, term->name_end - term->at);
	struct words names = { 0 };
	const char *near;

	for (uint32_t i = 0; i < format->field_count; i++)
		words_add(&names, xstrndup(format->fields[i].name,
					   format->fields[i].name_length));
	words_add(&names, "common_pid");
	words_add(&names, "common_cpu");
	words_add(&names, "common_timestamp");
	words_add(&names, "hitcount");
	near = nearest(name, names.items, names.count, sizeof(*names.items));
	if (near)
		trigger_blame(check->fault, term->at, "there is no field \"%s\"; did you mean "
			      "\"%s\"?", name, near);
	else
		trigger_blame(check->fault, term->at, "there is no field \"%s\"; \"userevents "
			      "list\" prints the fields of user events", name);
	free(name);
	return -1;
}

/* The kernel lists "cpu" as "common_cpu", and refuses to remove that. */
static int find_special(const struct hist_check *check, struct term *term)
{
	if (is_word(check, term, "cpu") || is_word(check, term, "CPU"))
		return trigger_blame(check->fault, term->at, "the kernel cannot remove a "
				     "histogram of \"cpu\"; write common_cpu");
	if (is_word(check, term, "common_stacktrace") && !check->support->has_common_stacktrace)
		return trigger_blame(check->fault, term->at, "this kernel has no "
				     "common_stacktrace; write stacktrace");
	if (is_word(check, term, "stacktrace") || is_word(check, term, "common_stacktrace"))
		term->kind = TERM_STACK;
	else if (is_word(check, term, "common_timestamp"))
		term->kind = TERM_TIMESTAMP;
	else if (is_word(check, term, "hitcount"))
		term->kind = TERM_HITCOUNT;
	else if (is_word(check, term, "common_pid"))
		term->kind = TERM_PID;
	else
		return blame_name(check, term);
	return 0;
}

static int find(const struct hist_check *check, struct term *term)
{
	const struct ue_record_field *field = find_field(check, term);

	if (term->at == term->name_end)
		return trigger_blame(check->fault, term->at, "a field is missing here");
	if (field)
		return find_kind(check, term, field);
	for (size_t i = 0; i < sizeof(common_numbers) / sizeof(common_numbers[0]); i++)
		if (is_word(check, term, common_numbers[i]))
			return 0;
	return find_special(check, term);
}

/* The places of fields */

static int check_place(const struct hist_check *check, const struct term *term,
		       enum hist_place place)
{
	const int length = (int)(term->name_end - term->at);
	const char *name = check->line + term->at;

	if (term->kind == TERM_TIMESTAMP)
		check->facts->has_timestamp = 1;
	if (term->kind == TERM_HITCOUNT && place != HIST_VALUE)
		return trigger_blame(check->fault, term->at, "\"hitcount\" can only be one of the "
				     "values; give it in vals=");
	if (place == HIST_VALUE && (term->kind == TERM_TEXT || term->kind == TERM_STACK))
		return trigger_blame(check->fault, term->at, "\"%.*s\" is no number, and the "
				     "kernel adds up values; give it in keys=", length, name);
	if (term->kind == TERM_TEXT && !check->support->has_texts)
		return trigger_blame(check->fault, term->at, "\"%.*s\" is text, which this "
				     "kernel does not read from user events (Linux 6.4 does); "
				     "\"userevents hist\" can count by it", length, name);
	return 0;
}

/* Modifiers */

static int blame_modifier(const struct hist_check *check, const struct term *term,
			  const char *name)
{
	const char *near = nearest(name, modifiers, MODIFIERS, sizeof(*modifiers));

	if (near)
		return trigger_blame(check->fault, term->name_end, "there is no \".%s\"; did you "
				     "mean \".%s\"?", name, near);
	return trigger_blame(check->fault, term->name_end, "there is no \".%s\"; there are .hex, "
			     ".sym, .sym-offset, .syscall, .execname, .log2, .buckets=N, .usecs, "
			     ".percent, .graph and .stacktrace", name);
}

static int check_buckets(const struct hist_check *check, const struct term *term,
			 const char *value)
{
	char *rest;
	unsigned long long size;

	errno = 0;
	size = value ? strtoull(value, &rest, 0) : 0;
	if (size && isdigit((unsigned char)*value) && !*rest && !errno)
		return 0;
	return trigger_blame(check->fault, term->name_end, ".buckets wants the size of a bucket; "
			     "write such as .buckets=10");
}

static int fits(const struct hist_check *check, const struct term *term, enum hist_place place,
		const struct modifier *modifier)
{
	if (!(modifier->places & (int)place))
		return trigger_blame(check->fault, term->name_end, "\".%s\" cannot be used in %s; "
				     "remove it", modifier->name, place_name(place));
	if (!(modifier->kinds & 1 << term->kind))
		return trigger_blame(check->fault, term->name_end, "\".%s\" is only for %s; "
				     "remove it", modifier->name, modifier->fields);
	if (term->kind == TERM_HITCOUNT && !check->support->has_nohitcount)
		return trigger_blame(check->fault, term->name_end, "this kernel has no \".%s\" of "
				     "hitcount; remove it, or use another field",
				     modifier->name);
	if (term->kind == TERM_STACK && !check->support->has_common_stacktrace)
		return trigger_blame(check->fault, term->name_end, "this kernel has no "
				     "\".stacktrace\"; remove it");
	return 0;
}

static int check_modifier(const struct hist_check *check, const struct term *term,
			  enum hist_place place)
{
	char *name = xstrndup(check->line + term->name_end + 1, term->end - term->name_end - 1);
	char *value = strchr(name, '=');
	const struct modifier *modifier = NULL;
	int result;

	if (value)
		*value++ = '\0';
	for (size_t i = 0; i < MODIFIERS; i++)
		if (!strcmp(name, modifiers[i].name) ||
		    (!strcmp(name, "bucket") && !strcmp(modifiers[i].name, "buckets")))
			modifier = &modifiers[i];
	result = modifier ? fits(check, term, place, modifier) : blame_modifier(check, term, name);
	if (!result && !strcmp(modifier->name, "buckets"))
		result = check_buckets(check, term, value);
	else if (!result && value)
		result = trigger_blame(check->fault, term->name_end, "\".%s\" takes no value; "
				       "remove \"=%s\"", name, value);
	free(name);
	return result;
}

/* Terms and operators */

static int check_constant(const struct hist_check *check, const struct term *term)
{
	char *text = xstrndup(check->line + term->at, term->end - term->at), *rest;
	int result = 0;

	errno = 0;
	strtoull(text, &rest, 0);
	if (*rest || errno)
		result = trigger_blame(check->fault, term->at, "\"%s\" is neither a number nor "
				       "a field", text);
	free(text);
	return result;
}

/* "$variable", or "system.event.$variable"; the kernel knows all variables. */
static int is_reference(const struct hist_check *check, const struct term *term)
{
	return memchr(check->line + term->at, '$', term->end - term->at) != NULL;
}

static int check_term(const struct hist_check *check, size_t at, size_t end,
		      enum hist_place place)
{
	const char *dot = memchr(check->line + at, '.', end - at);
	struct term term = { .at = at, .end = end };

	term.name_end = dot ? (size_t)(dot - check->line) : end;
	if (isdigit((unsigned char)check->line[at]))
		return check_constant(check, &term);
	if (is_reference(check, &term) && place == HIST_KEY)
		return trigger_blame(check->fault, at, "a variable cannot be a key; give it in "
				     "vals=");
	if (is_reference(check, &term))
		return 0;
	if (find(check, &term) || check_place(check, &term, place))
		return -1;
	return dot ? check_modifier(check, &term, place) : 0;
}

static int is_operator(const char *line, size_t at)
{
	if (line[at] == '-' && at >= 4 && !strncmp(line + at - 4, ".sym-offset", 11))
		return 0;
	return strchr("+-*/", line[at]) != NULL;
}

static int is_in_term(const char *line, size_t at)
{
	return !is_operator(line, at) && line[at] != '(' && line[at] != ')';
}

int hist_check_expression(const struct hist_check *check, size_t at, size_t end,
			  enum hist_place place)
{
	const char *line = check->line;
	int wants_term = 1;

	while (at < end) {
		size_t begin = at;

		while (at < end && is_in_term(line, at))
			at++;
		if (at > begin && check_term(check, begin, at, place))
			return -1;
		wants_term &= at == begin;
		if (at == end)
			break;
		/* the kernel has brackets in -(...) alone, and reports others itself */
		if (is_operator(line, at) && wants_term && line[at] != '-')
			break;
		wants_term |= is_operator(line, at);
		at++;
	}
	return wants_term ? trigger_blame(check->fault, at, "a field is missing here") : 0;
}
