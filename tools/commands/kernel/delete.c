/* SPDX-License-Identifier: MIT */
/*
 * userevents delete deletes events that are no longer in use; userevents cleanup removes
 * leftovers of killed commands.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <userevents/event.h>

#include "kernel_commands.h"
#include "kernel/tracefs/tracing_files.h"
#include "common/records/tracepoint.h"
#include "common/cli/memory.h"
#include "common/cli/message.h"
#include "common/cli/options.h"
#include "kernel/control/instance.h"

static const char *directory;
static int all, is_dynamic;

static const struct tool_option options[] = {
	{ .name = "all", .letter = 'a', .flag = &all,
	  .help = "Delete all events that are not in use, of all programs." },
	{ .name = "dynamic-events", .flag = &is_dynamic,
	  .help = "Write to dynamic_events of tracefs instead of\n"
		  "user_events_data." },
	TRACEFS_OPTION(directory),
	OPTIONS_END,
};

static const struct usage usage = {
	.command = "delete",
	.arguments = "GLOB...",
	.help = "Deletes events from the system, and prints their names. Needed for events of\n"
		"\"register\" with --persist or --dynamic-events, and up to Linux 6.3 for all;\n"
		"from 6.4 on the kernel deletes others with their last user. Events in use are\n"
		"not deleted; the exit status is then 1.\n",
	.options = options,
};

/* The events that a GLOB matches, each once. */

static int has_word(const struct words *words, const char *text, size_t length)
{
	for (size_t i = 0; i < words->count; i++)
		if (strlen(words->items[i]) == length &&
		    !memcmp(words->items[i], text, length))
			return 1;
	return 0;
}

static int add_name(const struct tracepoint *tracepoint, void *context)
{
	/* several formats may have one name */
	size_t length = event_name_length(tracepoint);
	struct words *names = context;

	if (!has_word(names, tracepoint->name, length))
		words_add(names, xstrndup(tracepoint->name, length));
	return 0;
}

/* Add the names of events that match: 0, or an exit status after a message. */
static int find(const char *glob, struct words *names)
{
	struct words globs = { &glob, glob ? 1 : 0 };
	size_t before = names->count;

	if (events_each(directory, &globs, add_name, names))
		return EXIT_FAILED;
	return globs_found(&globs, names->count - before) ? 0 : EXIT_FAILED;
}

/* "*" is rarely meant: it deletes events of the whole system. */
static int is_everything(const char *glob)
{
	const char *colon = strchr(glob, ':');
	const char *name = colon ? colon + 1 : glob;

	return strchr(name, '*') && !name[strspn(name, "*?")];
}

static int is_glob(const char *word)
{
	return word[strcspn(word, "*?[:")] != '\0';
}

static int find_all(int count, char **words, struct words *names)
{
	int status = 0;

	for (int i = 0; i < count; i++) {
		if (is_glob(words[i]))
			status |= find(words[i], names);
		else
			words_add(names, words[i]);
	}
	return all ? find(NULL, names) : status;
}

static int delete(const char *name, const struct ue_open_opts *opts)
{
	int result = ue_delete(name, opts);

	if (!result) {
		printf("%s\n", name);
		return 0;
	}
	message("cannot delete %s: %s", name, ue_explain(UE_CALL_DELETE, result));
	return EXIT_FAILED;
}

/* Globs need tracefs, to find the events that match. */
static int check(int argc, char **argv)
{
	int wants_tracefs = all || is_dynamic;

	if (!argc && !all)
		return options_complain(&usage, "no event is given");
	if (argc && all)
		return options_complain(&usage, "--all and names exclude each other");
	for (int i = 0; i < argc; i++) {
		if (!*argv[i]) {
			message("cannot delete \"\": it is not the name of an event");
			return EXIT_WRONG_USAGE;
		}
		if (is_everything(argv[i])) {
			message("cannot delete \"%s\": that is the events of all programs; use "
				"--all to delete them", argv[i]);
			return EXIT_WRONG_USAGE;
		}
		wants_tracefs |= is_glob(argv[i]);
	}
	if (wants_tracefs)
		directory = tracing_find(directory);
	return wants_tracefs && !directory ? EXIT_FAILED : 0;
}

static int command_delete(int argc, char **argv)
{
	struct words names = { NULL, 0 };
	struct ue_open_opts opts;
	int status = check(argc, argv);

	if (status)
		return status;
	if (is_dynamic) {
		const struct words globs = { (const char **)argv, (size_t)argc };

		return dynamic_events_delete(directory, &globs) ? EXIT_FAILED : EXIT_ALL_WORKED;
	}
	status = find_all(argc, argv, &names);
	opts = session_opts(directory);
	if (tracing_lacks_user_events(directory))
		return EXIT_FAILED;
	for (size_t i = 0; i < names.count; i++)
		status |= delete(names.items[i], &opts);
	return status;
}

const struct command delete_command = { &usage, command_delete };

/* cleanup */

static int is_rehearsal;

static const struct tool_option cleanup_options[] = {
	{ .name = "dry-run", .letter = 'n', .flag = &is_rehearsal,
	  .help = "Print what would be removed, and remove nothing." },
	TRACEFS_OPTION(directory),
	OPTIONS_END,
};

static const struct usage cleanup_usage = {
	.command = "cleanup",
	.verb = "clean up",
	.arguments = "",
	.help = "Removes what commands of userevents left when they were killed (SIGKILL, or\n"
		"for want of memory): tracing instances with their triggers, synthetic events\n"
		"and probes. It prints each. The names of these hold the process that made\n"
		"them; those of processes that run are left, and so are those of other pid\n"
		"namespaces (containers), which are reported.\n",
	.options = cleanup_options,
};

static int command_cleanup(int argc, char **argv)
{
	(void)argv;
	if (argc)
		return options_complain(&cleanup_usage, "it takes no arguments");
	directory = tracing_find(directory);
	if (!directory || control_lock(directory) ||
	    leftovers_remove(directory, is_rehearsal))
		return EXIT_FAILED;
	return EXIT_ALL_WORKED;
}

const struct command cleanup_command = { &cleanup_usage, command_cleanup };
