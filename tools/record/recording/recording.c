/* SPDX-License-Identifier: MIT */
/* Runs a recording from its options to its end, and reports on it. */
#include "recording.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/cli/options.h"
#include "common/cli/clock.h"
#include "common/cli/memory.h"
#include "common/cli/message.h"
#include "recorder.h"
#include "kernel/tracefs/tracing_files.h"

/* The tool looks for new tracepoints, and empties the rings, this often. */
#define TICK_MS 100
#define PROGRESS_NS 500000000u
#define USUAL_BUFFER ((size_t)4 << 20)
#define LEAST_OVERWRITTEN ((size_t)128 << 10)

static volatile sig_atomic_t is_stopped, is_dump_wanted;

void recording_stop(int signal)
{
	(void)signal;
	is_stopped = 1;
}

/* SA_RESTART is not set, so that waiting ends. */
void recording_catch_signals(void)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction action = { .sa_handler = recording_stop }, before;

	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		/* nohup(1) counts for the tool and for the command */
		if (signals[i] == SIGHUP && !sigaction(SIGHUP, NULL, &before) &&
		    before.sa_handler == SIG_IGN)
			continue;
		sigaction(signals[i], &action, NULL);
	}
}

static void want_dump(int signal)
{
	(void)signal;
	is_dump_wanted = 1;
}

/* Also of a new file. */
static void catch_dump_signal(void)
{
	struct sigaction action = { .sa_handler = want_dump };

	sigaction(SIGUSR1, &action, NULL);
}

int recording_is_stopped(void)
{
	return is_stopped;
}

static uint64_t now(void)
{
	return (uint64_t)clock_now(CLOCK_MONOTONIC);
}

/* Progress */

static const char *with_unit(uint64_t bytes, char *text, size_t size)
{
	if (bytes < 10 << 10)
		snprintf(text, size, "%llu bytes", (unsigned long long)bytes);
	else if (bytes < 10 << 20)
		snprintf(text, size, "%llu kB", (unsigned long long)bytes >> 10);
	else
		snprintf(text, size, "%llu MB", (unsigned long long)bytes >> 20);
	return text;
}

static void show_progress(const struct recorder *recorder)
{
	uint64_t bytes = recorder->series.bytes + recorder->kept.length +
			 (recorder->file->fd < 0 ? 0 : recorder->file->bytes);
	char size[32];

	if (!recorder->tracepoints)
		fprintf(stderr, "\r\x1b[KWaiting for an event to be registered.");
	else
		fprintf(stderr, "\r\x1b[K%llu events of %zu tracepoints, %s, %llu lost",
			(unsigned long long)recorder->taken, recorder->tracepoints,
			with_unit(bytes, size, sizeof(size)),
			(unsigned long long)recorder->lost);
	fflush(stderr);
}

static int has_progress(const struct recording *recording)
{
	return !recording->is_quiet && isatty(STDERR_FILENO);
}

/* Recording */

#define SYNTHETIC "synthetic"

/*
 * perf_event_open() refuses synthetic events with ENODEV, as it does a processor that has gone,
 * and Linux 6.12 then never releases the module of the event.
 */
static int leave_out(struct recorder *recorder, const struct listed_event *event)
{
	message("cannot record " SYNTHETIC ":%s: perf refuses synthetic events; record it "
		"with: trace-cmd record -B INSTANCE -e " SYNTHETIC ":%s, and read that file",
		event->name, event->name);
	recorder->left_out++;
	return 0;
}

static int take_event(void *context, const struct listed_event *event)
{
	struct recorder *recorder = context;

	if (recorder->filter.spares_sched && !strcmp(event->system, "sched") &&
	    recorder_has_tracepoint(recorder, event->id))
		return 0;
	return strcmp(event->system, SYNTHETIC) ? recorder_add(recorder, event) :
						  leave_out(recorder, event);
}

/* Waiting would be in vain. */
static int has_synthetic_globs_only(const struct words *globs)
{
	for (size_t i = 0; i < globs->count; i++)
		if (strncmp(globs->items[i], SYNTHETIC ":", strlen(SYNTHETIC ":")))
			return 0;
	return globs->count > 0;
}

static int is_full(const struct recording *recording)
{
	return recording->size && recording->recorder.file->bytes >= recording->size;
}

/* The milliseconds to wait: a tick, or up to the end. */
static int next_wait(uint64_t end)
{
	uint64_t time = now();

	if (!end || end - time > TICK_MS * 1000000u)
		return TICK_MS;
	return (int)((end - time) / 1000000 + 1);
}

