/* SPDX-License-Identifier: MIT */
/* Parses definitions of synthetic events, and writes them in the form that the kernel has. */
#include "synth_definition.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/memory.h"

#define BLANKS " \t\n"

__attribute__((format(printf, 3, 4))) static int
refuse(struct synth_problem *problem, size_t at, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	*problem = (struct synth_problem){ xvprintf(format, arguments), at };
	va_end(arguments);
	return -1;
}

int is_identifier(const char *text)
{
	if (!isalpha((unsigned char)*text) && *text != '_')
		return 0;
	for (; *text; text++)
		if (!isalnum((unsigned char)*text) && *text != '_')
			return 0;
	return 1;
}

/* The number in brackets at the end of a word, which are cut off; 0 or -1: no number. */
static int cut_brackets(char *word, int *length)
{
	char *bracket = strchr(word, '['), *end;
	unsigned long number;

	if (!bracket)
		return 0;
	*bracket++ = '\0';
	*length = SYNTH_DYNAMIC;
	if (!strcmp(bracket, "]"))
		return 0;
	number = strtoul(bracket, &end, 10);
	/* a leading 0 makes the number octal for the kernel */
	if (*bracket < '1' || *bracket > '9' || strcmp(end, "]") || number > 65535)
		return -1;
	*length = (int)number;
	return 0;
}

/* Join the words of a type by one blank. */
static char *join(char **words, size_t count)
{
	char *text = xstrdup("");

	for (size_t i = 0; i < count; i++) {
		char *longer = xprintf("%s%s%s", text, i ? " " : "", words[i]);

		free(text);
		text = longer;
	}
	return text;
}

#define WORDS_MAX 4

static size_t split(char *text, char *words[WORDS_MAX + 1])
{
	char *word, *rest = text;
	size_t count = 0;

	while ((word = strsep(&rest, BLANKS)))
		if (*word && count <= WORDS_MAX)
			words[count++] = word;
	return count;
}

/* part: one field without blanks around it, at this offset; it is changed. */
static int read_field(char *part, size_t at, struct synth_definition *definition,
		      struct synth_problem *problem)
{
	int of_type = SYNTH_SCALAR, of_name = SYNTH_SCALAR, is_wrong;
	char *words[WORDS_MAX + 1], *whole = xstrdup(part), *type;
	size_t count = split(part, words);

	if (count < 2 || count > WORDS_MAX) {
		refuse(problem, at, count < 2 ? "the field \"%s\" is one word; write a type "
						"and a name" :
						"the field \"%s\" has too many words", whole);
		free(whole);
		return -1;
	}
	is_wrong = cut_brackets(words[count - 2], &of_type) ||
		   cut_brackets(words[count - 1], &of_name) ||
		   (of_type != SYNTH_SCALAR && of_name != SYNTH_SCALAR);
	if (is_wrong)
		refuse(problem, at, "the length in \"%s\" is not a number in brackets", whole);
	free(whole);
	if (is_wrong)
		return -1;
	type = join(words, count - 1);
	synth_definition_add(definition, type, words[count - 1],
			     of_type != SYNTH_SCALAR ? of_type : of_name);
	free(type);
	definition->fields[definition->count - 1].at = at;
	return 0;
}

static int read_fields(const char *text, size_t at, struct synth_definition *definition,
		       struct synth_problem *problem)
{
	while (text[at += strspn(text + at, BLANKS)]) {
		size_t end = at + strcspn(text + at, ";"), length = end - at;
		char *part;
		int result;

		while (length && strchr(BLANKS, text[at + length - 1]))
			length--;
		if (!length)
			return refuse(problem, at, "there is no field before this \";\"");
		part = xstrndup(text + at, length);
		result = read_field(part, at, definition, problem);
		free(part);
		if (result)
			return result;
		at = end + (text[end] == ';');
	}
	return 0;
}

int synth_definition_read(const char *text, struct synth_definition *definition,
			  struct synth_problem *problem)
{
	const size_t begin = strspn(text, BLANKS);
	const size_t length = strcspn(text + begin, BLANKS ";");

	*definition = (struct synth_definition){ 0 };
	if (!length)
		return refuse(problem, begin, "it has no name; write NAME TYPE FIELD; ...");
	definition->name = xstrndup(text + begin, length);
	return read_fields(text, begin + length, definition, problem);
}

static const char *const types[] = {
	"u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64", "bool", "char", "unsigned char",
	"int", "unsigned int", "long", "unsigned long", "pid_t", "gfp_t",
};

/* Types that people write in vain, and what they mean. */
static const char *const meant[][2] = {
	{ "short", "s16" }, { "unsigned short", "u16" }, { "unsigned", "unsigned int" },
	{ "long long", "s64" }, { "unsigned long long", "u64" },
	{ "size_t", "unsigned long" }, { "signed char", "s8" }, { "signed int", "int" },
	{ "uint8_t", "u8" }, { "uint16_t", "u16" }, { "uint32_t", "u32" },
	{ "uint64_t", "u64" }, { "int8_t", "s8" }, { "int16_t", "s16" },
	{ "int32_t", "s32" }, { "int64_t", "s64" }, { "unsigned short int", "u16" },
	{ "__rel_loc char", "char" }, { "__data_loc char", "char" },
};

