/* SPDX-License-Identifier: MIT */
/*
 * Options of a command, parsed by getopt_long(3): --name, its abbreviations,
 * --name=VALUE, --name VALUE, and "--" before arguments that begin with a dash. Options
 * may stand between arguments, also with POSIXLY_CORRECT in the environment.
 *
 *	static const char *file;
 *	static int json;
 *	static const struct tool_option options[] = {
 *		{ .name = "json", .flag = &json, .help = "JSON instead of text." },
 *		{ .name = "output", .text = &file, .value = "FILE", .help = "..." },
 *		OPTIONS_END,
 *	};
 *	static const struct usage usage = {
 *		.command = "list", .arguments = "[GLOB...]", .help = "...",
 *		.options = options,
 *	};
 *	int status = options_parse(&usage, &argc, &argv);
 *
 *	if (status != OPTIONS_GO_ON)
 *		return status;
 */
#ifndef UE__TOOLS_CLI_OPTIONS_H
#define UE__TOOLS_CLI_OPTIONS_H

#include <stddef.h>
#include <stdint.h>

/* Words given one by one; items is NULL while there are none. Those of options stay. */
struct words {
	const char **items;
	size_t count;
};

/* One of flag, text, number and words is set: where the value goes. --help has none. */
struct tool_option {
	const char *name; /* without dashes; NULL ends the list */
	char letter;	  /* -o, or 0 */
	const char *value; /* its name in --help; NULL: the option takes none */
	const char *help; /* --help breaks the lines itself */
	int is_path;	  /* an empty value is refused */
	const char *once; /* it must not be repeated: the advice */
	int *flag;	  /* set to 1 */
	const char **text;
	uint64_t *number; /* decimal, or 0x; or with k, M, G: of 1024 */
	uint64_t least;	  /* for a number */
	struct words *words; /* the option may be repeated */
	const char *prefix;  /* for words: to tell options apart that share them */
};

struct usage {
	const char *command;
	const char *verb; /* for "cannot VERB"; NULL: the command */
	const char *arguments; /* the words after the options, for --help */
	const char *help;      /* some lines, the last with '\n' */
	const struct tool_option *options;
	const char *examples;  /* lines, each a command; or NULL */
	int stops_at_argument; /* leave options behind the first argument alone */
};

/* --help, and the end of the list. */
#define OPTIONS_END { .name = "help", .letter = 'h', .help = "This text." }, { 0 }

#define OPTIONS_GO_ON (-1)

/*
 * Take the options out of argv, which begins with the command's name. Afterwards argv has
 * argc arguments, and ends with NULL.
 *
 * Returns OPTIONS_GO_ON, or the exit status with which to end: after --help, or after a
 * message.
 */
int options_parse(const struct usage *usage, int *argc, char ***argv);

/* Print "cannot COMMAND: PROBLEM", and how to get help. Returns the exit status. */
int options_complain(const struct usage *usage, const char *problem, ...)
	__attribute__((format(printf, 2, 3)));

struct command {
	const struct usage *usage; /* NULL: it parses its options itself */
	/* Gets the arguments without options; without a usage, those from its name on. */
	int (*run)(int argc, char **argv);
};

/* Parse the options of a command and run it: its exit status. argv[0] is its name. */
int command_start(const struct command *command, int argc, char **argv);

/* Append a word; ends the program when there is no memory. */
void words_add(struct words *words, const char *word);
/* Free words that were allocated, each and all. */
void words_free(struct words *words);

/* A number as above, all of text. 0 or -EINVAL. */
int parse_number(const char *text, uint64_t *number);

/*
 * The word that differs least from the typed one, or NULL when none is near enough to
 * have been meant. table has count rows of this size, and each begins with its word.
 */
const char *nearest(const char *typed, const void *table, size_t count, size_t size);
/* nearest() of words that were allocated; they are freed, and so is the result, later. */
char *words_nearest(struct words *words, const char *typed);

/*
 * A correct definition as the kernel lists it, one blank after the name and "; " between
 * fields, to be freed.
 */
char *definition_canonical(const char *definition);
/*
 * A word that defines an event: the canonical definition to register, which has the fields
 * of EventHeader tracepoints if the word is only the name of one. "u:", with which
 * dynamic_events lists it, may stand before it. To be freed; NULL after a message.
 * place: " in FILE, line N", or "".
 */
const char *definition_complete(const char *text, uint32_t flags, const char *place);

#endif
