/* SPDX-License-Identifier: MIT */
/*
 * userevents record: records events into a file.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "commands.h"
#include "common/cli/memory.h"
#include "common/cli/message.h"
#include "common/output/capture_writer.h"
#include "kernel/probe/probe.h"
#include "record/recording/recording.h"
#include "read/stream/stream.h"
#include "kernel/tracefs/tracing_files.h"

#define ROTATE_LEAST (64u << 10)

static struct recording recording = { .fd = -1 };
static struct run_probes probes;
static const char *output = "perf.data", *rotate, *keep_free;

static const struct tool_option options[] = {
	{ .name = "output", .letter = 'o', .text = &output, .value = "FILE", .is_path = 1,
	  .help = "Write this file (default perf.data); - is standard output." },
	RECORDING_OPTIONS(recording),
	{ .name = "sched", .flag = &recording.has_sched,
	  .help = "Also record when threads run, are woken up, and are blocked:\n"
		  "of all processes, also with --pid and a command. Then\n"
		  "\"latency --cpu\", report and Perfetto show it." },
	STACK_OPTIONS(recording),
	RUN_PROBES_OPTION(probes),
	WHERE_OPTION(recording),
	{ .name = "size", .letter = 's', .number = &recording.size, .value = "BYTES",
	  .help = "End when the file has this size." },
	{ .name = "rotate", .text = &rotate, .value = "BYTES[,FILES]",
	  .help = "Begin another file when one has this size (at least 64k),\n"
		  "or on SIGUSR1, and keep this number of files (at least 2):\n"
		  "the oldest is removed. Without FILES, all are kept." },
	{ .name = "overwrite", .number = &recording.overwrite, .value = "BYTES",
	  .least = 256 << 10,
	  .help = "Keep the last events in this much memory (at least 256k),\n"
		  "and write them into a file on SIGUSR1, and at the end." },
	{ .name = "dump-when", .text = &recording.dump_when, .value = "EXPR",
	  .help = "With --overwrite: also write them when this is true for a\n"
		  "recorded event; EXPR is as that of --where." },
	{ .name = "keep-free", .text = &keep_free, .value = "SPACE",
	  .help = "Leave this much of the disk free, a part such as 5% or\n"
		  "bytes: remove the oldest files of this recording, or end." },
	OPTIONS_END,
};

static const struct usage usage = {
	.command = "record",
	.arguments = "[COMMAND [ARGUMENT...] | RING]",
	.help = "Records events into a file that perf script and userevents decode read.\n"
		"Ends with Ctrl-C, with the command or the processes, or at a limit.\n"
		"The events that \"userevents list ./program\" shows of a command's\n"
		"program, and of its libraries, are registered before it starts,\n"
		"and for as long as it runs.\n\n"
		"The exit status is 1 also if there was no event, if some were lost,\n"
		"or if the first ones of a new tracepoint may be missing.\n\n"
		"With --rotate and --overwrite, the files are FILE, FILE.000001, FILE.000002\n"
		"and so on, from the first name behind those that exist: no file is replaced.\n"
		"Each is complete by itself, and each event is in one of them.\n\n"
		"Events of a RING, a file of \"userevents ring\", become a capture, which only\n"
		"userevents decode reads. The options -r, -p, -a, -b, --probe, --tracefs,\n"
		"--sched, --rotate, --overwrite and --keep-free are not for rings. If the\n"
		"ring's mode is overwrite, new events are recorded, and stay there; otherwise\n"
		"all events are taken out, also those that were written before, or that -e\n"
		"does not select.\n",
	.options = options,
	.examples = "userevents record -o shop.data -e 'shop_*' -d 10\n"
		"userevents record --sched -e 'Shop:*' -- ./shop\n"
		"userevents record --stack 'shop_*' -o shop.data -- ./shop\n"
		"userevents record --overwrite 64M --dump-when 'status >= 500'\n",
	.stops_at_argument = 1,
};

/* Options of several files */

