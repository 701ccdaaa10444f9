/* SPDX-License-Identifier: MIT */
/*
 * userevents status: which events exist, and who listens to them.
 */
#include <stdio.h>
#include <stdlib.h>

#include <userevents/status.h>

#include "commands.h"
#include "glob.h"
#include "message.h"
#include "options.h"
#include "tracefs.h"

static const char *directory;

static const struct option options[] = {
	TRACEFS_OPTION(directory),
	{ 0 },
};

static const struct usage usage = {
	.command = "status",
	.arguments = "[GLOB...]",
	.help = "Prints the events that exist, or those whose name matches a GLOB, each\n"
		"with who listens to it: ftrace, perf, or another.\n",
	.options = options,
};

static void print_entry(const struct ue_status_entry *entry)
{
	printf("%.*s%s%s%s\n", (int)entry->name_length, entry->name,
	       entry->users & UE_USER_FTRACE ? " ftrace" : "",
	       entry->users & UE_USER_PERF ? " perf" : "",
	       entry->users & UE_USER_OTHER ? " other" : "");
}

int command_status(int argc, char **argv)
{
	int result, status = options_parse(&usage, &argc, &argv);
	struct words globs = { (const char **)argv, (size_t)argc };
	struct ue_status_entry entry;
	struct ue_status reading;
	size_t length;
	char *text;

	if (status != OPTIONS_GO_ON)
		return status;
	directory = tracefs_find(directory);
	text = directory ? tracefs_read(tracefs_path(directory, "user_events_status"),
					&length) : NULL;
	if (!text)
		return EXIT_FAILED;
	status = EXIT_ALL_WORKED;
	ue_status_begin(&reading, text, length);
	while ((result = ue_status_next(&reading, &entry)))
		if (result < 0)
			status = EXIT_FAILED;
		else if (glob_matches(&globs, "user_events", entry.name,
				      entry.name_length))
			print_entry(&entry);
	if (status)
		message("A line of user_events_status is not understood.");
	free(text);
	return status;
}
