/* SPDX-License-Identifier: MIT */
/*
 * userevents: shows, defines and writes user events from a shell.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "commands/commands.h"
#include "cli/message.h"
#include "cli/program.h"
#include "cli/options.h"

#define COMMANDS (sizeof(commands) / sizeof(commands[0]))

/* In the order of --help: first those that a newcomer needs. */
static const struct command commands[] = {
	{ "run", "Start a program and print its events, without root.", command_run },
	{ "doctor", "Find out why events do not arrive, and how to fix it.", command_doctor },
	{ "watch", "Print events as they happen.", command_watch },
	{ "top", "Show which events happen, and how often.", command_top },
	{ "record", "Record events into a file that perf script reads.", command_record },
	{ "decode", "Print recordings as text or JSON.", command_decode },
	{ "stat", "Count events by name, and by the values of a field.", command_stat },
	{ "hist", "Draw the distribution of a field.", command_hist },
	{ "latency", "Find how long it takes from one event to another.", command_latency },
	{ "query", "Answer questions in SQL about events.", command_query },
	{ "report", "Write a page of HTML about events.", command_report },
	{ "export", "Write events in formats of other programs.", command_export },
	{ "collect", "Record and export events for months, as a service.", command_collect },
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

/* A pipe without a reader. The write that failed may have been long ago. */
static int has_no_reader(int fd)
{
	struct pollfd poll_fd = { .fd = fd };

	return poll(&poll_fd, 1, 0) == 1 && poll_fd.revents & POLLERR;
}

/* Output that did not arrive, because of a full disk or a closed pipe, is a failure. */
static int finish(int status)
{
	int failed = ferror(stdout), is_wanted = !has_no_reader(STDOUT_FILENO);

	errno = 0;
	if (!fclose(stdout) && !failed)
		return status;
	if (is_wanted)
		message("cannot write the output: %s",
			errno ? strerror(errno) : "an earlier write failed");
	return status ? status : EXIT_FAILED;
}

static int is_help(const char *text)
{
	return !strcmp(text, "--help") || !strcmp(text, "-h");
}

static int help_of(char *name)
{
	const struct command *command = find(name);
	char option[] = "--help";
	char *words[] = { name, option, NULL };

	return command ? command->run(2, words) : complain_of(name);
}

/*
 * If a standard descriptor is closed, the next file that the tool opens must not take its
 * number. /dev/null takes it, refuses writes, and is closed again in programs that the
 * tool starts.
 */
static void fill_standard(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

int main(int argc, char **argv)
{
	const struct command *command;

	fill_standard();
	signals_ignore();
	if (argc < 2) {
		message("cannot start: no command is given; \"userevents --help\" lists them");
		return EXIT_WRONG_USAGE;
	}
	if (argc > 2 && !strcmp(argv[1], "help")) /* "help run" is "run --help" */
		return finish(help_of(argv[2]));
	if (!strcmp(argv[1], "help") || is_help(argv[1])) {
		print_help();
		return finish(EXIT_ALL_WORKED);
	}
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
		printf("userevents %s\n", UE__VERSION);
		return finish(EXIT_ALL_WORKED);
	}
	command = find(argv[1]);
	if (!command)
		return finish(complain_of(argv[1]));
	return finish(command->run(argc - 1, argv + 1));
}
