/* SPDX-License-Identifier: MIT */
/*
 * userevents record: records events into a file.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "commands.h"
#include "cli/message.h"
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
	.arguments = "[COMMAND [ARGUMENT...]]",
	.help = "Records events into a file that perf script and userevents decode read.\n"
		"Ends with Ctrl-C, with the command or the processes, or at a limit.\n"
		"The exit status is 1 also if there was no event, or if some were lost.\n",
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

int command_record(int argc, char **argv)
{
	int status = options_parse(&usage, &argc, &argv);
	struct outfile file = { .fd = -1 };

	if (status != OPTIONS_GO_ON)
		return status;
	file.path = output;
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