#define COUNT(table) (sizeof(table) / sizeof(*(table)))

#define TYPES "u8 to u64, s8 to s64, bool, char, int, long, unsigned ..., pid_t and gfp_t"

static int check_type(const struct synth_field *field, struct synth_problem *problem)
{
	for (size_t i = 0; i < COUNT(types); i++)
		if (!strcmp(types[i], field->type))
			return 0;
	for (size_t i = 0; i < COUNT(meant); i++)
		if (!strcmp(meant[i][0], field->type))
			return refuse(problem, field->at,
				      "synthetic events have no type \"%s\"; write %s",
				      field->type, meant[i][1]);
	return refuse(problem, field->at, "synthetic events have no type \"%s\", but " TYPES,
		      field->type);
}

/* The kernel's STR_VAR_LEN_MAX. */
#define LENGTH_MAX 256

static int check_array(const struct synth_field *field, struct synth_problem *problem)
{
	if (field->length == SYNTH_SCALAR)
		return 0;
	if (strcmp(field->type, "char"))
		return refuse(problem, field->at, "the array \"%s\" is not of char; the kernel "
			      "has no other arrays in synthetic events", field->name);
	if (field->length > LENGTH_MAX)
		return refuse(problem, field->at, "the text \"%s\" has %d bytes, and the kernel "
			      "keeps %d at most; write char %s[]", field->name, field->length,
			      LENGTH_MAX, field->name);
	return 0;
}

static int check_name(const struct synth_definition *definition, size_t i,
		      struct synth_problem *problem)
{
	const struct synth_field *field = &definition->fields[i];

	if (*field->name == '*')
		return refuse(problem, field->at, "the field \"%s\" is a pointer; texts are "
			      "char %s[]", field->name, field->name + 1);
	if (!is_identifier(field->name))
		return refuse(problem, field->at, "the field's name \"%s\" is not made of "
			      "letters, digits and \"_\"", field->name);
	if (!strncmp(field->name, "common_", strlen("common_")))
		return refuse(problem, field->at, "the field's name \"%s\" begins with "
			      "\"common_\", as those of the kernel do", field->name);
	for (size_t j = 0; j < i; j++)
		if (!strcmp(definition->fields[j].name, field->name))
			return refuse(problem, field->at, "two fields are called \"%s\"",
				      field->name);
	return 0;
}

/* The kernel's SYNTH_FIELDS_MAX, and the longest name of a directory. */
#define FIELDS_MAX 64
#define NAME_MAX_LENGTH 255

int synth_definition_check(const struct synth_definition *definition,
			   struct synth_problem *problem)
{
	if (!is_identifier(definition->name))
		return refuse(problem, 0, "the name \"%s\" is not made of letters, digits and "
			      "\"_\"", definition->name);
	if (strlen(definition->name) > NAME_MAX_LENGTH)
		return refuse(problem, 0, "the name has more than %d letters", NAME_MAX_LENGTH);
	if (!definition->count)
		return refuse(problem, strlen(definition->name),
			      "it has no field; write NAME TYPE FIELD; ...");
	if (definition->count > FIELDS_MAX)
		return refuse(problem, definition->fields[FIELDS_MAX].at,
			      "it has more than %d fields", FIELDS_MAX);
	for (size_t i = 0; i < definition->count; i++)
		if (check_name(definition, i, problem) ||
		    check_type(&definition->fields[i], problem) ||
		    check_array(&definition->fields[i], problem))
			return -1;
	return 0;
}

static char *field_text(const struct synth_field *field)
{
	if (field->length == SYNTH_SCALAR)
		return xprintf("%s %s", field->type, field->name);
	if (field->length == SYNTH_DYNAMIC)
		return xprintf("%s %s[]", field->type, field->name);
	return xprintf("%s %s[%d]", field->type, field->name, field->length);
}

char *synth_definition_text(const struct synth_definition *definition)
{
	char *text = xstrdup(definition->name);

	for (size_t i = 0; i < definition->count; i++) {
		char *field = field_text(&definition->fields[i]);
		char *longer = xprintf("%s%s%s", text, i ? "; " : " ", field);

		free(field);
		free(text);
		text = longer;
	}
	return text;
}

void synth_definition_add(struct synth_definition *definition, const char *type,
			  const char *name, int length)
{
	definition->fields = xgrow(definition->fields, definition->count,
				   sizeof(*definition->fields));
	definition->fields[definition->count++] =
		(struct synth_field){ xstrdup(type), xstrdup(name), length, 0 };
}

void synth_definition_free(struct synth_definition *definition)
{
	for (size_t i = 0; i < definition->count; i++) {
		free(definition->fields[i].type);
		free(definition->fields[i].name);
	}
	free(definition->fields);
	free(definition->name);
	*definition = (struct synth_definition){ 0 };
}
