/* SPDX-License-Identifier: MIT */
/*
 * Parses the options of a command by getopt_long(3), prints --help, and runs the
 * command; parses numbers and definitions of events that a person typed, and finds
 * similar words.
 */
#include "options.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <userevents/abi/eventheader.h>
#include <userevents/event.h>
#include <userevents/eventheader_name.h>

#include "memory.h"
#include "message.h"

/* Completes and checks definitions, and gives them the form in which the kernel lists them. */

static int is_bare_eventheader(const char *text)
{
	struct ue_eventheader_name parts;

	return !strchr(text, ' ') &&
	       !ue_eventheader_name_parse(text, strlen(text), &parts, NULL);
}

static char *copy(const char *text)
{
	const char *fields;

	/* dynamic_events lists a definition so */
	if (!strncmp(text, "u:", 2))
		text += 2 + strspn(text + 2, " ");
	fields = is_bare_eventheader(text) ? " " UE_EVENTHEADER_FIELDS : "";
	return xprintf("%s%s", text, fields);
}

char *definition_canonical(const char *definition)
{
	const char *at = strchrnul(definition, ' '), *separator = " ";
	/* each ';' may gain a blank */
	char *text = xmalloc(2 * strlen(definition) + 1);
	char *end = mempcpy(text, definition, (size_t)(at - definition));

	while (at += strspn(at, " "), *at) {
		const size_t length = strcspn(at, ";");

		end = stpcpy(end, separator);
		end = mempcpy(end, at, length);
		separator = "; ";
		at += length + (at[length] == ';');
	}
	while (end > text && end[-1] == ' ')
		end--;
	*end = '\0';
	return text;
}

const char *definition_complete(const char *text, uint32_t flags, const char *place)
{
	struct ue_definition_error error;
	char *definition = copy(text), *canonical = NULL;

	if (ue_definition_check(definition, flags, &error))
		message("cannot register \"%s\"%s: \"%.*s\" at byte %zu: %s", definition, place,
			(int)error.length, definition + error.offset, error.offset + 1,
			error.reason);
	else
		canonical = definition_canonical(definition);
	free(definition);
	return canonical;
}

/*
 * Finds the word with the smallest edit distance: how many letters must be inserted, left
 * out or replaced, or swapped with the next one. Another case counts as none, and a
 * missing end as one.
 */

#define LENGTH_MAX 63u
#define SHORT 6u
#define ABBREVIATION_LEAST 4u /* shorter ones that are mistyped may mean anything */

static unsigned least(unsigned a, unsigned b, unsigned c)
{
	unsigned ab = a < b ? a : b;

	return ab < c ? ab : c;
}

static int differ(char a, char b)
{
	return tolower((unsigned char)a) != tolower((unsigned char)b);
}

/* The distances of a[..i] from each beginning of b; those of one letter less, and of two less. */
static void next_row(unsigned *row, const unsigned *before, const unsigned *earlier,
		     const char *a, unsigned i, const char *b)
{
	row[0] = i;
	for (size_t j = 1; b[j - 1]; j++) {
		row[j] = least(before[j] + 1, row[j - 1] + 1,
			       before[j - 1] + (unsigned)differ(a[i - 1], b[j - 1]));
		if (i > 1 && j > 1 && !differ(a[i - 1], b[j - 2]) && !differ(a[i - 2], b[j - 1]))
			row[j] = least(row[j], earlier[j - 2] + 1, UINT_MAX);
	}
}

static unsigned distance(const char *a, const char *b)
{
	unsigned rows[3][LENGTH_MAX + 1], begin = UINT_MAX;
	const size_t typed = strlen(a), length = strlen(b);
	const unsigned *last = rows[typed % 3];

	if (typed > LENGTH_MAX || length > LENGTH_MAX)
		return UINT_MAX;
	for (unsigned j = 0; j <= length; j++)
		rows[0][j] = j;
	for (unsigned i = 1; i <= typed; i++)
		next_row(rows[i % 3], rows[(i + 2) % 3], rows[(i + 1) % 3], a, i, b);
	for (size_t j = 0; j <= length; j++)
		begin = last[j] < begin ? last[j] : begin;
	return typed >= ABBREVIATION_LEAST && begin + 1 < last[length] ? begin + 1 : last[length];
}

const char *nearest(const char *typed, const void *table, size_t count, size_t size)
{
	/* about a third of the letters may differ, of a short word one */
	const unsigned length = (unsigned)strlen(typed);
	unsigned best = length < SHORT ? 2 : (length + 5) / 3;
	const char *found = NULL, *word;

	for (size_t i = 0; i < count; i++) {
		unsigned d;

		memcpy(&word, (const char *)table + i * size, sizeof(word));
		d = distance(typed, word);
		/* an abbreviation counts as one letter, whatever is missing */
		if (typed[0] && typed[1] && !strncmp(typed, word, strlen(typed)))
			d = 1;
		if (d < best) {
			best = d;
			found = word;
		}
	}
	return found;
}

