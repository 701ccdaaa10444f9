/* SPDX-License-Identifier: MIT */
/*
 * userevents synth: makes, lists and deletes synthetic events.
 */
#include <stdlib.h>
#include <string.h>

#include "common/cli/message.h"
#include "common/cli/options.h"
#include "kernel/control/instance.h"
#include "kernel/synth/synth.h"
#include "kernel/tracefs/tracing_files.h"
#include "kernel_commands.h"

static const char *directory;

/* create */

static const char *instance = SYNTH_INSTANCE;
static int discards;
static struct synth_wish wish = { .size = SYNTH_SIZE_DEFAULT };

static const struct tool_option create_options[] = {
	{ .name = "from", .text = &wish.from, .value = "EVENT", .help = "The first event." },
	{ .name = "to", .text = &wish.to, .value = "EVENT", .help = "The second event." },
	{ .name = "key", .letter = 'k', .words = &wish.keys, .value = "FIELD[=FIELD]",
	  .help = "The two events are a pair if this field is equal in them, or\n"
		  "the first field of the first event is equal to the second\n"
		  "field of the second one. Up to three (Linux 6.12)." },
	{ .name = "field", .letter = 'f', .words = &wish.fields, .value = "[NAME=]VALUE",
	  .help = "A field of the synthetic event (above). May be repeated." },
	{ .name = "on", .text = &wish.on, .value = "WHEN",
	  .help = "match: for each pair, which is the default. max:FIELD: if\n"
		  "this field of the synthetic event, a number without sign, is\n"
		  "larger than before for its key. change:FIELD: if this number\n"
		  "is another one than before for its key. Without FIELD, the\n"
		  "elapsed time." },
	{ .name = "save", .text = &wish.save, .value = "FIELD,...",
	  .help = "With max or change: keep these fields of the second event for\n"
		  "each key, for \"synth list\"." },
	{ .name = "snapshot", .flag = &wish.snapshot,
	  .help = "With max or change: swap the instance's buffer with its\n"
		  "snapshot, once the value is the largest of all keys, or changed." },
	{ .name = "where-from", .text = &wish.where_from, .value = "FILTER",
	  .help = "First events for which this filter of the kernel holds." },
	{ .name = "where-to", .text = &wish.where_to, .value = "FILTER",
	  .help = "Second events for which this filter of the kernel holds." },
	{ .name = "instance", .letter = 'i', .text = &instance, .value = "NAME", .is_path = 1,
	  .help = "Work in this tracing instance, which is made if it does not\n"
		  "exist, instead of in \"" SYNTH_INSTANCE "\"." },
	{ .name = "discard", .flag = &discards,
	  .help = "Go on if events are recorded in the instance, which the kernel\n"
		  "discards as time is measured." },
	{ .name = "size", .number = &wish.size, .value = "KEYS",
	  .help = "Keep as many keys (128 to 131072, which is the default, up to\n"
		  "Linux 6.12)." },
	TRACEFS_OPTION(directory),
	OPTIONS_END,
};

static const struct usage create_usage = {
	.command = "synth create",
	.verb = "create a synthetic event",
	.arguments = "'NAME TYPE FIELD; ...' | NAME --from...",
	.help =
		"Defines a synthetic event that something else writes, or one that the kernel\n"
		"writes for two events with the same key:\n\n"
		"    userevents synth create request --from req_start --to req_done --key id \\\n"
		"        --field id --field from.path --field latency=elapsed.us\n\n"
		"Each VALUE is a field of one of the two events, FIELD of the second one or\n"
		"else of the first one, from.FIELD, to.FIELD, or the time between the two,\n"
		"elapsed.ns or elapsed.us. The event's fields have the types of these values.\n"
		"Numbers and texts can be used. Up to Linux 6.3, texts of user events cannot.\n\n"
		"TYPE is u8 to u64, s8 to s64, bool, char, int, long, both also unsigned, pid_t\n"
		"or gfp_t, and what else the kernel has. Texts are char FIELD[] or char\n"
		"FIELD[LENGTH].\n\n"
		"The kernel keeps each key until the event is deleted: after 131072 different\n"
		"keys it drops events, which \"synth list\" reports. The event is enabled in the\n"
		"instance. perf refuses synthetic events, so \"record\" and \"watch\" do not\n"
		"either; trace-cmd and the instance's trace_pipe do. A FIELD of a key can be\n"
		"common_pid or common_cpu. A name with a prefix, SYSTEM:NAME, is an event of\n"
		"another system than user_events.\n",
	.options = create_options,
};

static int is_pair(void)
{
	return wish.from || wish.to || wish.keys.count || wish.fields.count || wish.on ||
	       wish.save || wish.snapshot || wish.where_from || wish.where_to;
}

