/* SPDX-License-Identifier: MIT */
#include <errno.h>
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

static const struct option help_option = {
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

static void print_option(const struct option *option)
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
	for (const struct option *o = usage->options; o->name; o++)
		print_option(o);
	print_option(&help_option);
}

int options_complain(const struct usage *usage, const char *problem)
{
	message("%s \"userevents %s --help\" tells more.", problem, usage->command);
	return EXIT_WRONG_USAGE;
}

/* Complaints */

static int unknown(const struct usage *usage, const char *name)
{
	const char *names[OPTIONS_MAX + 2];
	const char *near;
	size_t count = 0;

	for (const struct option *o = usage->options; o->name && count < OPTIONS_MAX; o++)
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

static int wrong(const struct usage *usage, const struct option *option,
		 const char *what)
{
	message("%s: The option --%s %s.", usage->command, option->name, what);
	return EXIT_WRONG_USAGE;
}

/* Bare digits are bytes, and seldom meant so. */
static int too_small(const struct usage *usage, const struct option *option)
{
	char problem[128];

	snprintf(problem, sizeof(problem), "wants at least %llu: digits, or digits with k, "
		 "M or G", (unsigned long long)option->least);
	return wrong(usage, option, problem);
}

/* Taking */

static int take_value(const struct usage *usage, const struct option *option,
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

/* value: behind '=', or NULL; next: the word behind, used up when *used is set. */
static int take(const struct usage *usage, const struct option *option,
		const char *value, const char *next, int *used)
{
	if (option->flag)
		return value ? wrong(usage, option, "takes no value") :
			       take_value(usage, option, NULL);
	if (!value) {
		value = next;
		*used = 1;
	}
	return value ? take_value(usage, option, value) :
		       wrong(usage, option, "wants a value");
}

static int take_long(const struct usage *usage, char *word, const char *next, int *used)
{
	size_t length = strcspn(word, "=");
	const char *value = word[length] ? word + length + 1 : NULL;

	if (length == 4 && !memcmp(word, "help", 4)) {
		if (value)
			return wrong(usage, &help_option, "takes no value");
		print_help(usage);
		return EXIT_ALL_WORKED;
	}
	for (const struct option *o = usage->options; o->name; o++)
		if (strlen(o->name) == length && !memcmp(o->name, word, length))
			return take(usage, o, value, next, used);
	word[length] = '\0';
	return unknown(usage, word);
}

/* One letter a word: "-o FILE" or "-oFILE". */
static int take_short(const struct usage *usage, const char *word, const char *next,
		      int *used)
{
	for (const struct option *o = usage->options; o->name; o++)
		if (o->letter == word[0])
			return take(usage, o, word[1] ? word + 1 : NULL, next, used);
	if (!strcmp(word, "h")) {
		print_help(usage);
		return EXIT_ALL_WORKED;
	}
	message("%s: There is no option \"-%s\"; \"userevents %s --help\" lists them.",
		usage->command, word, usage->command);
	return EXIT_WRONG_USAGE;
}

static int is_option(const char *word)
{
	return word[0] == '-' && word[1];
}

int options_parse(const struct usage *usage, int *argc, char ***argv)
{
	char **words = *argv + 1;
	int count = 0, i = 0, total = *argc - 1;

	while (i < total) {
		char *word = words[i++];
		int used = 0, status;

		if (!strcmp(word, "--"))
			break;
		if (!is_option(word)) {
			words[count++] = word;
			if (usage->stops_at_argument)
				break;
			continue;
		}
		if (word[1] == '-')
			status = take_long(usage, word + 2, words[i], &used);
		else
			status = take_short(usage, word + 1, words[i], &used);
		if (status != OPTIONS_GO_ON)
			return status;
		i += used;
	}
	while (i < total)
		words[count++] = words[i++];
	words[count] = NULL;
	*argc = count;
	*argv = words;
	return OPTIONS_GO_ON;
}
