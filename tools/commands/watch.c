/* SPDX-License-Identifier: MIT */
/*
 * userevents watch: prints events as they happen.
 */
#include "answers/counts/context.h"
#include "common/cli/message.h"
#include "commands.h"
#include "kernel/probe/probe.h"
#include "read/stream/stream.h"
#include "kernel/tracefs/tracing_files.h"

static struct print_options print;
static struct context context = { .is_live = 1 };
static struct stream stream = STREAM_INIT("watch");
static struct run_probes probes;

static const struct tool_option options[] = {
	RECORDING_OPTIONS(stream.recording),
	STACK_OPTIONS(stream.recording),
	RUN_PROBES_OPTION(probes),
	WHERE_OPTION(stream.filter),
	PRINT_OPTIONS(print),
	CONTEXT_OPTIONS(context),
	OPTIONS_END,
};

static const struct usage usage = {
	.command = "watch",
	.arguments = "[COMMAND [ARGUMENT...] | RING]",
	.help = "Prints events as they happen, one a line, until Ctrl-C, the end of the\n"
		"command or the processes, or for the given time.\n"
		"The events that \"userevents list ./program\" shows of a command's\n"
		"program, and of its libraries, are registered before it starts,\n"
		"and for as long as it runs, so that none is missed.\n\n"
		"Losses are reported at the end. The exit status is 1 if events\n"
		"were lost, if the first ones of a new tracepoint may be missing,\n"
		"or if there were none.\n\n"
		"Of a RING, a file of \"userevents ring\", -e selects, but does not enable; the\n"
		"options -r, -p, -a, -b, --probe and --tracefs are not for rings. If its mode is\n"
		"overwrite, new events are printed, and stay there; otherwise all events are\n"
		"taken out, also those that were written before, or that -e does not select.\n",
	.options = options,
	.examples = "userevents watch\n"
		"userevents watch -e 'user_events:shop_*' -w 'status >= 500' -p 1234\n"
		"userevents watch server.ring\n",
	.stops_at_argument = 1,
};

static int watch(char **argv, struct lines *lines)
{
	const char *ring = ring_argument(argv);
	struct sink *sink = &lines->sink;
	int has_context, status;

	/* a copy, as another word is added to these below */
	for (size_t i = 0; i < stream.recording.globs.count; i++)
		words_add(&stream.filter.globs, stream.recording.globs.items[i]);
	has_context = context_begin(&context, &stream.filter, &stream.kinds, sink, lines_gap);
	if (has_context > 0) {
		sink = &context.sink;
		words_add(&stream.recording.globs, "*"); /* also events that -e does not name */
	}
	status = has_context < 0 ? EXIT_WRONG_USAGE : stream_begin(&stream);
	if (status)
		return status;
	return ring ? stream_ring(&stream, ring, sink) : stream_kernel(&stream, argv, sink);
}

static int command_watch(int argc, char **argv)
{
	int status;
	struct lines lines;

	(void)argc;
	print.has_stacks = stream.recording.stacks.count > 0;
	if (recording_check_stacks(&usage, &stream.recording) || lines_init(&lines, &print))
		return EXIT_WRONG_USAGE;
	if (probes.definitions.count && ring_argument(argv))
		return options_complain(&usage, "--probe is for the kernel's events, not for a "
					"ring");
	if (run_probes_begin(&probes, stream.recording.tracefs, &stream.recording.globs))
		return EXIT_FAILED;
	status = watch(argv, &lines);
	return run_probes_end(&probes) && !status ? EXIT_FAILED : status;
}

const struct command watch_command = { &usage, command_watch };