#define OPTIONS_MAX 62

void words_add(struct words *words, const char *word)
{
	words->items = xgrow(words->items, words->count, sizeof(*words->items));
	words->items[words->count++] = word;
}

void words_free(struct words *words)
{
	for (size_t i = 0; i < words->count; i++)
		free((char *)(uintptr_t)words->items[i]);
	free(words->items);
	*words = (struct words){ .items = NULL };
}

char *words_nearest(struct words *words, const char *typed)
{
	const char *near = nearest(typed, words->items, words->count,
				   sizeof(*words->items));
	char *copy = near ? xstrdup(near) : NULL;

	words_free(words);
	return copy;
}

static uint64_t unit_of(const char *suffix)
{
	static const struct {
		const char *suffix;
		uint64_t unit;
	} units[] = { { "", 1 }, { "k", 1 << 10 }, { "K", 1 << 10 },
		      { "M", 1 << 20 }, { "G", 1 << 30 } };

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (!strcmp(units[i].suffix, suffix))
			return units[i].unit;
	return 0;
}

int parse_number(const char *text, uint64_t *number)
{
	unsigned long long value;
	uint64_t unit;
	char *end;

	if (*text < '0' || *text > '9')
		return -EINVAL;
	errno = 0;
	value = strtoull(text, &end, strncmp(text, "0x", 2) ? 10 : 16);
	unit = unit_of(end);
	if (errno || !unit || __builtin_mul_overflow(value, unit, number))
		return -EINVAL;
	return 0;
}

/* --help */

/* The second column, whose lines break where the terminal ends. */
static void print_text(const char *text)
{
	enum { BEGIN = 26, END = 80 };
	int column = BEGIN;

	while (*text) {
		int length = (int)strcspn(text, " \n");

		if (column + 1 + length > END) {
			printf("\n%*s", BEGIN, "");
			column = BEGIN;
		}
		printf(" %.*s", length, text);
		column += 1 + length;
		text += length + strspn(text + length, " \n");
	}
	putchar('\n');
}

static void print_option(const struct tool_option *option)
{
	char left[64], letter[8] = "    ";

	if (option->letter)
		snprintf(letter, sizeof(letter), "-%c, ", option->letter);
	snprintf(left, sizeof(left), "%s--%s%s%s", letter, option->name,
		 option->value ? " " : "", option->value ? option->value : "");
	printf("  %-24s", left);
	if (strlen(left) > 24)
		printf("\n%26s", "");
	print_text(option->help);
}

static void print_examples(const char *lines)
{
	puts("\nExamples:");
	for (const char *end; (end = strchr(lines, '\n')); lines = end + 1)
		printf("  %.*s\n", (int)(end - lines), lines);
}

static void print_help(const struct usage *usage)
{
	printf("Usage: userevents %s [OPTIONS]%s%s\n\n%s\nOptions:\n", usage->command,
	       *usage->arguments ? " " : "", usage->arguments, usage->help);
	for (const struct tool_option *o = usage->options; o->name; o++)
		print_option(o);
	if (usage->examples)
		print_examples(usage->examples);
}

/* Complaints */

static const char *verb_of(const struct usage *usage)
{
	return usage->verb ? usage->verb : usage->command;
}

int options_complain(const struct usage *usage, const char *problem, ...)
{
	va_list arguments;
	AUTO_FREE char *text;

	va_start(arguments, problem);
	text = xvprintf(problem, arguments);
	va_end(arguments);
	message("cannot %s: %s; \"userevents %s --help\" lists the options", verb_of(usage),
		text, usage->command);
	return EXIT_WRONG_USAGE;
}

static int wrong_value(const struct usage *usage, const struct tool_option *option,
		       const char *problem)
{
	return options_complain(usage, "the option --%s %s", option->name, problem);
}

/* A name that getopt_long(3) took for no option, or for an abbreviation of several. */
static int unknown(const struct usage *usage, const char *name)
{
	const struct tool_option *options = usage->options;
	const char *likely[2] = { NULL, NULL };
	size_t count = 0, found = 0, length = strlen(name);

	for (; options[count].name; count++)
		if (found < 2 && !strncmp(options[count].name, name, length))
			likely[found++] = options[count].name;
	if (found < 2)
		likely[0] = nearest(name, options, count, sizeof(*options));
	if (likely[1])
		message("cannot %s: \"--%s\" may be \"--%s\" or \"--%s\"; write more of it",
			verb_of(usage), name, likely[0], likely[1]);
	else if (likely[0])
		message("cannot %s: there is no option \"--%s\"; did you mean \"--%s\"?",
			verb_of(usage), name, likely[0]);
	else
		options_complain(usage, "the option \"--%s\" does not exist", name);
	return EXIT_WRONG_USAGE;
}

