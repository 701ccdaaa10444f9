/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exit_status.h"
#include "memory.h"
#include "message.h"
#include "similar_word.h"
#include "options.h"

#define OPTIONS_MAX 62

void words_add(struct words *words, const char *word)
{
	words->items = xgrow(words->items, words->count, sizeof(*words->items));
	words->items[words->count++] = word;
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

static const struct tool_option help_option = {
	.name = "help", .letter = 'h', .help = "This text.",
};

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
	print_text(option->help);
}

static void print_help(const struct usage *usage)
{
	printf("Usage: userevents %s [OPTIONS]%s%s\n\n%s\nOptions:\n", usage->command,
	       *usage->arguments ? " " : "", usage->arguments, usage->help);
	for (const struct tool_option *o = usage->options; o->name; o++)
		print_option(o);
	print_option(&help_option);
}

int options_complain(const struct usage *usage, const char *problem)
{
	message("%s \"userevents %s --help\" lists its options.", problem, usage->command);
	return EXIT_WRONG_USAGE;
}

/* Complaints */

static int unknown(const struct usage *usage, const char *name)
{
	const char *names[OPTIONS_MAX + 2];
	const char *near;
	size_t count = 0;

	for (const struct tool_option *o = usage->options; o->name && count < OPTIONS_MAX; o++)
		names[count++] = o->name;
	names[count++] = "help";
	names[count] = NULL;
	near = nearest(name, names);
	if (near)
		message("%s: There is no option \"--%s\". Did you mean \"--%s\"?",
			usage->command, name, near);
	else
		message("%s: There is no option \"--%s\"; \"userevents %s --help\" lists "
			"them.", usage->command, name, usage->command);
	return EXIT_WRONG_USAGE;
}

static int wrong(const struct usage *usage, const struct tool_option *option,
		 const char *what)
{
	message("%s: The option --%s %s.", usage->command, option->name, what);
	return EXIT_WRONG_USAGE;
}

/* Bare digits are bytes, and seldom meant so. */
static int too_small(const struct usage *usage, const struct tool_option *option)
{
	char problem[128];

	snprintf(problem, sizeof(problem), "wants at least %llu: digits, or digits with k, "
		 "M or G", (unsigned long long)option->least);
	return wrong(usage, option, problem);
}

/* Values */

static int take_value(const struct usage *usage, const struct tool_option *option,
		      const char *value)
{
	if (option->flag)
		*option->flag = 1;
	else if (option->is_path && !*value)
		return wrong(usage, option, "wants a value, and not an empty one");
	else if (option->text)
		*option->text = value;
	else if (option->words)
		words_add(option->words, value);
	else if (parse_number(value, option->number))
		return wrong(usage, option, "wants a number: digits, or digits with k, "
			     "M or G");
	else if (*option->number < option->least)
		return too_small(usage, option);
	return OPTIONS_GO_ON;
}

/* The value of getopt_long(3) for the first option; others follow. */
#define FIRST 256

struct tables {
	struct option names[OPTIONS_MAX + 2];
	char letters[2 * OPTIONS_MAX + 4];
};

static void make_tables(const struct usage *usage, struct tables *tables)
{
	const struct tool_option *o = usage->options;
	char *letter = tables->letters;
	int i = 0;

	if (usage->stops_at_argument)
		*letter++ = '+';
	*letter++ = ':';
	*letter++ = 'h';
	for (; o->name && i < OPTIONS_MAX; o++, i++) {
		tables->names[i] = (struct option){
			o->name, o->flag ? no_argument : required_argument, NULL, FIRST + i,
		};
		if (o->letter)
			*letter++ = o->letter;
		if (o->letter && !o->flag)
			*letter++ = ':';
	}
	*letter = '\0';
	tables->names[i] = (struct option){ help_option.name, no_argument, NULL, 'h' };
	tables->names[i + 1] = (struct option){ 0 };
}

static const struct tool_option *option_of(const struct usage *usage, int code)
{
	for (const struct tool_option *o = usage->options; o->name; o++)
		if (code == FIRST + (int)(o - usage->options) ||
		    (o->letter && code == o->letter))
			return o;
	return code == 'h' ? &help_option : NULL;
}

/* code: '?' or ':', as getopt_long(3) returned it; word: where it stopped. */
static int complain_of(const struct usage *usage, int code, char *word)
{
	const struct tool_option *option = optopt ? option_of(usage, optopt) : NULL;

	if (option)
		return wrong(usage, option, code == ':' ? "wants a value" : "takes no value");
	if (!optopt) {
		word[strcspn(word, "=")] = '\0';
		return unknown(usage, word + strspn(word, "-"));
	}
	message("%s: There is no option \"-%c\"; \"userevents %s --help\" lists them.",
		usage->command, optopt, usage->command);
	return EXIT_WRONG_USAGE;
}

int options_parse(const struct usage *usage, int *argc, char ***argv)
{
	int code, status = OPTIONS_GO_ON;
	struct tables tables;

	make_tables(usage, &tables);
	opterr = 0;
	optind = 0; /* begin anew */
	while (status == OPTIONS_GO_ON &&
	       (code = getopt_long(*argc, *argv, tables.letters, tables.names, NULL)) >= 0) {
		if (code == 'h') {
			print_help(usage);
			status = EXIT_ALL_WORKED;
		} else if (code == '?' || code == ':') {
			status = complain_of(usage, code, (*argv)[optind - 1]);
		} else {
			status = take_value(usage, option_of(usage, code), optarg);
		}
	}
	*argc -= optind;
	*argv += optind;
	return status;
}
