/* SPDX-License-Identifier: MIT */
/*
 * Reads the kernel's events as they happen.
 *
 * A child records into a pipe, as "record -o -" does, and this process decodes the pipe.
 * So every event that can be recorded can be watched, and looks the same.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/cli/clock.h"
#include "common/cli/memory.h"
#include "common/cli/message.h"
#include "stream.h"
#include "read/input/open_input.h"

#define PIPE_MOST (16 << 20)
/* Ticks pass so often after a signal, even while the pipe is not read. */
#define EVENTS_AT_ONCE 64
/* When reading was ended: the time to empty the pipe, which counts the rest. */
#define EMPTY_NS 500000000
/* ... and for the recorder to complete its files; then it is killed, and not waited for. */
#define COMPLETE_NS ((int64_t)10000000000)
#define KILLED_NS 1000000000

struct watched {
	struct stream *stream;
	struct sink *sink;
	struct input input;
	struct ticks ticks;
	int result; /* of the sink */
	uint64_t events; /* read so far, also those that the filter leaves out */
	int64_t end; /* of reading, after a signal; 0: not yet known */
	int is_cut;  /* the recorder had not ended by then */
	int rest;    /* the pipe, if it is cut: new bytes are discarded */
	uint64_t counted; /* the events that the recorder had taken when they were counted */
};

/* Runs in the child, and returns its exit status. */
static int record(struct recording *recording, int fd, char **command)
{
	struct outfile file = { .fd = fd, .shown = "the pipe" };
	int status = recording_run(recording, &file, command);

	outfile_close(&file);
	if (status)
		return status;
	return recording_is_whole(recording) ? EXIT_ALL_WORKED : EXIT_FAILED;
}

static volatile sig_atomic_t recorder; /* 0: none */

/* The child ends; its last events are read. */
static void pass_on(int signal)
{
	recording_stop(signal); /* NOLINT(bugprone-signal-handler): it sets a flag */
	if (recorder > 0)
		kill((pid_t)recorder, signal);
}

static int is_over_time(struct watched *watched)
{
	const int64_t most = watched->stream->last_ns;
	int64_t now;

	if (!most || !recording_is_stopped())
		return 0;
	now = clock_now(CLOCK_MONOTONIC);
	if (!watched->end)
		watched->end = now + most;
	return now >= watched->end;
}

static void pass_tick(struct watched *watched)
{
	watched->stream->lost = watched->input.lost;
	watched->result = ticks_pass(&watched->ticks, watched->sink);
	if (!watched->result)
		watched->result = watched->is_cut = is_over_time(watched);
}

/* Called before the pipe is read, which may wait; not 0 ends the input. */
static int before_reading(void *context)
{
	struct watched *watched = context;
	struct sink *sink = watched->sink;
	struct pollfd fds[2] = {
		{ .fd = watched->input.source.fd, .events = POLLIN },
		{ .fd = sink->tick ? sink->fd : -1, .events = POLLIN },
	};

	pass_tick(watched);
	while (!watched->result && poll(fds, 1, 0) <= 0) {
		watched->result = sink_wait(sink);
		if (watched->result)
			break;
		poll(fds, 2, ticks_left(&watched->ticks, sink, -1));
		if (!fds[0].revents)
			pass_tick(watched);
	}
	return watched->result;
}

/* 1 or 0 at the end, or -1 after a failure. */
static int read_events(struct watched *watched)
{
	struct input *input = &watched->input;
	struct record record;
	uint64_t lost;
	int result;

	input->source.on_wait = before_reading;
	input->source.context = watched;
	while (!watched->result) {
		lost = input->lost;
		result = input_next(input, &record);
		count_lost_apart(watched->stream, input->lost - lost,
				 result > 0 ? &record : NULL);
		watched->stream->doubt_until = input->doubt_until;
		if (result <= 0)
			break;
		watched->result = deliver(watched->stream, watched->sink, &record, NULL);
		if (++watched->events % EVENTS_AT_ONCE == 0 && !watched->result &&
		    recording_is_stopped())
			pass_tick(watched);
	}
	return watched->result ? watched->result : result;
}

/* The recorder completes its files only if it can write into the pipe. 1: there may be more. */
static int discard(int fd, int milliseconds)
{
	static char unused[64 << 10];
	struct pollfd pipe = { .fd = fd, .events = POLLIN };

	return poll(&pipe, 1, milliseconds) > 0 && read(fd, unused, sizeof(unused)) > 0;
}

static void empty_pipe(const struct watched *watched)
{
	const int64_t end = watched->end + EMPTY_NS;
	int64_t left;

	while ((left = end - clock_now(CLOCK_MONOTONIC)) > 0)
		if (!discard(watched->rest, (int)(left / 1000000) + 1))
			break;
}

/*
 * Events that the recorder took out of the rings, and this process did not read in time.
 */
static void count_unread(struct watched *watched)
{
	struct recorder_counts *counts = watched->stream->recording.counts;
	const uint64_t known = watched->events + watched->input.unknown;
	uint64_t taken, lost;

	watched->rest = fcntl(watched->input.source.fd, F_DUPFD_CLOEXEC, 0);
	empty_pipe(watched);
	taken = atomic_load_explicit(&counts->taken, memory_order_relaxed);
	lost = atomic_load_explicit(&counts->lost, memory_order_relaxed);
	if (lost < watched->input.lost)
		lost = watched->input.lost;
	lost += taken > known ? taken - known : 0;
	watched->stream->lost_before += lost - watched->stream->lost;
	watched->stream->lost = lost;
	watched->counted = taken;
}

