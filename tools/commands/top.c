/* SPDX-License-Identifier: MIT */
/*
 * userevents top: shows which events happen, and how often, while they do.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "common/cli/options.h"
#include "answers/top/top.h"
#include "kernel/tracefs/tracing_files.h"

static struct top top;
static int is_run, is_watch, is_batch;
static const char *interval = "1", *view = "events", *output;

static const struct tool_option options[] = {
	{ .name = "run", .flag = &is_run,
	  .help = "Of a program that is started, as \"userevents run\" does:\n"
		  "--run -- PROGRAM [ARGUMENT...]. Needs no root." },
	{ .name = "watch", .flag = &is_watch,
	  .help = "Of the kernel, as without it; or with samples of a command:\n"
		  "--watch -- COMMAND [ARGUMENT...]. It goes on after q." },
	{ .name = "event", .letter = 'e', .words = &top.globs, .value = "GLOB",
	  .help = "Only events whose name matches: NAME or SYSTEM:NAME of the\n"
		  "tracepoint, of EventHeader also PROVIDER:EVENT and EVENT.\n"
		  "Counting takes all events of the PROVIDER, and none for an\n"
		  "EVENT alone. Default: all user events. May be repeated." },
	{ .name = "pid", .letter = 'p', .words = &top.pids, .value = "PID",
	  .help = "Of the kernel, only events of this process, and of children\n"
		  "that it starts from now on. May be repeated." },
	{ .name = "where", .letter = 'w', .text = &top.where, .value = "EXPR",
	  .help = "Only events for which this is true: 'status >= 500'. Of the\n"
		  "kernel, it implies --samples." },
	{ .name = "samples", .flag = &top.is_sampled,
	  .help = "Of the kernel: record every event, instead of counting, so\n"
		  "that all views have all figures." },
	{ .name = "view", .letter = 'v', .text = &view, .value = "VIEW",
	  .help = "The view to begin with: events (the default), processes,\n"
		  "threads, activities, or open." },
	{ .name = "delay", .letter = 'd', .text = &interval, .value = "SECONDS",
	  .help = "Between refreshes (default 1, at least 0.1)." },
	{ .name = "batch", .flag = &is_batch,
	  .help = "Print a table at each refresh and at the end, for scripts." },
	{ .name = "json", .letter = 'j', .flag = &top.is_json,
	  .help = "The same, of all views that are known, as a line of JSON." },
	{ .name = "count", .letter = 'n', .number = &top.refreshes_max, .value = "COUNT",
	  .least = 1,
	  .help = "End after so many refreshes." },
	{ .name = "output", .letter = 'o', .text = &output, .value = "FILE", .is_path = 1,
	  .help = "What a program of --run or --watch prints while there is a\n"
		  "screen goes to FILE (default /dev/null). Otherwise that of\n"
		  "--run goes to standard error." },
	{ .name = "mode", .letter = 'm', .text = &top.mode, .value = "MODE",
	  .help = "Of --run, if events arrive faster than they are counted:\n"
		  "wait: the program waits (the default); drop: they are lost,\n"
		  "and counted as lost." },
	{ .name = "buffer", .letter = 'b', .number = &top.buffer, .value = "BYTES",
	  .least = 4096,
	  .help = "Memory for events that wait: of --run (default 64M), or for\n"
		  "samples of the kernel, of each processor (default 4M)." },
	TRACEFS_OPTION(top.tracefs),
	OPTIONS_END,
};

static const struct usage usage = {
	.command = "top",
	.verb = "show events",
	.arguments = "[RING | --run|--watch PROGRAM [ARGUMENT...]]",
	.help = "Shows events with their rates, sums, bytes and processes, refreshed each second;\n"
		"by process and by thread; and EventHeader activities, or calls of threads,\n"
		"(opcodes start and stop) with their durations, and those that are open. Press h\n"
		"for the keys.\n"
		"\n"
		"Of the kernel, tracepoints are counted: exact, and cheaper for the writer than\n"
		"recording. New ones are looked for ten times a second, so the first events of\n"
		"one that appears may be missing. Counts have no bytes and no processes, and are\n"
		"of tracepoints, not of the EventHeader events in them. So while another view is\n"
		"shown, and always with --samples, all these events are recorded, which costs\n"
		"the writer more and can lose some; such a view begins with nothing each time.\n"
		"Recorded events are padded with up to 7 bytes. Counts of sched:sched_stat_* are\n"
		"nanoseconds, as in perf stat.\n"
		"\n"
		"Of a RING, a file of \"userevents ring\", whose mode is overwrite, new events are\n"
		"counted, and stay there; of another one they are taken out, as \"watch\" does.\n"
		"Quitting ends a program of --run with SIGTERM. Its standard input is /dev/null\n"
		"while there is a screen.\n"
		"\n"
		"There are rows for 65,535 processes, threads, or events, and one for others;\n"
		"65,536 activities may be open; the oldest are left out. P50 and P99 are exact\n"
		"within 0.4 %. The exit status is 0 after q or --count; otherwise that of the\n"
		"program of --run, or 1 for a failure: with samples and rings also if events\n"
		"were lost, or there were none.\n",
	.options = options,
	.examples = "userevents top\n"
		"userevents top --view open server.ring\n"
		"userevents top --run -- ./server\n",
	.stops_at_argument = 1,
};

static int parse_interval(void)
{
	char *end;
	const double seconds = strtod(interval, &end);

	if (*end || end == interval || !(seconds >= 0.1 && seconds <= 86400))
		return options_complain(&usage, "the option --delay needs seconds, 0.1 to 86400");
	top.interval = (int64_t)(seconds * 1e9);
	return 0;
}

static int parse_view(void)
{
	const int found = view_find(view);

	if (found < 0)
		return options_complain(&usage, "the option --view needs events, processes, "
					"threads, activities or open, not \"%s\"", view);
	top.choices.view = (enum view_kind)found;
	return 0;
}

static int find_source(char **arguments)
{
	const char *ring = ring_argument(arguments);

	if (is_run && is_watch)
		return options_complain(&usage, "--run and --watch exclude each other");
	if (is_run && !*arguments)
		return options_complain(&usage, "no program is given");
	if (*arguments && !is_run && !is_watch && !ring)
		return options_complain(&usage, "\"%s\" is not a ring; --run starts a program",
					*arguments);
	top.source = is_run ? TOP_RUN : ring ? TOP_RING : TOP_KERNEL;
	top.source_name = *arguments;
	top.arguments = arguments;
	top.usage = &usage;
	return 0;
}

static int check_options(void)
{
	if (top.source != TOP_KERNEL &&
	    (top.pids.count || top.is_sampled || top.tracefs))
		return options_complain(&usage, "--pid, --samples and --tracefs are for the "
					"kernel's events");
	if (top.source != TOP_RUN && top.mode)
		return options_complain(&usage, "--mode is for --run");
	if (output && (top.source == TOP_RING || !*top.arguments))
		return options_complain(&usage, "--output is for a program of --run or "
					"--watch");
	if (top.is_batch && output)
		return options_complain(&usage, "--output is for a screen; standard error can be "
					"redirected");
	if (top.source == TOP_RING && top.buffer)
		return options_complain(&usage, "--buffer is not for rings");
	return 0;
}

static int command_top(int argc, char **argv)
{
	int status;

	(void)argc;
	choices_begin(&top.choices);
	top.is_batch = is_batch | top.is_json;
	status = find_source(argv);
	if (!status)
		status = check_options();
	if (!status)
		status = parse_interval();
	if (!status)
		status = parse_view();
	if (status)
		return status;
	top.is_sampled |= top.source == TOP_KERNEL && (top.where || *argv);
	return top_run(&top, output);
}

const struct command top_command = { &usage, command_top };
