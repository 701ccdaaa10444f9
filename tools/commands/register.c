/* SPDX-License-Identifier: MIT */
/*
 * userevents register: registers events before the program that writes them runs, so that
 * tools can listen to them from the beginning.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <userevents/event.h>

#include "commands.h"
#include "common/cli/memory.h"
#include "common/cli/message.h"
#include "common/cli/options.h"
#include "kernel/control/instance.h"
#include "common/process/process_losses.h"
#include "kernel/tracefs/tracing_files.h"

static const char *directory;
static struct words files, programs;
static int waits, is_persistent, is_multi, is_dynamic;

static const struct tool_option options[] = {
	{ .name = "file", .letter = 'f', .words = &files, .value = "FILE", .is_path = 1,
	  .help = "Take definitions from FILE, one a line; \"-\" is standard\n"
		  "input, '#' begins a comment. May be repeated." },
	{ .name = "from", .words = &programs, .value = "PROGRAM", .is_path = 1,
	  .help = "Take the events that a program or shared object defines\n"
		  "(\"userevents list PROGRAM\"). May be repeated." },
	{ .name = "wait", .letter = 'w', .flag = &waits,
	  .help = "Stay, and keep the events, until a signal comes (Ctrl-C)." },
	{ .name = "persist", .flag = &is_persistent,
	  .help = "They stay until \"userevents delete\" (Linux 6.7; root)." },
	{ .name = "multi-format", .flag = &is_multi,
	  .help = "Beside others of the name with other fields (Linux 6.9)." },
	{ .name = "dynamic-events", .flag = &is_dynamic,
	  .help = "Write them to dynamic_events of tracefs. They stay until\n"
		  "\"userevents delete\" (not Linux 6.4 to 6.6; root). All of\n"
		  "them are created, or none." },
	TRACEFS_OPTION(directory),
	OPTIONS_END,
};

static const struct usage usage = {
	.command = "register",
	.arguments = "[DEFINITION...]",
	.help = "Registers events, and prints the name of each that is. A definition is a name\n"
		"and fields, \"request_done u32 status; __rel_loc char[] path\"; for the name of an\n"
		"EventHeader tracepoint alone, such as Shop_L4K1, the fields are known. It may\n"
		"begin with \"u:\", as in dynamic_events of tracefs.\n\n"
		"From Linux 6.4 on an event goes away with its last user, so --wait, --persist or\n"
		"--dynamic-events is needed. Up to 6.3 it stays until \"userevents delete\".\n",
	.options = options,
};

/* Complete, and checked. */
static struct {
	const char *definition;
	uint32_t flags;
} *events;
static size_t event_count;

static uint32_t flags(void)
{
	return (is_persistent ? UE_EVENT_PERSIST : 0) | (is_multi ? UE_EVENT_MULTI_FORMAT : 0);
}

static int add(const char *text, uint32_t event_flags, const char *place)
{
	const char *definition = definition_complete(text, event_flags, place);

	if (!definition)
		return EXIT_WRONG_USAGE;
	events = xgrow(events, event_count, sizeof(*events));
	events[event_count].definition = definition;
	events[event_count++].flags = event_flags;
	return 0;
}

/* Remove the comment, and blanks at both ends. */
static char *trim(char *line)
{
	char *comment = strchr(line, '#'), *end;

	if (comment)
		*comment = '\0';
	line += strspn(line, " \t");
	end = line + strlen(line);
	while (end > line && strchr(" \t\r\n", end[-1]))
		end--;
	*end = '\0';
	return line;
}

static int add_lines(FILE *file, const char *name)
{
	int status = 0, number = 0;
	char place[4200];
	AUTO_FREE char *line = NULL;
	size_t room = 0;

	while (getline(&line, &room, file) >= 0) {
		char *text = trim(line);
		int result;

		number++;
		snprintf(place, sizeof(place), " in %s, line %d", name, number);
		result = *text ? add(text, flags(), place) : 0;
		status = status ? status : result;
	}
	if (!ferror(file))
		return status;
	message("cannot read %s: %s", name, strerror(errno));
	return EXIT_FAILED;
}

