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

/*
 * The order is that of --help: first those that a newcomer needs. A command without a
 * function is a program of its own, userevents-NAME, for the libraries that it needs.
 */
static const struct command commands[] = {
	{ "run", "Start a program and print its events, without root.", command_run },
	{ "doctor", "Find out why events do not arrive, and how to fix it.", command_doctor },
	{ "watch", "Print events as they happen.", command_watch },
	{ "top", "Show which events happen, and how often.", command_top },
	{ "record", "Record events into a file that perf script reads.", command_record },
	{ "decode", "Print recordings as text or JSON.", command_decode },
	{ "stat", "Count events by name, and by the values of a field.", command_stat },
	{ "hist", "Draw the distribution of a field.", command_hist },
	{ "stacks", "Count events by the functions that they come from.", command_stacks },
	{ "latency", "Find how long it takes from one event to another.", command_latency },
	{ "cost", "Measure what enabled events cost a program.", command_cost },
	{ "query", "Answer questions in SQL about events.", NULL },
	{ "report", "Write a page of HTML about events.", command_report },
	{ "export", "Write events in formats of other programs.", NULL },
	{ "collect", "Record and export events for months, as a service.", NULL },
	{ "ring", "Create files that programs write events into, without root.", command_ring },
	{ "list", "Print the events that exist, or those of a program.", command_list },
	{ "status", "Print the events that exist, and their listeners.", command_status },
	{ "losses", "Print what running processes lose, and why.", command_losses },
	{ "register", "Register events before their program runs.", command_register },
	{ "delete", "Delete events that are not in use.", command_delete },
	{ "write", "Write one event.", command_write },

	/* Control of the kernel. */
	{ "enable", "Switch events on, or print which are on.", command_enable },
	{ "disable", "Switch events off.", command_disable },
	{ "filter", "Let the kernel drop events that do not match.", command_filter },
	{ "trigger", "Let the kernel act when an event happens.", command_trigger },
	{ "khist", "Count the values of a field in the kernel.", command_khist },
	{ "klatency", "Measure in the kernel from one event to another.", command_klatency },
	{ "synth", "Let the kernel make one event of two.", command_synth },
	{ "probe", "Make events of functions of the kernel or a program.", command_probe },
	{ "cleanup", "Remove what killed commands left in the kernel.", command_cleanup },
};

static void print_help(void)
{
	printf("Usage: userevents COMMAND [OPTIONS] [ARGUMENTS]\n\nCommands:\n");
	for (size_t i = 0; i < COMMANDS; i++) {
		if (commands[i].run == command_enable)
			printf("\nCommands that control the kernel's tracing, as root:\n");
		printf("  %-10s %s\n", commands[i].name, commands[i].help);
	}
	printf("\n\"userevents COMMAND --help\" describes a command, \"userevents --version\" the"
	       "\nversion. The exit status is 0 for success, 1 for a failure, 2 "
	       "for wrong usage.\n");
}

static const struct command *find(const char *name)
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
	const struct command *command = find(argv[1]);

	if (!command)
		return complain_of(argv[1]);
	if (!command->run)
		return apart_run(command->name, argv);
	return command->run(argc - 1, argv + 1);
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