static int check_pair(void)
{
	if (!wish.from || !wish.to)
		return options_complain(&create_usage, "an event of two needs %s",
					wish.from ? "--to" : "--from");
	if (!wish.keys.count)
		return options_complain(&create_usage, "an event of two needs --key");
	if (!wish.fields.count)
		return options_complain(&create_usage, "an event of two needs a --field");
	return 0;
}

static int create(int argc, char **argv)
{
	int status;

	if (argc != 1)
		return options_complain(&create_usage, argc ? "a definition is one argument; put "
					"it in quotes" : "no event is given");
	wish.name = argv[0];
	status = is_pair() ? check_pair() : 0;
	if (status)
		return status;
	directory = tracing_find(directory);
	if (!directory || control_lock(directory))
		return EXIT_FAILED;
	if (is_pair())
		return synth_create(directory, instance, &wish, discards) ? EXIT_FAILED : 0;
	return synth_define(directory, argv[0]) ? EXIT_FAILED : 0;
}

/* list */

static int is_json;

static const struct tool_option list_options[] = {
	{ .name = "json", .letter = 'j', .flag = &is_json,
	  .help = "JSON lines instead of text." },
	TRACEFS_OPTION(directory),
	OPTIONS_END,
};

static const struct usage list_usage = {
	.command = "synth list",
	.verb = "list synthetic events",
	.arguments = "[NAME...]",
	.help = "Prints the synthetic events that exist, with their fields; for each trigger that\n"
		"writes one the events it is made of, its instance, how many events it counted,\n"
		"and how many keys it keeps and dropped events it had; and what --on max and\n"
		"--on change saved, of each trigger the largest 20 values, or with --json all.\n\n"
		"The exit status is 1 if one of the names does not exist.\n",
	.options = list_options,
};

static int list(int argc, char **argv)
{
	const struct words names = { (const char **)argv, (size_t)argc };

	directory = tracing_find(directory);
	return directory && !synth_list(directory, &names, is_json) ? 0 : EXIT_FAILED;
}

/* delete */

static int all_unused;

static const struct tool_option delete_options[] = {
	{ .name = "all-unused", .flag = &all_unused,
	  .help = "Delete all that no trigger writes or uses and that are enabled\n"
		  "nowhere." },
	TRACEFS_OPTION(directory),
	OPTIONS_END,
};

static const struct usage delete_usage = {
	.command = "synth delete",
	.verb = "delete a synthetic event",
	.arguments = "NAME...",
	.help = "Deletes synthetic events, and prints their names: first the triggers that\n"
		"\"synth create\" set for an event, then the event, and the instance\n"
		"\"" SYNTH_INSTANCE "\" once nothing is enabled or triggered there. An event that\n"
		"others use is left as it is, and the message names the user; the exit status\n"
		"is then 1.\n",
	.options = delete_options,
};

static int delete(int argc, char **argv)
{
	const struct words names = { (const char **)argv, (size_t)argc };

	if (!argc && !all_unused)
		return options_complain(&delete_usage, "no event is given");
	if (argc && all_unused)
		return options_complain(&delete_usage, "--all-unused and names exclude "
					"each other");
	directory = tracing_find(directory);
	if (!directory || control_lock(directory))
		return EXIT_FAILED;
	if (all_unused)
		return synth_delete_unused(directory) ? EXIT_FAILED : 0;
	return synth_delete(directory, &names) ? EXIT_FAILED : 0;
}

/* synth */

static const struct {
	const char *name;
	struct command command;
} verbs[] = {
	{ "create", { &create_usage, create } },
	{ "list", { &list_usage, list } },
	{ "delete", { &delete_usage, delete } },
};

#define VERBS (sizeof(verbs) / sizeof(*verbs))

static const struct tool_option options[] = { OPTIONS_END };

static const struct usage usage = {
	.command = "synth",
	.verb = "handle synthetic events",
	.arguments = "create|list|delete ...",
	.help = "Lets the kernel make one event of two. \"userevents synth create --help\", and\n"
		"so on, describes each.\n",
	.options = options,
	.stops_at_argument = 1,
};

static int command_synth(int argc, char **argv)
{
	const char *near;

	if (!argc)
		return options_complain(&usage, "neither create, list nor delete is given");
	for (size_t i = 0; i < VERBS; i++)
		if (!strcmp(verbs[i].name, argv[0]))
			return command_start(&verbs[i].command, argc, argv);
	near = nearest(argv[0], verbs, VERBS, sizeof(*verbs));
	if (!near)
		return options_complain(&usage, "there is no \"%s\"", argv[0]);
	message("cannot handle synthetic events: there is no \"%s\"; did you mean \"%s\"?", argv[0], near);
	return EXIT_WRONG_USAGE;
}

const struct command synth_command = { &usage, command_synth };