/* BYTES, or BYTES,FILES. */
static int parse_rotate(void)
{
	const char *comma = strchr(rotate, ',');
	AUTO_FREE char *bytes =
		comma ? xstrndup(rotate, (size_t)(comma - rotate)) : xstrdup(rotate);
	int result = parse_number(bytes, &recording.rotate);

	if (!result && comma)
		result = parse_number(comma + 1, &recording.files);
	if (!result && recording.rotate >= ROTATE_LEAST && (!comma || recording.files >= 2))
		return 0;
	return options_complain(&usage, "--rotate \"%s\" is not BYTES or BYTES,FILES, such as "
				"64M,32, with at least 64k bytes and 2 files", rotate);
}

static const char *exclusive_options(void)
{
	if (rotate && recording.overwrite)
		return "--rotate keeps events in files and --overwrite in memory; use one of them";
	if (recording.size && rotate)
		return "--size ends a recording and --rotate goes on in another file; "
			"use one of them";
	if (recording.size && recording.overwrite)
		return "--size is of a file that grows, and those of --overwrite do not; "
			"use one of them";
	if (recording.dump_when && !recording.overwrite)
		return "--dump-when writes what --overwrite keeps; use both";
	return NULL;
}

/* 0, or an exit status after a message. */
static int check_options(void)
{
	const char *conflict = exclusive_options();

	if (conflict)
		return options_complain(&usage, "%s", conflict);
	if (recording_check_stacks(&usage, &recording))
		return EXIT_WRONG_USAGE;
	if (keep_free && free_space_parse(keep_free, &recording.keep_free))
		return EXIT_WRONG_USAGE;
	return rotate ? parse_rotate() : 0;
}

/* The end */

static void describe_losses(const struct recorder *recorder, char *text, size_t size)
{
	if (!recorder->lost)
		snprintf(text, size, recording.has_missed ? "none is known to be lost" :
							    "none was lost");
	else
		snprintf(text, size, "%llu %s LOST: a larger --buffer keeps more",
			 (unsigned long long)recorder->lost, WERE(recorder->lost));
}

static const char *beside(void)
{
	return recording.has_sched ? " and the scheduler" : "";
}

/* ... of several files. */
static void summarize_series(const struct recorder *recorder)
{
	const struct file_series *series = &recorder->series;
	unsigned long long files = series->count + series->removed;
	char lost[128], removed[64] = "", replaced[64] = "";

	describe_losses(recorder, lost, sizeof(lost));
	if (series->removed)
		snprintf(removed, sizeof(removed), " (the oldest %llu removed)",
			 (unsigned long long)series->removed);
	if (recorder->replaced)
		snprintf(replaced, sizeof(replaced), " %llu older one%s %s replaced in memory;",
			 (unsigned long long)recorder->replaced, PLURAL(recorder->replaced),
			 WERE(recorder->replaced));
	message("%llu event%s of %zu tracepoint%s%s in %llu file%s%s%s%s, %llu bytes;%s %s.",
		(unsigned long long)recorder->events, recorder->events == 1 ? "" : "s",
		recorder->tracepoints, recorder->tracepoints == 1 ? "" : "s", beside(),
		files, files == 1 ? "" : "s", removed, files ? ", the last one " : "",
		files ? series->name : "", (unsigned long long)series->bytes, replaced, lost);
}

static void summarize(const struct recorder *recorder, const struct outfile *file)
{
	char lost[128];

	describe_losses(recorder, lost, sizeof(lost));
	message("%s has %llu event%s of %zu tracepoint%s%s, %llu bytes; %s.", file->shown,
		(unsigned long long)recorder->events, recorder->events == 1 ? "" : "s",
		recorder->tracepoints, recorder->tracepoints == 1 ? "" : "s", beside(),
		(unsigned long long)file->bytes, lost);
}

