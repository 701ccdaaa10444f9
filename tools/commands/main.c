/* SPDX-License-Identifier: MIT */
/*
 * userevents: shows, defines and writes user events from a shell.
 */
#include <stdio.h>
#include <string.h>

#include "common/cli/message.h"
#include "common/cli/options.h"
#include "common/cli/program.h"
#include "commands.h"
#include "kernel/kernel_commands.h"

#define COMMANDS (sizeof(commands) / sizeof(commands[0]))

#define COMMAND(name, help) { #name, help, &name##_command }
/*
 * The order is that of --help: first those that a newcomer needs. Some are
 * programs of their own, for the libraries that they need.
 */
static const struct row {
	const char *name, *help;
	const struct command *command; /* NULL: userevents-NAME has it */
} commands[] = {
	COMMAND(run, "Start a program and print its events, without root."),
	COMMAND(doctor, "Find out why events do not arrive, and how to fix it."),
	COMMAND(watch, "Print events as they happen."),
	COMMAND(top, "Show which events happen, and how often."),
	COMMAND(record, "Record events into a file that perf script reads."),
	COMMAND(decode, "Print recordings as text or JSON."),
	COMMAND(stat, "Count events by name, and by the values of a field."),
	COMMAND(hist, "Draw the distribution of a field."),
	COMMAND(stacks, "Count events by the functions that they come from."),
	COMMAND(latency, "Find how long it takes from one event to another."),
	COMMAND(cost, "Measure what enabled events cost a program."),
	{ "query", "Answer questions in SQL about events.", NULL },
	COMMAND(report, "Write a page of HTML about events."),
	{ "export", "Write events in formats of other programs.", NULL },
	{ "collect", "Record and export events for months, as a service.", NULL },
	COMMAND(ring, "Create files that programs write events into, without root."),
	COMMAND(list, "Print the events that exist, or those of a program."),
	COMMAND(status, "Print the events that exist, and their listeners."),
	COMMAND(losses, "Print what running processes lose, and why."),
	COMMAND(register, "Register events before their program runs."),
	COMMAND(delete, "Delete events that are not in use."),
	COMMAND(write, "Write one event."),

	/* Control of the kernel. */
	COMMAND(enable, "Switch events on, or print which are on."),
	COMMAND(disable, "Switch events off."),
	COMMAND(filter, "Let the kernel drop events that do not match."),
	COMMAND(trigger, "Let the kernel act when an event happens."),
	COMMAND(khist, "Count the values of a field in the kernel."),
	COMMAND(klatency, "Measure in the kernel from one event to another."),
	COMMAND(synth, "Let the kernel make one event of two."),
	COMMAND(probe, "Make events of functions of the kernel or a program."),
	COMMAND(cleanup, "Remove what killed commands left in the kernel."),
};

static void print_help(void)
{
	printf("Usage: userevents COMMAND [OPTIONS] [ARGUMENTS]\n\nCommands:\n");
	for (size_t i = 0; i < COMMANDS; i++) {
		if (commands[i].command == &enable_command)
			printf("\nCommands that control the kernel's tracing, as root:\n");
		printf("  %-10s %s\n", commands[i].name, commands[i].help);
	}
	printf("\n\"userevents COMMAND --help\" describes a command, \"userevents --version\" the"
	       "\nversion. The exit status is 0 for success, 1 for a failure, 2 "
	       "for wrong usage.\n");
}

static const struct row *find(const char *name)
{
	for (size_t i = 0; i < COMMANDS; i++)
		if (!strcmp(commands[i].name, name))
			return &commands[i];
	return NULL;
}

static int complain_of(const char *name)
{
	const char *near = nearest(name, commands, COMMANDS, sizeof(commands[0]));

	if (near)
		message("cannot run \"%s\": there is no such command; did you mean \"%s\"?",
			name, near);
	else
		message("cannot run \"%s\": there is no such command; \"userevents --help\" "
			"lists them", name);
	return EXIT_WRONG_USAGE;
}

static int is_help(const char *text)
{
	return !strcmp(text, "--help") || !strcmp(text, "-h");
}

/* argv[1] is the name of a command. */
static int run(int argc, char **argv)
{
	const struct row *row = find(argv[1]);

	if (!row)
		return complain_of(argv[1]);
	if (!row->command)
		return apart_run(row->name, argv);
	return command_start(row->command, argc - 1, argv + 1);
}

static int help_of(char *tool, char *name)
{
	char option[] = "--help";
	char *words[] = { tool, name, option, NULL };

	return run(3, words);
}

int main(int argc, char **argv)
{
	tool_begin();
	if (argc < 2) {
		message("cannot start: no command is given; \"userevents --help\" lists them");
		return EXIT_WRONG_USAGE;
	}
	if (argc > 2 && !strcmp(argv[1], "help")) /* "help run" is "run --help" */
		return tool_end(help_of(argv[0], argv[2]));
	if (!strcmp(argv[1], "help") || is_help(argv[1])) {
		print_help();
		return tool_end(EXIT_ALL_WORKED);
	}
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
		printf("userevents %s\n", UE__VERSION);
		return tool_end(EXIT_ALL_WORKED);
	}
	return tool_end(run(argc, argv));
}
