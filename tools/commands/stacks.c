/* SPDX-License-Identifier: MIT */
/*
 * userevents stacks: counts events by the functions that they come from.
 */
#include <stdlib.h>

#include "answers/stacks/stack_tally.h"
#include "common/cli/memory.h"
#include "common/cli/message.h"
#include "common/cli/options.h"
#include "common/stacks/stacks.h"
#include "commands.h"
#include "read/stream/stream.h"
#include "kernel/tracefs/tracing_files.h"

static struct stream stream = STREAM_INIT("count");
static uint64_t most = 10;
static int is_folded, is_json, has_threads;

static const struct tool_option options[] = {
	{ .name = "top", .number = &most, .value = "N", .least = 1,
	  .help = "Print the N most frequent stacks (default 10)." },
	{ .name = "folded", .flag = &is_folded,
	  .help = "Print all, a line each, for flamegraph.pl or speedscope:\n"
		  "PROGRAM;OUTERMOST;...;INNERMOST;EVENT COUNT." },
	{ .name = "threads", .flag = &has_threads,
	  .help = "Count the threads of a program apart, by their names, as\n"
		  "stackcollapse-perf.pl and perf report --sort comm do." },
	{ .name = "json", .letter = 'j', .flag = &is_json, .help = "A JSON object." },
	FRAMES_OPTION(stream.recording),
	STREAM_OPTIONS(stream),
	OPTIONS_END,
};

static const struct usage usage = {
	.command = "stacks",
	.verb = "count",
	.arguments = "FILE... | --run PROGRAM | --watch",
	.help = "Counts events by their stacks: the functions that they come from. Prints the\n"
		"most frequent ones, the innermost function first, without the functions of\n"
		"libuserevents.\n\n"
		"A recording has stacks of the events for which they were asked for (\"record\n"
		"--stack\", \"run --stack\", \"ring set --stack\", or \"perf record -g\"); with --run\n"
		"and --watch, this command asks for those of the events that -e selects.\n\n"
		"Functions are found by the frame pointers of a program, so compile it, and its\n"
		"libraries, with -fno-omit-frame-pointer. Names come from the symbols (ELF) of\n"
		"the files that the program ran, or from /usr/lib/debug/.build-id; of a file\n"
		"that is another one by now there are none, as its build-id shows, or, of rings\n"
		"and captures, its inode and that it changed since then. Names of C++ are as in\n"
		"the file; pipe them through c++filt.\n",
	.options = options,
	.examples = "userevents stacks perf.data\n"
		"userevents stacks -e shop_order --run ./shop\n"
		"userevents stacks --folded perf.data | flamegraph.pl > flame.svg\n",
};

struct counting {
	struct sink sink;
	struct stack_tally tally;
};

static int take(struct sink *sink, struct event *event)
{
	stack_tally_take(&((struct counting *)sink)->tally, event);
	return 0;
}

static void print(struct stack_tally *tally)
{
	AUTO(bytes_free) struct bytes text = { 0 };
	AUTO_FREE char *advice = short_stacks_text(&tally->short_stacks);

	stack_tally_sort(tally);
	if (is_folded)
		stack_tally_put_folded(tally, &text);
	else if (is_json)
		stack_tally_put_json(tally, most, &text);
	else if (tally->events)
		stack_tally_put_text(tally, most, &text);
	bytes_print(&text);
	modules_report();
	if (advice)
		message("%s", advice);
}

/* A live source records the stacks of the events that are counted. */
static void ask_for_stacks(void)
{
	for (size_t i = 0; i < stream.filter.globs.count; i++)
		words_add(&stream.recording.stacks, stream.filter.globs.items[i]);
	if (!stream.filter.globs.count)
		words_add(&stream.recording.stacks, "*");
}

static int count(char **arguments)
{
	struct counting counting = {
		.sink = { .take = take }, .tally = { .has_threads = has_threads },
	};
	struct stack_tally *tally = &counting.tally;
	int status = stream_read(&stream, &usage, arguments, &counting.sink);

	if (status != EXIT_WRONG_USAGE && (stream.events || !status))
		print(tally);
	if (stream.events && !tally->events) {
		message("No event has a stack; record them with --stack GLOB.");
		status = status ? status : EXIT_FAILED;
	}
	stack_tally_free(tally);
	stream_free(&stream);
	return status;
}

static int command_stacks(int argc, char **argv)
{
	int status;

	(void)argc;
	if (is_folded && is_json)
		return options_complain(&usage, "--folded and --json exclude each other");
	if (stream.recording.frames && !stream.is_run && !stream.is_watch)
		return options_complain(&usage, "--frames is of --run and --watch; a recording has "
					"as many as were recorded");
	if (stream.is_run || stream.is_watch)
		ask_for_stacks();
	status = recording_check_stacks(&usage, &stream.recording);
	return status ? status : count(argv);
}

const struct command stacks_command = { &usage, command_stacks };
