/* SPDX-License-Identifier: MIT */
/*
 * Starts a program with the descriptor of a capture, and reads the events of the program and
 * of its children.
 *
 * The program inherits signal dispositions and the signal mask as they were before this
 * program changed them.
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

#include "common/cli/memory.h"
#include "common/cli/message.h"
#include "common/cli/program.h"
#include "common/records/ring_record.h"
#include "common/stacks/stacks.h"
#include "stream.h"

/* Reports the losses of a program that was run, and why no event came. */

/* Report lost events; 1 if there are any. */
static int report_losses(const uint64_t *lost)
{
	const unsigned long long sum = losses_sum(lost);

	if (sum)
		message("%llu event%s %s lost: %s.", sum, PLURAL(sum), WERE(sum),
			losses_text(lost));
	return sum != 0;
}

#define NAMES_SHOWN 10

/* A program can register one of several events of a name. 1 if there is another. */
static int report_namesakes(const struct ue_capture *capture)
{
	const char *one = NULL;
	size_t count = 0;

	while (count < NAMES_SHOWN && (one = ue_capture_unregistered(capture, one))) {
		const char *other = ue_capture_namesake(capture, one);

		if (!other)
			continue;
		message("cannot register \"%s\": \"%s\" has its name, and other fields; rename "
			"one of them", one, other);
		count++;
	}
	return count > 0;
}

/* An event that was never registered is never enabled, and the program cannot notice. */
static void report_unregistered(const struct ue_capture *capture)
{
	const char *one = NULL;
	AUTO(bytes_free) struct bytes names = { 0 };
	size_t count = 0;

	while ((one = ue_capture_unregistered(capture, one)))
		if (!ue_capture_namesake(capture, one))
			bytes_list(&names, count++, "%.*s", (int)strcspn(one, " "), one);
	if (count)
		message("%zu event%s never registered, so nothing can enable %s: %s; the "
			"program has to call ue_register_all().", count,
			count == 1 ? " was" : "s were", count == 1 ? "it" : "them",
			(const char *)names.at);
}

/* An event that the program registered; the caller frees it. NULL: none is near. */
static char *registered_near(const struct ue_capture *capture, const char *glob)
{
	static const char system[] = "user_events:";
	struct words names = { .count = 0 };
	const char *definition = NULL;

	while ((definition = ue_capture_registered(capture, definition)))
		words_add(&names, xstrndup(definition, strcspn(definition, " ")));
	if (!strncmp(glob, system, strlen(system)))
		glob += strlen(system);
	return words_nearest(&names, glob);
}

static void report_unwritten(const struct ue_capture *capture, uint64_t registered,
			     const struct filter *filter, const char *program)
{
	const struct words *globs = &filter->globs;
	AUTO_FREE char *near =
		globs->count ? registered_near(capture, globs->items[0]) : NULL;

	message("%s registered %llu event%s and wrote none%s%s%s%s", program,
		(unsigned long long)registered, PLURAL(registered),
		globs->count ? " that -e matches" : "",
		near ? "; did you mean \"" : ".", near ? near : "", near ? "\"?" : "");
}

/* No event came. status: of waitpid(2). */
static void report_none(const struct ue_capture *capture,
			const struct ue_capture_counts *counts, const struct filter *filter,
			const char *program, int status)
{
	if (!counts->registered && WIFEXITED(status) && WEXITSTATUS(status) == EXIT_NOT_FOUND)
		message("cannot find out whether %s started: it ended with status 127, as the "
			"loader does when a library is missing; try: ldd %s", program, program);
	else if (!counts->registered && WIFSIGNALED(status))
		message("%s registered no events before the signal ended it.", program);
	else if (!counts->registered)
		message("%s registered no events. It " MUST_REGISTER ", and leave the "
			"descriptor open that " UE_ENVIRONMENT_FD " names; "
			IGNORES_VARIABLE ".", program);
	else
		report_unwritten(capture, counts->registered, filter, program);
}

/*
 * Report losses, why no event came, and events that were never registered. status: of
 * waitpid(2). Returns 1 if events are missing: some were lost or cannot be parsed, none was
 * registered, or one cannot be, as another has its name; else 0.
 */
static int program_report(const struct ue_capture *capture, const struct stream *stream,
			  const char *program, int status)
{
	struct ue_capture_counts counts;
	int is_any_lost;

	ue_capture_count(capture, &counts);
	is_any_lost = report_losses(counts.lost);
	if (counts.malformed)
		message("cannot parse %llu record%s: code other than the library wrote to its "
			"capture", (unsigned long long)counts.malformed,
			PLURAL(counts.malformed));
	if (!counts.registered || (!counts.events && !is_any_lost))
		report_none(capture, &counts, &stream->filter, program, status);
	filter_report_live(&stream->filter, &stream->kinds);
	stacks_report(stream);
	report_unregistered(capture);
	return report_namesakes(capture) || is_any_lost || counts.malformed ||
	       !counts.registered;
}

