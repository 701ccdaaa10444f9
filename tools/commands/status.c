/* SPDX-License-Identifier: MIT */
/*
 * userevents status: prints the events that exist, and their listeners.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <userevents/decode/status.h>

#include "commands.h"
#include "common/cli/message.h"
#include "common/output/printer.h"
#include "common/records/tracepoint.h"
#include "common/cli/memory.h"
#include "common/cli/options.h"
#include "kernel/tracefs/tracing_files.h"

static const char *directory;
static int is_json;

static const struct tool_option options[] = {
	{ .name = "json", .letter = 'j', .flag = &is_json,
	  .help = "JSON lines instead of text." },
	TRACEFS_OPTION(directory),
	OPTIONS_END,
};

static const struct usage usage = {
	.command = "status",
	.verb = "show the status",
	.arguments = "[GLOB...]",
	.help = "Prints the events that exist, or those whose name matches a GLOB, each with its\n"
		"listeners: ftrace, perf, other, or none. Names of EventHeader events are split\n"
		"into their parts.\n\n"
		"The exit status is 1 if no event matches a GLOB.\n",
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

/* Entries sorted by name; the kernel lists them by hash. */
struct seen {
	struct ue_status_entry *entries; /* of names that match */
	size_t count;
	size_t nameless;
	size_t wrong; /* lines */
};

static void add(struct seen *seen, const struct ue_status_entry *entry)
{
	seen->entries = xgrow(seen->entries, seen->count, sizeof(*entry));
	seen->entries[seen->count++] = *entry;
}

static int by_name(const void *a, const void *b)
{
	const struct ue_status_entry *x = a, *y = b;
	size_t length = x->name_length < y->name_length ? x->name_length : y->name_length;
	int order = memcmp(x->name, y->name, length);

	return order ? order : (x->name_length > y->name_length) -
			       (x->name_length < y->name_length);
}

static void read_all(const char *text, size_t length, const struct words *globs,
		     struct seen *seen)
{
	struct ue_status_entry entry;
	struct ue_status reading;
	int is_entry;

	ue_status_begin(&reading, text, length);
	while ((is_entry = ue_status_next(&reading, &entry)))
		if (is_entry < 0)
			seen->wrong++;
		else if (!entry.name_length)
			seen->nameless++;
		else if (glob_matches(globs, "user_events", entry.name, entry.name_length))
			add(seen, &entry);
	if (seen->count)
		qsort(seen->entries, seen->count, sizeof(entry), by_name);
}

/* Longer names do not widen the column. */
#define WIDTH_MAX 40

static int width_of_names(const struct seen *seen)
{
	size_t width = 0;

	for (size_t i = 0; i < seen->count; i++)
		if (seen->entries[i].name_length <= WIDTH_MAX &&
		    seen->entries[i].name_length > width)
			width = seen->entries[i].name_length;
	return (int)width;
}

static void print_all(const struct seen *seen)
{
	int width = width_of_names(seen);

	for (size_t i = 0; i < seen->count; i++)
		if (is_json)
			print_json(&seen->entries[i]);
		else
			print_text(&seen->entries[i], width);
}

static void report_rest(const struct seen *seen, const char *path)
{
	if (seen->nameless)
		message("%zu event%s without a name %s not shown.", seen->nameless,
			seen->nameless == 1 ? "" : "s", seen->nameless == 1 ? "is" : "are");
	if (seen->wrong)
		message("cannot parse %zu line%s of %s: no Linux writes such lines",
			seen->wrong, seen->wrong == 1 ? "" : "s", path);
}

static int command_status(int argc, char **argv)
{
	int status;
	struct words globs = { (const char **)argv, (size_t)argc };
	struct seen seen = { 0 };
	const char *path;
	size_t length;
	AUTO_FREE char *text = NULL;

	directory = tracing_find(directory);
	if (!directory || tracing_lacks_user_events(directory))
		return EXIT_FAILED;
	path = tracing_path(directory, "user_events_status");
	text = tracing_read(path, &length);
	if (!text)
		return EXIT_FAILED;
	read_all(text, length, &globs, &seen);
	print_all(&seen);
	report_rest(&seen, path);
	if (!globs.count && !seen.count && !seen.nameless && !seen.wrong)
		events_report_none();
	status = seen.wrong || !globs_found(&globs, seen.count) ? EXIT_FAILED : 0;
	free(seen.entries);
	return status;
}

const struct command status_command = { &usage, command_status };