static int add_file(const char *name)
{
	int is_stdin = !strcmp(name, "-"), status;
	FILE *file = is_stdin ? stdin : fopen(name, "re");

	if (!file) {
		message("cannot read %s: %s", name, strerror(errno));
		return EXIT_FAILED;
	}
	status = add_lines(file, is_stdin ? "standard input" : name);
	if (!is_stdin)
		fclose(file);
	return status;
}

/* Also with the flags that they have in the program, as it would register them. */
static int add_program(const char *path)
{
	AUTO(defined_events_free) struct defined_events defined;
	const char *why = defined_events_open(&defined, path);
	AUTO_FREE char *place = xprintf(" of %s", path);
	int status = why || !defined.count ? EXIT_FAILED : 0;

	if (why)
		message("cannot register all events of %s: %s", path, why);
	else if (!defined.count)
		message("cannot register the events of %s: it has no UE_EVENT() or "
			"UE_TRACEPOINT()", path);
	for (size_t i = 0; i < defined.count; i++) {
		const struct defined_event *event = &defined.events[i];

		if (!event->problem && !add(event->definition, event->flags | flags(), place))
			continue;
		if (event->problem)
			message("cannot register \"%s\"%s: %s", event->definition, place,
				event->problem);
		status = EXIT_FAILED;
	}
	return status;
}

static int take_definitions(int argc, char **argv)
{
	int status = 0;

	for (int i = 0; i < argc; i++) {
		int result = add(argv[i], flags(), "");

		status = status ? status : result;
	}
	for (size_t i = 0; i < files.count; i++) {
		int result = add_file(files.items[i]);

		status = status ? status : result;
	}
	for (size_t i = 0; i < programs.count; i++) {
		int result = add_program(programs.items[i]);

		status = status ? status : result;
	}
	if (!status && !event_count)
		return options_complain(&usage, "no event is given");
	return status;
}

static int register_one(int fd, const char *definition, uint32_t event_flags)
{
	if (!session_register(fd, definition, event_flags))
		return EXIT_FAILED;
	printf("%.*s\n", (int)strcspn(definition, " "), definition);
	return 0;
}

static void wait_for_signal(void)
{
	sigset_t signals;
	int number;

	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGHUP);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	/* a program may be waiting for the names */
	fflush(stdout);
	while (sigwait(&signals, &number))
		;
}

/* An event that the kernel deletes at once is of no use. */
static int check_lifetime(int fd)
{
	if (waits || is_persistent || ue_abi(fd) == UE_ABI_STATUS_PAGE)
		return 0;
	message("cannot register: this kernel deletes an event with its last user; use --wait "
		"to stay one, --persist or --dynamic-events");
	return EXIT_WRONG_USAGE;
}

/* Events without a program, through dynamic_events */
static int create_all(void)
{
	struct words definitions = { 0 };
	int status = EXIT_ALL_WORKED;

	for (size_t i = 0; i < event_count; i++) {
		words_add(&definitions, events[i].definition);
		if (!(events[i].flags & UE_EVENT_MULTI_FORMAT))
			continue;
		message("cannot create %.*s: its program registers it with UE_EVENT_MULTI_FORMAT, "
			"which dynamic_events does not have; leave out --dynamic-events",
			(int)strcspn(events[i].definition, " "), events[i].definition);
		status = EXIT_FAILED;
	}
	directory = status ? NULL : tracing_find(directory);
	return directory && !dynamic_events_create(directory, &definitions) ? EXIT_ALL_WORKED :
									      EXIT_FAILED;
}

static int command_register(int argc, char **argv)
{
	int fd, status;

	if (is_dynamic && (waits || is_persistent || is_multi))
		return options_complain(&usage, "--dynamic-events excludes --wait, --persist and "
					"--multi-format");
	status = take_definitions(argc, argv);
	if (status)
		return status;
	if (is_dynamic)
		return create_all();
	fd = session_open(directory);
	if (fd < 0)
		return EXIT_FAILED;
	status = check_lifetime(fd);
	for (size_t i = 0; status != EXIT_WRONG_USAGE && i < event_count; i++)
		status |= register_one(fd, events[i].definition, events[i].flags);
	if (!status && waits)
		wait_for_signal();
	ue_close(fd);
	return status;
}

const struct command register_command = { &usage, command_register };