/* Shell scripts use the low numbers for files of their own. */
#define LOWEST_FD 100

/* Read at most so many events before looking at signals. */
#define EVENTS_AT_ONCE 1000

#define USUAL_BUFFER (64u << 20)

struct run {
	struct stream *stream;
	struct sink *sink;
	struct ue_capture *capture;
	struct ring_events events;
	struct ring_stacks stacks;
	struct ticks ticks;
	int result; /* of the sink: 0 while it takes events */
	const char *program;
	sigset_t signals, signals_before;
	int signal_fd;
	pid_t pid; /* 0 once the program has ended */
	int status; /* of waitpid(2) */
	int is_closed; /* no program has the descriptor any more */
	int is_over;   /* and the program has ended, or a signal stopped us */
	int is_interrupted; /* a signal came, which the program may go on after */
};

/* The capture */

static int enable(void *context, const char *glob)
{
	return ue_capture_enable(context, glob);
}

static int enable_all(struct run *run)
{
	const struct words *globs = &run->stream->filter.globs;
	int result = 0;

	for (size_t i = 0; !result && i < globs->count; i++) {
		result = ring_globs(globs->items[i], enable, run->capture);
		if (result == -EINVAL)
			message("cannot enable \"%s\": it is no GLOB for the name of an event",
				globs->items[i]);
	}
	return result;
}

static int ask_for_stack(void *context, const char *glob)
{
	const struct run *run = context;

	return ue_capture_stack(run->capture, glob,
				recording_frames(&run->stream->recording));
}

static int ask_for_stacks(struct run *run)
{
	const char *failed;
	const int result = stacks_ask(run->stream, ask_for_stack, run, &failed);

	if (result == -EINVAL)
		message("cannot ask for stacks of \"%s\": it is no GLOB for the name of an event",
			failed);
	return result;
}

static int is_waiting(const struct stream *stream)
{
	return stream->mode ? !strcmp(stream->mode, "wait") : !stream->drops;
}

