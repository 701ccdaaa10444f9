/* SPDX-License-Identifier: MIT */
/*
 * userevents run: starts a program, and prints the events of the program and of its
 * children, or keeps them.
 *
 * By default the program waits while this one is slow, so that no event is lost.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <userevents/ring.h>

#include "answers/counts/context.h"
#include "common/cli/message.h"
#include "common/cli/options.h"
#include "commands.h"
#include "common/output/capture_writer.h"
#include "read/stream/stream.h"

static struct stream stream = STREAM_INIT("run");
static struct print_options print;
static const char *output;
static const char *recording;

static const struct tool_option options[] = {
	FILTER_OPTIONS(stream.filter),
	PRINT_OPTIONS(print),
	STACK_OPTIONS(stream.recording),
	{ .name = "output", .letter = 'o', .text = &output, .value = "FILE", .is_path = 1,
	  .help = "Print to FILE; \"-\", the default, is standard output." },
	{ .name = "record", .text = &recording, .value = "FILE", .is_path = 1,
	  .help = "Keep the events in FILE, for \"userevents decode\", and\n"
		  "print none. With \"-\" the program's own output goes to\n"
		  "standard error." },
	{ .name = "mode", .letter = 'm', .text = &stream.mode, .value = "MODE",
	  .help = "What happens if events arrive faster than they are printed\n"
		  "or kept: wait: the program waits (the default); drop: they\n"
		  "are lost, and counted (the default with --record)." },
	{ .name = "buffer", .letter = 'b', .number = &stream.buffer, .value = "BYTES",
	  .least = UE_RING_BYTES_LEAST,
	  .help = "Memory for events that wait (default 64M, at least 256k).\n"
		  "It is used as they come." },
	OPTIONS_END,
};

static const struct usage usage = {
	.command = "run",
	.arguments = "[--] PROGRAM [ARGUMENT...]",
	.help = "Starts a program that writes events with libuserevents, and prints them as\n"
		"they are written: its own, and those of its children. Needs no root, and no\n"
		"support by the kernel. The program's own output stays where it goes; but\n"
		"beside JSON on standard output it goes to standard error.\n\n"
		"Ends when the program and all processes that inherit its descriptor have ended.\n"
		"The exit status is the program's; 128 plus the number of the signal that ended\n"
		"it, 127 if there is no such program, 126 if it cannot be run; and 1 in place\n"
		"of 0 if events are missing: some were lost, none was registered, or two have\n"
		"one name and different fields, as one of them cannot be registered.\n\n"
		"Lost events are reported where they are missing, and at the end by reason\n"
		"(\"userevents losses --help\"); so are events that the program has and never\n"
		"registered.\n",
	.options = options,
	.examples = "userevents run ./server --port 8080\n"
		"userevents run -e 'Request*' -w 'status >= 500' -- ./server\n"
		"userevents run --record server.uecap ./server\n",
	.stops_at_argument = 1,
};

/* The events are printed, or kept in a file. */
struct run_sink {
	struct lines lines;
	struct outfile out;
	struct capture_writer file; /* with --record */
	struct written_ring *ring;
};

static struct run_sink *of(struct sink *sink)
{
	return (struct run_sink *)sink;
}

/*
 * The output is redirected once the program runs: the program keeps its own, and if it
 * cannot be started, no file loses its content.
 */
static int begin(struct sink *sink)
{
	struct run_sink *run = of(sink);

	if (outfile_empty(&run->out))
		return -1;
	dup2(run->out.fd, STDOUT_FILENO);
	printer_begin(&run->lines.printer);
	return 0;
}

static int begin_file(struct sink *sink)
{
	struct run_sink *run = of(sink);

	return outfile_empty(&run->out) ? -1 : capture_writer_begin(&run->file, &run->out);
}

static int write_page(struct sink *sink, const struct ue_captured_page *page)
{
	return capture_writer_page(&of(sink)->file, of(sink)->ring, page);
}

static void write_losses(struct sink *sink, const struct ue_capture_counts *counts)
{
	capture_writer_losses(&of(sink)->file, counts, 0);
}

static int flush_file(struct sink *sink)
{
	return capture_writer_flush(&of(sink)->file);
}

static int init_sink(struct run_sink *run)
{
	if (lines_init(&run->lines, &print))
		return EXIT_WRONG_USAGE;
	if (strcmp(run->out.path, "-"))
		run->lines.printer.line.has_colour = 0;
	run->lines.sink.begin = begin;
	if (recording)
		run->lines.sink = (struct sink){ .begin = begin_file,
						 .take_page = write_page,
						 .take_losses = write_losses,
						 .wait = flush_file,
						 .end = flush_file };
	return 0;
}

static int check_options(void)
{
	if (recording_check_stacks(&usage, &stream.recording))
		return EXIT_WRONG_USAGE;
	print.has_stacks = stream.recording.stacks.count > 0;
	if (!recording || (!output && !print_options_are_given(&print)))
		return 0;
	message("cannot run: --record excludes --json, --output and all others that say how "
		"to print; \"userevents decode\" prints the recorded events");
	return EXIT_WRONG_USAGE;
}

static int run_program(struct run_sink *run, char **argv)
{
	int status;

	if (outfile_open(&run->out))
		return EXIT_FAILED;
	/* other output would break these formats */
	stream.keeps_output = (!recording && run->lines.printer.format == PRINT_TEXT) ||
			      strcmp(run->out.path, "-");
	stream.drops = recording != NULL;
	run->ring = capture_writer_add_ring(NULL);
	status = stream_program(&stream, argv, &run->lines.sink);
	capture_writer_remove_ring(&run->file, run->ring);
	capture_writer_free(&run->file);
	if (outfile_close(&run->out) && !status)
		status = EXIT_FAILED;
	return status;
}

static int command_run(int argc, char **argv)
{
	struct run_sink run = { .out = { .fd = -1 } };
	int status;

	if (!argc)
		return options_complain(&usage, "no program is given");
	run.out.path = recording ? recording : output ? output : "-";
	run.out.is_shared = !recording;
	status = check_options();
	if (!status)
		status = init_sink(&run);
	if (!status)
		status = stream_begin(&stream);
	return status ? status : run_program(&run, argv);
}

const struct command run_command = { &usage, command_run };