static int report(struct watched *watched)
{
	const struct filter *filter = &watched->stream->filter;
	struct input *input = &watched->input;

	if (input->lost)
		message("%llu event%s %s lost: a larger --buffer keeps more.",
			(unsigned long long)input->lost, PLURAL(input->lost), WERE(input->lost));
	filter_report_live(filter, &watched->stream->kinds);
	stacks_report(watched->stream);
	return input->lost || (filter->read && !filter->passed);
}

/* Decode the pipe; the child begins to write once it has its rings. */
static int follow(struct watched *watched, int fd)
{
	char path[32];
	int result;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	result = input_open(&watched->input, path);
	close(fd);
	if (!result)
		result = read_events(watched);
	watched->stream->lost = watched->input.lost;
	if (watched->is_cut)
		count_unread(watched);
	result = (sink_end(watched->sink) < 0) | (result < 0);
	if (!watched->result || watched->result == 1)
		result |= report(watched);
	input_close(&watched->input);
	return result;
}

static int wait_for(pid_t child, const char *verb)
{
	int status;

	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return EXIT_FAILED;
	if (WIFEXITED(status))
		return WEXITSTATUS(status);
	message("cannot %s: the recording process was ended by signal %d", verb,
		WTERMSIG(status));
	return EXIT_FAILED;
}

/* Whether the recorder has ended by then. */
static int ends_by(const struct watched *watched, int64_t end)
{
	pid_t ended;

	while (!(ended = waitpid((pid_t)recorder, NULL, WNOHANG)) &&
	       clock_now(CLOCK_MONOTONIC) < end)
		if (!discard(watched->rest, 20))
			poll(NULL, 0, 20);
	return ended != 0;
}

static void report_uncounted(const struct watched *watched)
{
	const uint64_t taken = atomic_load_explicit(&watched->stream->recording.counts->taken,
						    memory_order_relaxed);

	if (taken > watched->counted)
		message("%llu event%s came too late: that may be in the files, but is neither "
			"exported nor counted", (unsigned long long)(taken - watched->counted),
			PLURAL(taken - watched->counted));
}

/* A disk that hangs may hold it, even from SIGKILL. */
static void end_late_recorder(const struct watched *watched)
{
	const int64_t now = clock_now(CLOCK_MONOTONIC);

	if (!ends_by(watched, now + COMPLETE_NS)) {
		message("cannot %s to the end: the recording process does not end, as if its "
			"disk hung; it is killed, and what it had not written is lost",
			watched->stream->verb);
		kill((pid_t)recorder, SIGKILL);
		ends_by(watched, now + COMPLETE_NS + KILLED_NS);
	}
	report_uncounted(watched);
	close(watched->rest);
}

static int wait_for_recorder(const struct watched *watched)
{
	const char *verb = watched->stream->verb;

	if (!watched->is_cut)
		return wait_for((pid_t)recorder, verb);
	end_late_recorder(watched);
	return EXIT_FAILED;
}

/* Shared with the recorder. */
static struct recorder_counts *new_counts(void)
{
	struct recorder_counts *counts =
		mmap(NULL, sizeof(*counts), PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (counts == MAP_FAILED)
		memory_is_short();
	return counts;
}

/* A large pipe makes the recorder wait less; without root it stays small. */
static void widen(int fd)
{
	int size = PIPE_MOST;

	while (size >= 1 << 16 && fcntl(fd, F_SETPIPE_SZ, size) < 0)
		size /= 2;
}

static void pass_signals_on(const struct stream *stream)
{
	signal(SIGINT, pass_on);
	signal(SIGTERM, pass_on);
	if (!stream->keeps_hangup && signal(SIGHUP, pass_on) == SIG_IGN) /* nohup(1) */
		signal(SIGHUP, SIG_IGN);
}

static int fail(const struct stream *stream)
{
	message("cannot %s: %s", stream->verb, strerror(errno));
	return EXIT_FAILED;
}

int stream_kernel(struct stream *stream, char **command, struct sink *sink)
{
	struct watched watched = { .stream = stream, .sink = sink };
	struct kept_signals kept;
	int pipes[2], failed, status = operand_check(stream->verb, command);

	if (status)
		return status;
	if (!stream->recording.globs.count)
		stream->recording.globs = stream->filter.globs;
	stream->recording.expression = stream->filter.expression;
	stream->recording.counts = new_counts();
	if (pipe2(pipes, O_CLOEXEC))
		return fail(stream);
	widen(pipes[0]);
	recorder = fork();
	if (!recorder) {
		close(pipes[0]);
		prctl(PR_SET_PDEATHSIG, SIGTERM); /* even if the parent is killed */
		if (stream->keeps_hangup)
			signal(SIGHUP, SIG_IGN);
		exit(record(&stream->recording, pipes[1], command));
	}
	close(pipes[1]);
	if (recorder < 0) {
		close(pipes[0]);
		return fail(stream);
	}
	signals_keep(&kept);
	pass_signals_on(stream);
	if (recording_is_stopped()) /* by a signal before that */
		kill((pid_t)recorder, SIGTERM);
	stream->is_live = 1;
	failed = sink_begin(sink) < 0 || follow(&watched, pipes[0]);
	kill((pid_t)recorder, SIGTERM); /* it must not wait without a reader */
	status = wait_for_recorder(&watched);
	recorder = 0;
	signals_restore(&kept);
	munmap(stream->recording.counts, sizeof(struct recorder_counts));
	stream->recording.counts = NULL;
	return status ? status : failed ? EXIT_FAILED : EXIT_ALL_WORKED;
}