static int open_capture(struct run *run)
{
	const struct stream *stream = run->stream;
	const uint64_t buffer = stream->buffer ? stream->buffer : USUAL_BUFFER;
	const struct ue_capture_opts opts = {
		.size = sizeof(opts),
		.buffer = buffer < UINT32_MAX ? (uint32_t)buffer : UINT32_MAX,
		.flags = (is_waiting(stream) ? UE_CAPTURE_WAIT : 0) | UE_CAPTURE_NAMES |
			 (stream->filter.globs.count ? UE_CAPTURE_DISABLED : 0),
	};
	int result = ue_capture_open(&opts, &run->capture);

	if (!result)
		result = ask_for_stacks(run);
	if (!result)
		result = enable_all(run);
	if (result == -EINVAL)
		return EXIT_WRONG_USAGE;
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

static void prepare_program(void *context)
{
	const struct run *run = context;

	if (!run->stream->keeps_output)
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
	run->pid = error ? 0 : program.pid;
	return error ? program_complain(argv[0], error) : 0;
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
	run->is_interrupted |= number != SIGCHLD;
	switch (number) {
	case SIGCHLD:
		if (run->pid && waitpid(run->pid, &run->status, WNOHANG) == run->pid)
			run->pid = 0;
		break;
	case SIGTERM:
	case SIGHUP:
		recording_stop(number);
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

/*
 * After a failure of the sink, events are disabled, and the program goes on. If the sink has
 * had enough, the program is to end.
 */
static void take_result(struct run *run, int result)
{
	if (!result || run->result)
		return;
	run->result = result;
	ue_capture_disable(run->capture, "*");
	if (result > 0 && run->pid)
		kill(run->pid, SIGTERM);
}

static void pass_event(struct run *run, const struct ue_captured *event)
{
	const struct ring_stack stack = ring_stack_of(event);
	struct record record = ring_record(&run->events, event);

	if (!ring_stacks_take(&run->stacks, &record, &stack))
		return;
	take_result(run, deliver(run->stream, run->sink, &record, event));
}

static void pass_losses(struct run *run)
{
	struct ue_capture_counts counts;

	if (run->result || !run->sink->take_losses)
		return;
	ue_capture_count(run->capture, &counts);
	run->sink->take_losses(run->sink, &counts);
}

/* The next event: as ue_capture_next(). */
static int next_event(struct run *run)
{
	struct ue_captured event;
	const int result = ue_capture_next(run->capture, &event);

	if (result == 1 && !run->result)
		pass_event(run, &event);
	return result;
}

/* The next page, which may have many. */
static int next_page(struct run *run)
{
	struct ue_captured_page page;
	const int result = ue_capture_next_page(run->capture, &page);

	if (result == 1 && !run->result)
		take_result(run,
			    deliver_page(run->stream, run->sink, &run->events, &page));
	return result;
}

/* 1 if there may be more of them. */
static int pass_events(struct run *run)
{
	int result = 1;

	for (int i = 0; result == 1 && i < EVENTS_AT_ONCE; i++)
		result = run->sink->take_page ? next_page(run) : next_event(run);
	if (result == -ENOMEM)
		memory_is_short();
	pass_losses(run);
	if (result != 1 && !run->result)
		take_result(run, sink_wait(run->sink));
	run->is_closed |= result == -EPIPE;
	/* a sink that has had enough does not wait for the program's leftovers */
	run->is_over |= !run->pid && (run->is_closed || run->result > 0);
	return result == 1;
}

static void pass_tick(struct run *run)
{
	struct ue_capture_counts counts;

	if (run->result || !run->sink->tick)
		return;
	ue_capture_count(run->capture, &counts);
	run->stream->lost = losses_sum(counts.lost);
	take_result(run, ticks_pass(&run->ticks, run->sink));
}

/* After the last tick, only the program and signals are waited for. */
static int wait_time(struct run *run)
{
	return run->result ? -1 : ticks_left(&run->ticks, run->sink, -1);
}

static void follow(struct run *run)
{
	struct pollfd fds[3] = {
		{ .fd = ue_capture_poll_fd(run->capture), .events = POLLIN },
		{ .fd = run->signal_fd, .events = POLLIN },
		{ .fd = run->sink->tick ? run->sink->fd : -1, .events = POLLIN },
	};
	int is_more = 0;

	while (!run->is_over) {
		poll(fds, 3, is_more ? 0 : wait_time(run));
		handle_signals(run);
		is_more = pass_events(run);
		pass_tick(run);
		if (run->result)
			fds[2].fd = -1;
		if (run->is_closed) /* a closed one would always be ready */
			fds[0].fd = -1;
	}
}

/* The end */

static int exit_status(const struct run *run)
{
	if (WIFEXITED(run->status))
		return WEXITSTATUS(run->status);
	message("%s was ended by signal %d (%s).", run->program, WTERMSIG(run->status),
		strsignal(WTERMSIG(run->status)));
	return 128 + WTERMSIG(run->status);
}

static void close_run(struct run *run)
{
	ue_capture_close(run->capture);
	if (run->signal_fd < 0)
		return;
	close(run->signal_fd);
	sigprocmask(SIG_SETMASK, &run->signals_before, NULL);
}

static int finish(struct run *run)
{
	struct ue_capture_counts counts;
	int failed, status;

	ue_capture_count(run->capture, &counts);
	run->stream->lost = run->stream->lost_before = losses_sum(counts.lost);
	handle_signals(run);
	run->stream->is_interrupted = run->is_interrupted;
	sigprocmask(SIG_SETMASK, &run->signals_before, NULL); /* the sink's end may take long */
	failed = (sink_end(run->sink) < 0) | (run->result < 0);
	status = exit_status(run);

	ring_events_free(&run->events);
	ring_stacks_free(&run->stacks);
	failed |= program_report(run->capture, run->stream, run->program, run->status);
	return failed && !status ? EXIT_FAILED : status;
}

static int check_mode(const struct stream *stream)
{
	if (!stream->mode || !strcmp(stream->mode, "wait") || !strcmp(stream->mode, "drop"))
		return 0;
	message("cannot %s in the mode \"%s\": it must be wait or drop", stream->verb,
		stream->mode);
	return EXIT_WRONG_USAGE;
}

/* The program, up to its end. */
static int run_program(struct run *run)
{
	run->stream->is_live = 1;
	run->result = sink_begin(run->sink);
	if (run->result)
		ue_capture_disable(run->capture, "*");
	ue_capture_close_writer(run->capture);
	follow(run);
	return finish(run);
}

int stream_program(struct stream *stream, char **argv, struct sink *sink)
{
	struct run run = { .stream = stream, .sink = sink, .signal_fd = -1 };
	int status = check_mode(stream);

	if (!status)
		status = open_capture(&run);
	if (!status)
		status = take_signals(&run);
	if (!status)
		status = start_program(&run, argv);
	if (!status)
		status = run_program(&run);
	close_run(&run);
	return status;
}