/* The events that were written before the signal are in the rings, so empty them first. */
static int pass(struct recorder *recorder)
{
	int dumps = is_dump_wanted;

	if (dumps) /* only then: a signal between a look and a reset would be lost */
		is_dump_wanted = 0;
	recorder->filter.asks = 0;
	if (recorder_pass(recorder))
		return -1;
	dumps |= recorder->filter.asks;
	if (!dumps)
		return 0;
	return recorder->kept.at ? recorder_dump(recorder, 0) : recorder_turn(recorder);
}

/* Events that were written before it was attached to are known to nobody. */
static int look_for_late(struct recording *recording, struct event_list *list,
			 uint64_t *looked)
{
	struct recorder *recorder = &recording->recorder;
	const size_t before = recorder->tracepoints;
	const uint64_t begun = now();

	if (event_list_look(list, take_event, recorder))
		return -1;
	if (recorder->tracepoints != before) {
		recording->late += recorder->tracepoints - before;
		if (now() - *looked > recording->late_ns)
			recording->late_ns = now() - *looked;
		recorder_count_late(recorder, recorder->tracepoints - before);
	}
	if (recording->is_lasting)
		recording_report_missed(recording);
	*looked = begun;
	return 0;
}

static int run(struct recording *recording, struct event_list *list, uint64_t end)
{
	struct recorder *recorder = &recording->recorder;
	int progress = has_progress(recording), is_over = 0;
	uint64_t shown = 0, looked = now();

	while (!is_over && !is_stopped && !is_full(recording) && (!end || now() < end)) {
		recorder_wait(recorder, next_wait(end));
		is_over = target_is_over(recorder->target);
		/* processors first: events missed on them are counted nowhere */
		if (recorder_follow_processors(recorder) || pass(recorder) ||
		    look_for_late(recording, list, &looked))
			return -1;
		if (progress && now() - shown >= PROGRESS_NS) {
			show_progress(recorder);
			shown = now();
		}
	}
	return 0;
}

int recording_duration(const struct recording *recording, uint64_t *nanoseconds)
{
	const char *text = recording->duration;
	char *end;
	double seconds;

	*nanoseconds = 0;
	if (!text)
		return 0;
	seconds = strtod(text, &end);
	if (*end || end == text || !(seconds > 0) || seconds > 1e9) {
		message("cannot parse the duration \"%s\": it is not seconds, such as 2.5", text);
		return -1;
	}
	*nanoseconds = (uint64_t)(seconds * 1e9);
	return 0;
}

/* Events of other systems can be recorded without user_events. */
static int names_other_system(const struct words *globs)
{
	for (size_t i = 0; i < globs->count; i++)
		if (strchr(globs->items[i], ':'))
			return 1;
	return 0;
}

int recording_check_stacks(const struct usage *usage, const struct recording *recording)
{
	if (recording->frames > FRAMES_MOST_ASKED)
		return options_complain(usage, "--frames is at most %u", FRAMES_MOST_ASKED);
	if (recording->frames && !recording->stacks.count)
		return options_complain(usage, "--frames is of --stack; use both");
	return 0;
}

/* The whole file is written here, from its first byte to its last. */
static int write_events(struct recording *recording, struct event_list *list,
			uint64_t duration)
{
	struct recorder *recorder = &recording->recorder;
	int result = -1;

	recorder->rings.is_late = 1;
	if (!recorder->kept.at && outfile_empty(recorder->file))
		return -1;
	if (!recorder_pass(recorder))
		result = run(recording, list, duration ? now() + duration : 0);
	if (has_progress(recording))
		fprintf(stderr, "\r\x1b[K");
	if (recorder_finish(recorder))
		result = -1;
	if (!result)
		recording_report(recording, &list->unmatched);
	return result;
}

static int open_one_file(const struct recording *recording, struct outfile *file)
{
	if (outfile_open(file))
		return -1;
	if (!recording->keep_free.text || file->is_regular)
		return 0;
	message("cannot record into %s: --keep-free is for files; give --output the name of one",
		file->shown);
	return -1;
}

/* Open the first file; with --overwrite check only that one can be created. */
static int open_output(struct recording *recording)
{
	struct recorder *recorder = &recording->recorder;
	struct outfile *file = recorder->file;

	recorder->file_size = recording->rotate;
	recorder->series.files = recording->files;
	recorder->series.keep_free = recording->keep_free;
	if (!recording->rotate && !recording->overwrite)
		return open_one_file(recording, file);
	catch_dump_signal();
	if (file_series_begin(&recorder->series, file->path))
		return -1;
	if (!recording->overwrite)
		return file_series_open(&recorder->series, file);
	recorder_keep(recorder, recording->overwrite);
	return 0;
}

