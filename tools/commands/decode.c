/* SPDX-License-Identifier: MIT */
/*
 * userevents decode: prints recordings as text or JSON.
 */
#include "answers/counts/context.h"
#include "common/cli/message.h"
#include "common/cli/options.h"
#include "common/cli/program.h"
#include "commands.h"
#include "read/stream/stream.h"

static struct print_options print = { .has_files = 1 };
static struct context context;
static struct stream stream = STREAM_INIT("decode");

static const struct tool_option options[] = {
	PRINT_OPTIONS(print),
	PRINT_STACK_OPTION(print),
	FILTER_OPTIONS(stream.filter),
	FROM_TO_OPTIONS(stream),
	CONTEXT_OPTIONS(context),
	OPTIONS_END,
};

static const struct usage usage = {
	.command = "decode",
	.arguments = "FILE...",
	.help = "Prints the events of recordings: perf.data, trace.dat, captures, rings,\n"
		"files of EventHeader events; - is standard input. Events of several files are\n"
		"merged by time. Of a damaged file everything before the damage is printed.\n"
		"A ring is read without changing it, whether or not its programs still run.\n\n"
		"The exit status is 1 when a file is damaged or cannot be read, when the\n"
		"recorder lost events, when events are malformed, cannot be shown or put in\n"
		"order, when there is no event, and when none passes -e, --where, --from and\n"
		"--to.\n",
	.options = options,
	.examples = "userevents decode --from=-10s server.ring\n"
		"userevents decode -e 'Request*' -w 'status >= 500' server.uecap\n"
		"userevents decode -e QueryFailed -B 10ms --same activity perf.data\n",
};

static int command_decode(int argc, char **argv)
{
	int status;
	struct lines lines;
	int has_context;

	if (lines_init(&lines, &print))
		return EXIT_WRONG_USAGE;
	if (!argc)
		return options_complain(&usage, "no recording is given");
	has_context = context_begin(&context, &stream.filter, &stream.kinds, &lines.sink, lines_gap);
	status = has_context < 0 ? EXIT_WRONG_USAGE : stream_begin(&stream);
	if (!status)
		pager_begin(argv);
	return status ? status :
			stream_files(&stream, argv, has_context ? &context.sink : &lines.sink);
}

const struct command decode_command = { &usage, command_decode };
