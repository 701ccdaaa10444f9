/* SPDX-License-Identifier: MIT */
/*
 * userevents run: starts a program with the descriptor of a capture, and prints the
 * events of the program and of its children.
 *
 * The program waits while this one is slow, so that no event is lost. It inherits signal
 * dispositions and the signal mask as they were before this program changed them.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <userevents/capture.h>
#include <userevents/ring.h>
#include <userevents/session.h>

#include "output/capture_writer.h"
#include "commands.h"
#include "records/filter.h"
#include "records/ring_record.h"
#include "records/ring_text.h"
#include "cli/memory.h"
#include "cli/message.h"
#include "cli/options.h"
#include "cli/program.h"
#include "output/printer.h"
#include "cli/safe_text.h"

/* As for env(1), nohup(1) and others. */
#define EXIT_CANNOT_RUN 126
#define EXIT_NOT_FOUND 127

/* Shell scripts use the low numbers for files of their own. */
#define LOWEST_FD 100

/* Read at most so many events before looking at signals. */
#define EVENTS_AT_ONCE 1000

static struct filter filter;
static int is_json;
static const char *output;
static const char *recording;
static const char *meta;
static const char *mode;
static uint64_t buffer = 64u << 20;

static const struct tool_option options[] = {
	{ .name = "enable", .letter = 'e', .words = &filter.globs, .value = "GLOB",
	  .help = "Only events whose name matches: NAME of the tracepoint, of\n"
		  "EventHeader also EVENT or PROVIDER:EVENT. May be repeated." },
	{ .name = "json", .letter = 'j', .flag = &is_json,
	  .help = "JSON lines, with time and pid, instead of text. Unless\n"
		  "--output names a file, the program's own output goes to\n"
		  "standard error." },
	META_OPTION(meta),
	{ .name = "output", .letter = 'o', .text = &output, .value = "FILE", .is_path = 1,
	  .help = "Print to FILE; \"-\", the default, is standard output." },
	{ .name = "record", .text = &recording, .value = "FILE", .is_path = 1,
	  .help = "Keep the events in FILE, for \"userevents decode\", and\n"
		  "print none. With \"-\" the program's own output goes to\n"
		  "standard error." },
	{ .name = "mode", .letter = 'm', .text = &mode, .value = "MODE",
	  .help = "What happens if events arrive faster than they are printed\n"
		  "or kept: wait: the program waits (the default); drop: they\n"
		  "are lost, and counted (the default with --record)." },
	{ .name = "buffer", .letter = 'b', .number = &buffer, .value = "BYTES",
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
		"support by the kernel.\n\n"
		"Ends when the program and all processes that inherit its descriptor have ended.\n"
		"The exit status is the program's; 128 plus the number of the signal that ended\n"
		"it, 127 if there is no such program, 126 if it cannot be run.\n\n"
		"Lost events are reported where they are missing, and at the end by reason\n"
		"(\"userevents losses --help\"); so are events that the program has and never\n"
		"registered.\n",
	.options = options,
	.stops_at_argument = 1,
};

struct run {
	struct ue_capture *capture;
	struct printer printer;
	struct outfile out;
	struct capture_writer file; /* with --record */
	struct ring_events events;
	int has_failed;
	const char *program;
	sigset_t signals, signals_before;
	int signal_fd;
	pid_t pid; /* 0 once the program has ended */
	int status; /* of waitpid(2) */
	int is_closed; /* no program has the descriptor any more */
	int is_over;   /* and the program has ended, or a signal stopped us */
};

/* The capture */

/* Enable tracepoints that the glob names, and those whose events it may name. */
static int enable(struct run *run, const char *glob)
{
	size_t provider = strcspn(glob, ":");
	char events[300];
	int result = ue_capture_enable(run->capture, glob);

	if (result)
		return result;
	/* a colon may stand in a bracket, too; the filter decides in the end */
	if (glob[provider] && !memchr(glob, '[', provider))
		snprintf(events, sizeof(events), "%.*s_L*K*", (int)provider, glob);
	else
		strcpy(events, "*_L*K*");
	return ue_capture_enable(run->capture, events);
}

static int is_waiting(void)
{
	return mode ? !strcmp(mode, "wait") : !recording;
}

static int open_capture(struct run *run)
{
	const struct ue_capture_opts opts = {
		.size = sizeof(opts),
		.buffer = buffer < UINT32_MAX ? (uint32_t)buffer : UINT32_MAX,
		.flags = (is_waiting() ? UE_CAPTURE_WAIT : 0) | UE_CAPTURE_NAMES |
			 (filter.globs.count ? UE_CAPTURE_DISABLED : 0),
	};
	int result = ue_capture_open(&opts, &run->capture);

	filter_begin(&filter);
	for (size_t i = 0; !result && i < filter.globs.count; i++) {
		const char *glob = filter.globs.items[i];

		if (!strncmp(glob, "user_events:", strlen("user_events:")))
			glob += strlen("user_events:");
		result = enable(run, glob);
		if (result == -EINVAL) {
			message("cannot enable \"%s\": it is no GLOB for the name of an event", glob);
			return EXIT_WRONG_USAGE;
		}
	}
	if (!result)
		return 0;
	message("cannot capture the events: %s",
		result == -ENOSPC ? "there are too many -e; use fewer, or shorter ones" :
		result == -EFBIG  ? "ulimit -f allows no file of 256 KiB" :
				    strerror(-result));
	return EXIT_FAILED;
}

/* The program */

static void give_descriptor(const struct run *run)
{
	int fd = ue_capture_writer_fd(run->capture), high = fcntl(fd, F_DUPFD, LOWEST_FD);
	char number[16];

	if (high < 0)
		fcntl(fd, F_SETFD, 0);
	snprintf(number, sizeof(number), "%d", high < 0 ? fd : high);
	setenv(UE_ENVIRONMENT_FD, number, 1);
}

/* Whether events go to standard output in a format that other output would break. */
static int is_output_taken(const struct run *run)
{
	return (recording || is_json) && !strcmp(run->out.path, "-");
}

static void prepare_program(void *context)
{
	const struct run *run = context;

	if (is_output_taken(run))
		dup2(STDERR_FILENO, STDOUT_FILENO);
	sigprocmask(SIG_SETMASK, &run->signals_before, NULL);
	give_descriptor(run);
}

static int start_program(struct run *run, char **argv)
{
	struct program program;
	int error;

	run->program = argv[0];
	if (program_start(&program, argv, prepare_program, run))
		return EXIT_FAILED;
	error = program_go(&program);
	if (error)
		message("cannot run %s: %s", argv[0],
			error == ENOENT ? "there is no such program" : strerror(error));
	run->pid = error ? 0 : program.pid;
	return !error ? 0 : error == ENOENT ? EXIT_NOT_FOUND : EXIT_CANNOT_RUN;
}

/* Signals. The terminal sends those of its keys to the program, too. */

static int take_signals(struct run *run)
{
	static const int signals[] = { SIGCHLD, SIGINT, SIGQUIT, SIGTERM, SIGHUP };

	sigemptyset(&run->signals);
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		sigaddset(&run->signals, signals[i]);
	sigprocmask(SIG_BLOCK, &run->signals, &run->signals_before);
	run->signal_fd = signalfd(-1, &run->signals, SFD_CLOEXEC | SFD_NONBLOCK);
	if (run->signal_fd >= 0)
		return 0;
	message("cannot wait for signals: %s", strerror(errno));
	return EXIT_FAILED;
}

static void handle_signal(struct run *run, int number)
{
	switch (number) {
	case SIGCHLD:
		if (run->pid && waitpid(run->pid, &run->status, WNOHANG) == run->pid)
			run->pid = 0;
		break;
	case SIGTERM:
	case SIGHUP:
		if (run->pid)
			kill(run->pid, number);
		else
			run->is_over = 1;
		break;
	default:
		/* processes that the program left behind may never end */
		run->is_over |= !run->pid;
	}
}

static void handle_signals(struct run *run)
{
	struct signalfd_siginfo info;

	while (read(run->signal_fd, &info, sizeof(info)) == sizeof(info))
		handle_signal(run, (int)info.ssi_signo);
}

/* Events */

static void show_event(struct run *run, const struct ue_captured *event)
{
	struct record shown = ring_record(&run->events, event);

	/* a tracepoint has several EventHeader events, of which the filter may pass some */
	if (!filter_passes(&filter, &shown))
		return;
	if (recording)
		run->has_failed |= capture_writer_write(&run->file, event) < 0;
	else
		run->has_failed |= printer_print(&run->printer, &shown) < 0;
}

static int flush(struct run *run)
{
	return recording ? capture_writer_flush(&run->file) : printer_flush(&run->printer);
}

/* After a failure to write, the events are disabled. 1 if there may be more of them. */
static int show_events(struct run *run)
{
	struct ue_captured event;
	int result = 1;

	for (int i = 0; result == 1 && i < EVENTS_AT_ONCE; i++) {
		result = ue_capture_next(run->capture, &event);
		if (result == 1 && !run->has_failed)
			show_event(run, &event);
	}
	if (result == -ENOMEM)
		memory_is_short();
	if (result != 1)
		run->has_failed |= !run->has_failed && flush(run) < 0;
	if (run->has_failed)
		ue_capture_disable(run->capture, "*");
	run->is_closed |= result == -EPIPE;
	run->is_over |= run->is_closed && !run->pid;
	return result == 1;
}

static void watch(struct run *run)
{
	struct pollfd fds[2] = {
		{ .fd = ue_capture_poll_fd(run->capture), .events = POLLIN },
		{ .fd = run->signal_fd, .events = POLLIN },
	};
	int is_more = 0;

	while (!run->is_over) {
		poll(fds, 2, is_more ? 0 : -1);
		handle_signals(run);
		is_more = show_events(run);
		if (run->is_closed) /* a closed one would always be ready */
			fds[0].fd = -1;
	}
}

/* The end */

/* Report lost events; 1 if there are any. */
static int report_losses(const uint64_t *lost)
{
	const unsigned long long sum = losses_sum(lost);

	if (sum)
		message("%llu event%s lost: %s.", sum, sum == 1 ? " was" : "s were",
			losses_text(lost));
	return sum != 0;
}

#define NAMES_SHOWN 10

/* Such an event is never enabled, and the program cannot notice. */
static void report_unregistered(const struct run *run)
{
	const char *name = NULL, *names = "";
	size_t count = 0;

	while ((name = ue_capture_unregistered(run->capture, name)))
		if (count++ < NAMES_SHOWN)
			names = xprintf("%s%s%s", names, *names ? ", " : "", name);
	if (!count)
		return;
	message("%zu event%s never registered, so nothing can enable %s: %s%s; the program "
		"has to call ue_register_all().", count, count == 1 ? " was" : "s were",
		count == 1 ? "it" : "them", names, count > NAMES_SHOWN ? ", ..." : "");
}

static void report_counts(const struct run *run)
{
	struct ue_capture_counts counts;
	int is_any_lost;

	ue_capture_count(run->capture, &counts);
	is_any_lost = report_losses(counts.lost);
	if (counts.malformed)
		message("cannot parse %llu records: code other than the library wrote to its "
			"capture", (unsigned long long)counts.malformed);
	if (!counts.registered && WIFEXITED(run->status) &&
	    WEXITSTATUS(run->status) == EXIT_NOT_FOUND)
		message("cannot find out whether %s started: it ended with status 127, as the "
			"loader does when a library is missing; try: ldd %s", run->program,
			run->program);
	else if (!counts.registered)
		message("%s registered no events. It must call ue_open(NULL) and "
			"ue_register_all(), and leave the descriptor open that "
			UE_ENVIRONMENT_FD " names; a program that is set-user-id or "
			"set-group-id, or has file capabilities, ignores that variable.",
			run->program);
	else if (!counts.events && !is_any_lost)
		message(filter.globs.count ?
				"%s registered %llu event%s and wrote none that -e matches." :
				"%s registered %llu event%s and wrote none.", run->program,
			(unsigned long long)counts.registered,
			counts.registered == 1 ? "" : "s");
	for (size_t i = 0; i < filter.unmatched.count && counts.events; i++)
		message("There was no event that \"%s\" matches.", filter.unmatched.items[i]);
	report_unregistered(run);
}

static int exit_status(const struct run *run)
{
	if (WIFEXITED(run->status))
		return WEXITSTATUS(run->status);
	message("%s was ended by signal %d (%s).", run->program, WTERMSIG(run->status),
		strsignal(WTERMSIG(run->status)));
	return 128 + WTERMSIG(run->status);
}

static int finish(struct run *run)
{
	int failed = run->has_failed | (printer_end(&run->printer) < 0) |
		     (recording && flush(run) < 0);
	int status = exit_status(run);

	failed |= outfile_close(&run->out) < 0;
	capture_writer_free(&run->file);
	ring_events_free(&run->events);
	report_counts(run);
	ue_capture_close(run->capture);
	return failed && !status ? EXIT_FAILED : status;
}

#define HEADER_META \
	(UE_META_DEFAULT & ~(UE_META_TIME | UE_META_CPU | UE_META_TID | UE_META_COMM))

static int begin_printing(struct run *run)
{
	run->printer.format = is_json ? PRINT_JSONL : PRINT_TEXT;
	run->printer.meta = HEADER_META | (is_json ? UE_META_TIME : 0);
	if (meta && print_meta_parse(meta, &run->printer.meta))
		return EXIT_WRONG_USAGE;
	run->printer.has_colour = !is_json && !strcmp(run->out.path, "-") &&
				  terminal_has_colour(STDOUT_FILENO);
	return 0;
}

/*
 * Redirect the output once the program runs: the program keeps its own, and if it cannot
 * be started, no file loses its content.
 */
static void begin_output(struct run *run)
{
	run->has_failed = outfile_empty(&run->out) < 0;
	if (!recording)
		dup2(run->out.fd, STDOUT_FILENO);
	else if (!run->has_failed)
		run->has_failed = capture_writer_begin(&run->file, &run->out) < 0;
}

static int check_options(void)
{
	if (mode && strcmp(mode, "wait") && strcmp(mode, "drop")) {
		message("cannot run in the mode \"%s\": it must be wait or drop", mode);
		return EXIT_WRONG_USAGE;
	}
	if (!recording || (!is_json && !output && !meta))
		return 0;
	message("cannot run: --record excludes --json, --output and --meta; \"userevents "
		"decode\" prints the recorded events");
	return EXIT_WRONG_USAGE;
}

int command_run(int argc, char **argv)
{
	struct run run = { .signal_fd = -1, .out = { .fd = -1 } };
	int status = options_parse(&usage, &argc, &argv);

	if (status != OPTIONS_GO_ON)
		return status;
	if (!argc)
		return options_complain(&usage, "no program is given");
	run.out.path = recording ? recording : output ? output : "-";
	run.out.is_shared = !recording;
	status = check_options();
	if (!status)
		status = begin_printing(&run);
	if (!status)
		status = open_capture(&run);
	if (!status && outfile_open(&run.out))
		status = EXIT_FAILED;
	if (!status)
		status = take_signals(&run);
	if (!status)
		status = start_program(&run, argv);
	if (status) {
		outfile_close(&run.out);
		return status;
	}
	begin_output(&run);
	ue_capture_close_writer(run.capture);
	printer_begin(&run.printer);
	watch(&run);
	return finish(&run);
}
