/* SPDX-License-Identifier: MIT */
/*
 * userevents watch: prints events as they happen.
 *
 * A child records into a pipe, as "record -o -" does, and this process decodes the pipe.
 * So every event that can be recorded can be watched, and looks the same.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "commands.h"
#include "records/filter.h"
#include "input/open_input.h"
#include "cli/message.h"
#include "output/printer.h"
#include "record/follow_ring.h"
#include "record/recording.h"
#include "cli/safe_text.h"
#include "tracefs/tracing_files.h"

#define PIPE_MOST (16 << 20)

static struct recording recording = { .fd = -1, .is_quiet = 1, .is_watched = 1 };
static struct filter filter;
static int json;
static const char *meta_text = "+n"; /* the default */

static const struct tool_option options[] = {
	RECORDING_OPTIONS(recording),
	{ .name = "json", .letter = 'j', .flag = &json,
	  .help = "JSON lines instead of text." },
	META_OPTION(meta_text),
	OPTIONS_END,
};

static const struct usage usage = {
	.command = "watch",
	.arguments = "[COMMAND [ARGUMENT...] | RING]",
	.help = "Prints events as they happen, one a line, until Ctrl-C, the end of the\n"
		"command or the processes, or for the given time. Losses are reported\n"
		"at the end. The exit status is 1 if events were lost, or if there were none.\n\n"
		"Of a RING, a file of \"userevents ring\", -e selects, but does not enable; the\n"
		"options -r, -p, -a, -b and --tracefs are not for rings. If its mode is\n"
		"overwrite, new events are printed, and stay there; otherwise all events are\n"
		"taken out, also those that were written before, or that -e does not select.\n",
	.options = options,
	.stops_at_argument = 1,
};

/* Runs in the child, and returns its exit status. */
static int record(int fd, char **command)
{
	struct outfile file = { .fd = fd, .shown = "the pipe" };
	int status = recording_run(&recording, &file, command);

	outfile_close(&file);
	if (status)
		return status;
	return recording_is_whole(&recording) ? EXIT_ALL_WORKED : EXIT_FAILED;
}

/* Write the text before waiting for more records; without a reader, end. */
static int show(void *printer)
{
	return printer_flush(printer);
}

static pid_t recorder;

/* The child ends; what it still writes is printed. */
static void pass_on(int signal)
{
	kill(recorder, signal);
}

static int print_all(struct input *input, struct printer *printer)
{
	struct record record;
	int result;

	input->source.on_wait = show;
	input->source.context = printer;
	while ((result = input_next(input, &record)) > 0)
		if (filter_passes(&filter, &record) && printer_print(printer, &record))
			break;
	return result;
}

/* Report globs that no event matched, if there were events; 1 if none passed. */
static int report_unmatched(void)
{
	for (size_t i = 0; i < filter.unmatched.count && filter.read; i++)
		message("There was no event that \"%s\" matches.",
			filter.unmatched.items[i]);
	return filter.read && !filter.passed;
}

/* Decode the pipe; the child begins to write once it has its rings. */
static int print(int fd, struct printer *printer)
{
	struct input input;
	char path[32];
	int result;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	result = input_open(&input, path);
	close(fd);
	if (!result) {
		result = print_all(&input, printer);
		if (input.lost)
			message("%llu events were lost: a larger --buffer keeps more.",
				(unsigned long long)input.lost);
		result = result || input.lost || report_unmatched();
	}
	input_close(&input);
	return result;
}

static int wait_for(pid_t child)
{
	int status;

	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return EXIT_FAILED;
	if (WIFEXITED(status))
		return WEXITSTATUS(status);
	message("cannot watch: the recording process was ended by signal %d", WTERMSIG(status));
	return EXIT_FAILED;
}

/* A large pipe makes the recorder wait less; without root it stays small. */
static void widen(int fd)
{
	int size = PIPE_MOST;

	while (size >= 1 << 16 && fcntl(fd, F_SETPIPE_SZ, size) < 0)
		size /= 2;
}

static int watch(struct printer *printer, char **command)
{
	int pipes[2], failed, status;

	if (pipe2(pipes, O_CLOEXEC)) {
		message("cannot watch: %s", strerror(errno));
		return EXIT_FAILED;
	}
	widen(pipes[0]);
	recorder = fork();
	if (!recorder) {
		close(pipes[0]);
		prctl(PR_SET_PDEATHSIG, SIGTERM); /* even if the parent is killed */
		exit(record(pipes[1], command));
	}
	close(pipes[1]);
	if (recorder < 0) {
		message("cannot watch: %s", strerror(errno));
		return EXIT_FAILED;
	}
	signal(SIGINT, pass_on);
	signal(SIGTERM, pass_on);
	if (signal(SIGHUP, pass_on) == SIG_IGN) /* nohup(1) */
		signal(SIGHUP, SIG_IGN);
	filter.globs = recording.globs;
	filter_begin(&filter);
	printer_begin(printer);
	failed = print(pipes[0], printer);
	failed |= printer_end(printer);
	kill(recorder, SIGTERM); /* it must not wait without a reader */
	status = wait_for(recorder);
	return status ? status : failed ? EXIT_FAILED : EXIT_ALL_WORKED;
}

/* A ring needs no recording process. */

static int begin_printing(struct ring_follower *follower)
{
	printer_begin(follower->context);
	return 0;
}

static int print_event(struct ring_follower *follower, const struct ue_captured *event,
		       const struct record *record)
{
	(void)event;
	return printer_print(follower->context, record);
}

static int flush(struct ring_follower *follower)
{
	return printer_flush(follower->context);
}

static int watch_ring(struct printer *printer, const char *path)
{
	struct ring_follower follower = {
		.path = path,
		.verb = "watch",
		.recording = &recording,
		.begin = begin_printing,
		.take = print_event,
		.wait = flush,
		.context = printer,
	};
	int status = ring_check_options(&recording, "watch");

	if (status)
		return status;
	status = ring_follow(&follower);
	if (printer_end(printer))
		status = status ? status : EXIT_FAILED;
	return status;
}

int command_watch(int argc, char **argv)
{
	int status = options_parse(&usage, &argc, &argv);
	struct printer printer = { .format = PRINT_TEXT };

	if (status != OPTIONS_GO_ON)
		return status;
	if (print_meta_parse(meta_text, &printer.meta))
		return EXIT_WRONG_USAGE;
	if (json)
		printer.format = PRINT_JSONL;
	printer.has_colour = !json && terminal_has_colour(STDOUT_FILENO);
	return ring_argument(argv) ? watch_ring(&printer, *argv) : watch(&printer, argv);
}