/* Values */

static int parse_value(const struct usage *usage, const struct tool_option *option,
		       const char *value)
{
	char problem[96];

	if (parse_number(value, option->number))
		return wrong_value(usage, option,
				   "needs a number: digits, or digits with k, M or G");
	if (*option->number >= option->least)
		return OPTIONS_GO_ON;
	/* digits alone are bytes, and rarely meant so */
	snprintf(problem, sizeof(problem), "needs at least %llu: digits, or digits with k, "
		 "M or G", (unsigned long long)option->least);
	return wrong_value(usage, option, problem);
}

static int take_value(const struct usage *usage, const struct tool_option *option,
		      const char *value)
{
	if (!option->value && !option->flag) {
		print_help(usage);
		return EXIT_ALL_WORKED;
	}
	if (option->flag)
		*option->flag = 1;
	else if (option->is_path && !*value)
		return wrong_value(usage, option, "needs a value that is not empty");
	else if (option->is_path && !strcmp(value, "--"))
		return wrong_value(usage, option, "needs a value before \"--\"; a file of this "
						  "name is \"./--\"");
	else if (option->text)
		*option->text = value;
	else if (option->words)
		words_add(option->words,
			  option->prefix ? xprintf("%s%s", option->prefix, value) : value);
	else
		return parse_value(usage, option, value);
	return OPTIONS_GO_ON;
}

/* The last one would silently win, and the question would be another one. */
static int take_once(const struct usage *usage, const struct tool_option *option,
		     const char *value, uint64_t *given)
{
	const uint64_t bit = 1ull << (option - usage->options);

	if (option->once && *given & bit)
		return options_complain(usage, "the option --%s is given twice; %s", option->name,
					option->once);
	*given |= bit;
	return take_value(usage, option, value);
}

/* getopt_long(3) returns this for the first option; the codes of others follow. */
#define FIRST 256
/* ... and this for an argument. */
#define ARGUMENT 1

struct tables {
	struct option names[OPTIONS_MAX + 1];
	char letters[2 * OPTIONS_MAX + 3];
};

static void make_tables(const struct usage *usage, struct tables *tables)
{
	const struct tool_option *o = usage->options;
	char *letter = tables->letters;
	int i = 0;

	/* '-' returns arguments in order, in spite of POSIXLY_CORRECT */
	*letter++ = usage->stops_at_argument ? '+' : '-';
	*letter++ = ':';
	for (; o->name && i < OPTIONS_MAX; o++, i++) {
		tables->names[i] = (struct option){
			o->name, o->value ? required_argument : no_argument, NULL, FIRST + i,
		};
		if (o->letter)
			*letter++ = o->letter;
		if (o->letter && o->value)
			*letter++ = ':';
	}
	*letter = '\0';
	tables->names[i] = (struct option){ 0 };
}

static const struct tool_option *option_of(const struct usage *usage, int code)
{
	for (const struct tool_option *o = usage->options; o->name; o++)
		if (code == FIRST + (int)(o - usage->options) ||
		    (o->letter && code == o->letter))
			return o;
	return NULL;
}

/* code: '?' or ':', as getopt_long(3) returned it; word: where it stopped. */
static int complain_of(const struct usage *usage, int code, char *word)
{
	const struct tool_option *option = optopt ? option_of(usage, optopt) : NULL;

	if (option)
		return wrong_value(usage, option,
				   code == ':' ? "needs a value" : "takes no value");
	if (!optopt) {
		word[strcspn(word, "=")] = '\0';
		return unknown(usage, word + strspn(word, "-"));
	}
	return options_complain(usage, "the option \"-%c\" does not exist", optopt);
}

int options_parse(const struct usage *usage, int *argc, char ***argv)
{
	int code, kept = 0, status = OPTIONS_GO_ON;
	uint64_t given = 0;
	struct tables tables;
	char **words = *argv;

	make_tables(usage, &tables);
	opterr = 0;
	optind = 0; /* begin anew */
	while (status == OPTIONS_GO_ON &&
	       (code = getopt_long(*argc, words, tables.letters, tables.names, NULL)) >= 0) {
		if (code == ARGUMENT) {
			words[kept++] = optarg;
		} else if (code == '?' || code == ':') {
			status = complain_of(usage, code, words[optind - 1]);
		} else {
			status = take_once(usage, option_of(usage, code), optarg, &given);
		}
	}
	while (optind < *argc)
		words[kept++] = words[optind++];
	words[kept] = NULL;
	*argc = kept;
	return status;
}

int command_start(const struct command *command, int argc, char **argv)
{
	int status = OPTIONS_GO_ON;

	if (command->usage)
		status = options_parse(command->usage, &argc, &argv);
	return status == OPTIONS_GO_ON ? command->run(argc, argv) : status;
}
