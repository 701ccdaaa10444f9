/* SPDX-License-Identifier: MIT */
/*
 * userevents status: which events exist, and who listens to them.
 */
#include <stdio.h>
#include <stdlib.h>

#include <userevents/status.h>

#include "commands.h"
#include "controls.h"
#include "eventheader_parts.h"
#include "glob.h"
#include "json.h"
#include "listeners.h"
#include "message.h"
#include "options.h"
#include "tracefs.h"

static const char *directory;
static int is_json;
static size_t printed, nameless;

static const struct option options[] = {
	{ .name = "json", .letter = 'j', .flag = &is_json,
	  .help = "JSON lines instead of text." },
	TRACEFS_OPTION(directory),
	{ 0 },
};

static const struct usage usage = {
	.command = "status",
	.arguments = "[GLOB...]",
	.help = "Prints the events that exist, or those whose name matches a GLOB, each\n"
		"with who listens to it: ftrace, perf, another, or nobody. Names of EventHeader\n"
		"events are taken apart.\n\n"
		"The exit status is 1 when there is none that a GLOB matches.\n",
	.options = options,
};

static void print_text(const struct ue_status_entry *entry, int width)
{
	int missing = width - (int)entry->name_length;

	controls_print(entry->name, entry->name_length);
	printf("%*s", (missing > 0 ? missing : 0) + 2, "");
	listeners_print(entry->users);
	eventheader_print("; ", entry->name, entry->name_length);
	putchar('\n');
}

static void print_json(const struct ue_status_entry *entry)
{
	putchar('{');
	json_member("event", entry->name, entry->name_length, 1);
	eventheader_print_json(entry->name, entry->name_length);
	listeners_print_json(entry->users);
	fputs("}\n", stdout);
}

static void print(const struct ue_status_entry *entry, int width)
{
	printed++;
	if (is_json)
		print_json(entry);
	else
		print_text(entry, width);
}

static int is_chosen(const struct ue_status_entry *entry, const struct words *globs)
{
	return glob_matches(globs, "user_events", entry->name, entry->name_length);
}

/* Of the column of names; a very long one does not count. */
#define WIDTH_MAX 40

static int width_of_names(const char *text, size_t length, const struct words *globs)
{
	struct ue_status_entry entry;
	struct ue_status reading;
	int result, width = 0;

	ue_status_begin(&reading, text, length);
	while ((result = ue_status_next(&reading, &entry)))
		if (result == 1 && is_chosen(&entry, globs) &&
		    entry.name_length <= WIDTH_MAX && (int)entry.name_length > width)
			width = (int)entry.name_length;
	return width;
}

/* The number of lines that are not understood. */
static int print_all(const char *text, size_t length, const struct words *globs)
{
	int result, wrong = 0, width = width_of_names(text, length, globs);
	struct ue_status_entry entry;
	struct ue_status reading;

	ue_status_begin(&reading, text, length);
	while ((result = ue_status_next(&reading, &entry)))
		if (result < 0)
			wrong++;
		else if (!entry.name_length)
			nameless++;
		else if (is_chosen(&entry, globs))
			print(&entry, width);
	return wrong;
}

int command_status(int argc, char **argv)
{
	int wrong, status = options_parse(&usage, &argc, &argv);
	struct words globs = { (const char **)argv, (size_t)argc };
	const char *path;
	size_t length;
	char *text;

	if (status != OPTIONS_GO_ON)
		return status;
	directory = tracefs_find(directory);
	if (!directory)
		return EXIT_FAILED;
	path = tracefs_path(directory, "user_events_status");
	text = tracefs_read(path, &length);
	if (!text)
		return EXIT_FAILED;
	wrong = print_all(text, length, &globs);
	free(text);
	if (nameless)
		message("%zu event%s without a name %s not shown.", nameless,
			nameless == 1 ? "" : "s", nameless == 1 ? "is" : "are");
	if (wrong)
		message("%s has %d line%s that no Linux writes.", path, wrong,
			wrong == 1 ? "" : "s");
	return wrong || !globs_found(&globs, printed) ? EXIT_FAILED : EXIT_ALL_WORKED;
}