/* Record, with the command waiting to begin. */
static int record(struct recording *recording, uint64_t duration)
{
	struct recorder *recorder = &recording->recorder;
	AUTO(event_list_free) struct event_list list = {
		.directory = recorder->tracefs,
		.globs = &recording->globs,
		.takes_events = recording->is_watched,
	};
	int result;

	for (size_t i = 0; i < recording->globs.count; i++)
		words_add(&list.unmatched, recording->globs.items[i]);
	/* until the command runs, a failure leaves the old content of the file alone */
	result = open_output(recording) ||
		 (recorder->second &&
		  second_output_begin(recorder->second, recorder->tracefs)) ||
		 recorder_begin(recorder) ||
		 (recording->has_sched && recorder_add_sched(recorder)) ||
		 event_list_look(&list, take_event, recorder) ||
		 (recorder->left_out && has_synthetic_globs_only(&recording->globs)) ||
		 target_go(&recording->target) ||
		 write_events(recording, &list, duration) ? EXIT_FAILED : 0;
	recording->is_unmatched = recording->globs.count &&
				  list.unmatched.count == recording->globs.count;
	recorder->left_out += list.left_out;
	recorder->is_at_end = !result;
	return result;
}

/* Check the arguments before touching tracefs; then find it, and start the command. */
static int prepare(struct recording *recording, char **command)
{
	struct recorder *recorder = &recording->recorder;
	int result;

	if (recording->pids.count && *command) {
		message("cannot record: --pid and a command exclude each other");
		return EXIT_WRONG_USAGE;
	}
	result = target_add_processes(&recording->target, &recording->pids);
	if (result)
		return result;
	recorder->tracefs = tracing_find(recording->tracefs);
	if (!recorder->tracefs || (!names_other_system(&recording->globs) &&
				   tracing_lacks_user_events(recorder->tracefs)) ||
	    (*command && target_start(&recording->target, command)))
		return EXIT_FAILED;
	if (recording->has_all_processes)
		recording->target.thread_count = 0;
	return register_first(recording, *command);
}

/*
 * In a burst that the tool cannot follow, the kernel's rings are the memory of
 * --overwrite, so all of them have as much. A part of each is being written.
 */
static size_t usual_buffer(const struct recording *recording)
{
	/* machines may have far more numbers than processors */
	const size_t processors = (size_t)sysconf(_SC_NPROCESSORS_ONLN);

	return recording->overwrite ? (size_t)recording->overwrite / processors :
				      USUAL_BUFFER;
}

/* Less could be overwritten as a whole while it is copied (target/perf_rings.c). */
static size_t buffer_of(const struct recording *recording)
{
	const size_t least = recording->overwrite ? LEAST_OVERWRITTEN : 0;
	size_t buffer = recording->buffer;

	if (!buffer)
		buffer = usual_buffer(recording);
	return buffer > least ? buffer : least;
}

int recording_run(struct recording *recording, struct outfile *file, char **command)
{
	struct recorder *recorder = &recording->recorder;
	uint64_t duration;
	int result;

	recording_catch_signals(); /* first, as watch sends one when the pipe is closed */
	if (recording_duration(recording, &duration))
		return EXIT_WRONG_USAGE;
	*recorder = (struct recorder){
		.target = &recording->target,
		.file = file,
		.second = recording->second,
		.counts = recording->counts,
		.is_watched = recording->is_watched,
		.buffer = buffer_of(recording),
		.stacks = &recording->stacks,
		.frames = recording_frames(recording),
		.buffer_is_given = recording->buffer > 0,
	};
	for (size_t i = 0; i < recording->stacks.count; i++)
		words_add(&recorder->stacks_unmatched, recording->stacks.items[i]);
	recorder->filter.is_for_kernel = recording->is_watched;
	if (event_filter_parse(&recorder->filter, recording->expression, recording->dump_when))
		return EXIT_WRONG_USAGE;
	result = prepare(recording, command);
	if (!result)
		result = record(recording, duration);
	/* whoever reads a pipe need not wait until the kernel has detached every event */
	if (recording->is_watched)
		outfile_close(file);
	recorder_close(recorder);
	free(recorder->stacks_unmatched.items);
	target_close(&recording->target);
	register_first_end(recording);
	return result;
}