/* A failure of the command is reported, but is no failure of the recording. */
static void report_program(const struct target *target)
{
	if (!target->has_ended || !target->status)
		return;
	if (WIFSIGNALED(target->status))
		message("The command was ended by signal %d, %s.",
			WTERMSIG(target->status), strsignal(WTERMSIG(target->status)));
	else
		message("The command ended with status %d.", WEXITSTATUS(target->status));
}

/* A ring */

struct ring_sink {
	struct sink sink;
	struct capture_writer writer;
	struct written_ring *ring;
};

static struct ring_sink *of(struct sink *sink)
{
	return (struct ring_sink *)sink;
}

static int begin_file(struct sink *sink)
{
	struct capture_writer *writer = &of(sink)->writer;
	struct outfile *file = writer->out;

	if (outfile_open(file) || outfile_empty(file))
		return -1;
	return capture_writer_begin(writer, file);
}

static int write_page(struct sink *sink, const struct ue_captured_page *page)
{
	struct capture_writer *writer = &of(sink)->writer;

	if (capture_writer_page(writer, of(sink)->ring, page))
		return -1;
	return recording.size && writer->out->bytes + writer->bytes.length >= recording.size;
}

static void write_losses(struct sink *sink, const struct ue_capture_counts *counts)
{
	capture_writer_losses(&of(sink)->writer, counts, 0);
}

/* Called before it waits for more events, and at the end. */
static int flush_events(struct sink *sink)
{
	return capture_writer_flush(&of(sink)->writer);
}

static int record_ring(char **ring, struct outfile *file)
{
	struct stream stream = { .verb = "record", .recording = recording };
	struct ring_sink sink = {
		.sink = { .begin = begin_file, .take_page = write_page,
			  .take_losses = write_losses, .wait = flush_events,
			  .end = flush_events },
		.writer = { .out = file },
	};
	int status;

	file->inputs = ring;
	if (rotate || keep_free || recording.overwrite || recording.has_sched ||
	    probes.definitions.count)
		return options_complain(&usage, "--rotate, --overwrite, --keep-free, "
					"--sched and --probe are for the kernel's events; leave "
					"them out");
	sink.ring = capture_writer_add_ring(NULL);
	stream.filter.globs = recording.globs;
	stream.filter.expression = recording.expression;
	status = stream_begin(&stream);
	if (!status)
		status = stream_ring(&stream, *ring, &sink.sink);
	capture_writer_remove_ring(&sink.writer, sink.ring);
	capture_writer_free(&sink.writer);
	if (outfile_close(file))
		return EXIT_FAILED;
	if (file->bytes)
		message("%s has %llu event%s, %llu bytes.", file->shown,
			(unsigned long long)stream.events, stream.events == 1 ? "" : "s",
			(unsigned long long)file->bytes);
	stream_free(&stream);
	return status;
}

static int command_record(int argc, char **argv)
{
	int status;
	struct outfile file = { .fd = -1 };

	(void)argc;
	status = check_options();
	if (status)
		return status;
	file.path = output;
	if (ring_argument(argv))
		return record_ring(argv, &file);
	if (operand_check("record", argv))
		return EXIT_FAILED;
	if (run_probes_begin(&probes, recording.tracefs, &recording.globs))
		return EXIT_FAILED;
	status = recording_run(&recording, &file, argv);
	if (run_probes_end(&probes))
		status = status ? status : EXIT_FAILED;
	if (file_series_close(&recording.recorder.series, &file))
		status = status ? status : EXIT_FAILED;
	if (status == EXIT_WRONG_USAGE)
		return status;
	report_program(&recording.target);
	if (recording.recorder.series.bytes && recording.recorder.series.path)
		summarize_series(&recording.recorder);
	else if (file.bytes)
		summarize(&recording.recorder, &file);
	file_series_free(&recording.recorder.series);
	return recording_is_whole(&recording) ? status : EXIT_FAILED;
}

const struct command record_command = { &usage, command_record };
