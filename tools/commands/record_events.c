/* SPDX-License-Identifier: MIT */
/*
 * userevents record: records events into a file.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "commands.h"
#include "cli/message.h"
#include "output/capture_writer.h"
#include "record/follow_ring.h"
#include "record/recording.h"
#include "tracefs/tracing_files.h"

static struct recording recording = { .fd = -1 };
static const char *output = "perf.data";

static const struct tool_option options[] = {
	{ .name = "output", .letter = 'o', .text = &output, .value = "FILE", .is_path = 1,
	  .help = "Write this file (default perf.data); - is standard output." },
	RECORDING_OPTIONS(recording),
	{ .name = "size", .letter = 's', .number = &recording.size, .value = "BYTES",
	  .help = "End when the file has this size." },
	OPTIONS_END,
};

static const struct usage usage = {
	.command = "record",
	.arguments = "[COMMAND [ARGUMENT...] | RING]",
	.help = "Records events into a file that perf script and userevents decode read.\n"
		"Ends with Ctrl-C, with the command or the processes, or at a limit.\n"
		"The exit status is 1 also if there was no event, or if some were lost.\n\n"
		"Events of a RING, a file of \"userevents ring\", become a capture, which only\n"
		"userevents decode reads. The options -r, -p, -a, -b and --tracefs are not for\n"
		"rings. If the ring's mode is overwrite, new events are recorded, and stay\n"
		"there; otherwise all events are taken out, also those that were written\n"
		"before, or that -e does not select.\n",
	.options = options,
	.stops_at_argument = 1,
};

static void summarize(const struct recorder *recorder, const struct outfile *file)
{
	char lost[128] = "none was lost";

	if (recorder->lost)
		snprintf(lost, sizeof(lost),
			 "%llu were LOST: a larger --buffer keeps more",
			 (unsigned long long)recorder->lost);
	message("%s has %llu event%s of %zu tracepoint%s, %llu bytes; %s.", file->shown,
		(unsigned long long)recorder->events, recorder->events == 1 ? "" : "s",
		recorder->tracepoints, recorder->tracepoints == 1 ? "" : "s",
		(unsigned long long)file->bytes, lost);
}

/* A failure of the command is reported, but is no failure of the recording. */
static void report_command(const struct target *target)
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

/* The file must not be the ring: it would be emptied under its programs. */
static int is_ring(const struct outfile *file, const char *ring)
{
	struct stat one, other;

	return !fstat(file->fd, &one) && !stat(ring, &other) && one.st_dev == other.st_dev &&
	       one.st_ino == other.st_ino;
}

static int begin_file(struct ring_follower *follower)
{
	struct capture_writer *writer = follower->context;
	struct outfile *file = writer->out;

	if (outfile_open(file))
		return -1;
	if (is_ring(file, follower->path)) {
		message("cannot record %s: the output is the same file; use another --output",
			follower->path);
		return -1;
	}
	return outfile_empty(file) ? -1 : capture_writer_begin(writer, file);
}

static int write_event(struct ring_follower *follower, const struct ue_captured *event,
		       const struct record *record)
{
	struct capture_writer *writer = follower->context;

	(void)record;
	if (capture_writer_write(writer, event))
		return -1;
	return recording.size && writer->out->bytes + writer->bytes.length >= recording.size;
}

/* Before it waits for more events. */
static int flush_events(struct ring_follower *follower)
{
	return capture_writer_flush(follower->context);
}

static int record_ring(const char *path, struct outfile *file)
{
	struct capture_writer writer = { .out = file };
	struct ring_follower follower = {
		.path = path,
		.verb = "record",
		.recording = &recording,
		.begin = begin_file,
		.take = write_event,
		.wait = flush_events,
		.context = &writer,
	};
	int status = ring_check_options(&recording, "record");

	if (status)
		return status;
	status = ring_follow(&follower);
	if (writer.out && capture_writer_flush(&writer) && !status)
		status = EXIT_FAILED;
	capture_writer_free(&writer);
	if (outfile_close(file))
		return EXIT_FAILED;
	if (file->bytes)
		message("%s has %llu event%s, %llu bytes.", file->shown,
			(unsigned long long)follower.events, follower.events == 1 ? "" : "s",
			(unsigned long long)file->bytes);
	return status;
}

int command_record(int argc, char **argv)
{
	int status = options_parse(&usage, &argc, &argv);
	struct outfile file = { .fd = -1 };

	if (status != OPTIONS_GO_ON)
		return status;
	file.path = output;
	if (ring_argument(argv))
		return record_ring(*argv, &file);
	status = recording_run(&recording, &file, argv);
	if (outfile_close(&file))
		status = status ? status : EXIT_FAILED;
	if (status == EXIT_WRONG_USAGE)
		return status;
	report_command(&recording.target);
	if (file.bytes)
		summarize(&recording.recorder, &file);
	return recording_is_whole(&recording) ? status : EXIT_FAILED;
}
