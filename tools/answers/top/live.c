/* SPDX-License-Identifier: MIT */
/*
 * Shows events as they happen, again and again.
 *
 * The kernel's events are counted. Views that counts are not enough for read a stream of
 * samples, which ends when the view is left; counting goes on meanwhile. Other sources are
 * one stream.
 */
#include <poll.h>
#include <stdio.h>

#include "common/cli/clock.h"
#include "common/cli/memory.h"
#include "common/cli/message.h"
#include "record/recording/recording.h"
#include "answers/screen/screen.h"
#include "top.h"

/* Keys of the terminal come at once; new tracepoints and the end are looked for this often. */
#define STEP_MS 100
#define KEYS_AT_ONCE 256

/* Refreshing */

static void copy_lines(struct top *top)
{
	for (int i = 0; i < VIEWS; i++)
		lines_copy(&top->lines[i], (enum view_kind)i, &top->collected);
}

static void show(struct top *top)
{
	if (top->is_json)
		frame_print_json(top);
	else if (top->is_batch)
		frame_print(top);
	else
		frame_draw(top);
}

static void refresh(struct top *top)
{
	struct collected *collected = &top->collected;
	const int64_t now = clock_now(CLOCK_MONOTONIC);

	if (collected->is_counted)
		collected->total = counting_read(&top->counting);
	top->seconds = (double)(now - top->refreshed) / 1e9;
	top->refreshed = now;
	top->refreshes++;
	collect_refresh(collected, top->seconds);
	copy_lines(top);
	top->total = collected->total;
	top->bytes = collected->bytes;
	top->rate = collected->rate;
	top->lost = top->stream ? top->stream->lost : 0;
}

static void begin(struct top *top)
{
	top->begun = top->refreshed = clock_now(CLOCK_MONOTONIC);
	top->next = top->begun + top->interval;
}

/* 1 if it was time for it. */
static int refresh_when_due(struct top *top)
{
	const int64_t now = clock_now(CLOCK_MONOTONIC);

	if (now < top->next)
		return 0;
	top->next += top->interval;
	if (top->next <= now) /* do not catch up */
		top->next = now + top->interval;
	if (top->choices.is_paused)
		return 0;
	refresh(top);
	top->choices.is_over |= top->refreshes == top->refreshes_max;
	return 1;
}

/* Keys */

static void suspend(struct top *top)
{
	top->choices.wants_stop = 0;
	screen_suspend();
}

/* 1 if there were any. */
static int take_keys(struct top *top)
{
	char bytes[KEYS_AT_ONCE];
	const char *at = bytes;
	const struct screen_size size = screen_size();
	const int got = screen_read(bytes, sizeof(bytes));
	size_t length = got > 0 ? (size_t)got : 0;

	top->choices.is_over |= got < 0;
	while (length)
		choices_key(&top->choices, key_next(&at, &length), page_of(&size));
	if (top->choices.wants_stop)
		suspend(top);
	return got > 0;
}

/* One step; called often. The result as of a sink's tick(). */
static int step(struct top *top)
{
	int is_new = top->is_batch ? 0 : take_keys(top) | screen_is_stale();

	if (top->collected.is_counted && counting_look(&top->counting))
		return -1;
	if (!top->choices.is_over)
		is_new |= !top->is_ended && refresh_when_due(top);
	if (is_new && (top->is_batch || !top->choices.is_over))
		show(top);
	top->choices.is_over |= top->is_batch && ferror(stdout);
	return top->choices.is_over;
}

/* Streams */

static int begin_stream(struct sink *sink)
{
	((struct top *)sink)->has_begun = 1;
	return 0;
}

static int take(struct sink *sink, struct event *event)
{
	collect_event(&((struct top *)sink)->collected, event);
	return 0;
}

/* The terminal is given back before waiting for the program to end. */
static int tick(struct sink *sink)
{
	struct top *top = (struct top *)sink;
	const int result = step(top);

	if (result)
		screen_close();
	return result ? result : !top_needs_samples(top);
}

static void set_stream(struct top *top, struct stream *stream)
{
	stream->is_run = top->source == TOP_RUN;
	stream->is_watch = !stream->is_run;
	stream->filter.globs = top->globs;
	stream->filter.expression = top->where;
	stream->recording.pids = top->pids;
	stream->recording.tracefs = top->tracefs;
	stream->recording.buffer = stream->is_run ? 0 : top->buffer;
	stream->buffer = stream->is_run ? top->buffer : 0;
	stream->mode = top->mode;
}

static int read_stream(struct top *top, struct stream *stream)
{
	int status;

	set_stream(top, stream);
	top->sink = (struct sink){
		.begin = begin_stream,
		.take = take,
		.tick = tick,
		.interval = STEP_MS,
		.fd = top->is_batch ? -1 : screen_fd(),
	};
	top->stream = stream;
	status = stream_read(stream, top->usage, top->arguments, &top->sink);
	recording_catch_signals(); /* the stream had its own handlers */
	return status;
}

/* Waiting without a stream: 1 at the end, -1 after a message. */
static int wait_and_step(struct top *top)
{
	struct pollfd polls[] = {
		{ .fd = top->is_batch ? -1 : screen_fd(), .events = POLLIN },
		{ .fd = counting_fd(&top->counting), .events = POLLIN },
	};
	const int64_t left = (top->next - clock_now(CLOCK_MONOTONIC)) / 1000000 + 1;

	poll(polls, 2, left < 0 ? 0 : left < STEP_MS ? (int)left : STEP_MS);
	top->choices.is_over |= recording_is_stopped();
	return step(top);
}

/* No event can follow. On a screen, the last figures stay until a key ends it. */
static int finish(struct top *top)
{
	int result = 0;

	if (top->choices.is_over &&
	    (!top->is_batch || top->refreshes == top->refreshes_max))
		return 0;
	top->is_ended = 1;
	if (!top->is_batch && !top->collected.total)
		return 0; /* the messages explain why */
	refresh(top);
	show(top);
	while (!top->is_batch && !result)
		result = wait_and_step(top);
	return result < 0 ? -1 : 0;
}

static int run_stream(struct top *top)
{
	AUTO(stream_free) struct stream stream = STREAM_INIT("watch");
	int status = read_stream(top, &stream);

	if (top->choices.is_over)
		status = EXIT_ALL_WORKED; /* the program was ended, as was wanted */
	if (top->has_begun && finish(top))
		status = EXIT_FAILED;
	screen_close();
	collect_forget(&top->collected);
	return status;
}

/* The kernel */

/*
 * Read samples as long as a view needs them. Messages of a stream that was ended by choosing
 * another view, such as that there was no event, are of no use.
 */
static int sample(struct top *top)
{
	AUTO(stream_free) struct stream stream = STREAM_INIT("watch");
	int status;

	top->begun = clock_now(CLOCK_MONOTONIC);
	copy_lines(top);
	status = read_stream(top, &stream);
	if (!top_needs_samples(top) || top->choices.is_over)
		status = EXIT_ALL_WORKED;
	else
		top->is_ended = 1;
	if (!top_needs_samples(top) && !top->choices.is_over)
		screen_drop_messages();
	top->stream = NULL;
	collect_forget(&top->collected);
	return status;
}

static int count(struct top *top)
{
	int status = 0, result = 0;

	while (!result && !top->is_ended) {
		if (top_needs_samples(top))
			status = sample(top);
		else
			result = wait_and_step(top);
		if (top->choices.is_over)
			result = 1;
		top->is_ended |= counting_is_over(&top->counting);
	}
	if (result < 0 || finish(top))
		status = EXIT_FAILED;
	return status;
}

static void report_unmatched(const struct top *top)
{
	const struct words *unmatched = &top->counting.list.unmatched;

	for (size_t i = 0; i < unmatched->count; i++)
		message("There was no event that \"%s\" matches.", unmatched->items[i]);
}

static int run_kernel(struct top *top)
{
	int status;

	top->collected.is_counted = 1;
	status = count(top);
	screen_close();
	if (!status)
		report_unmatched(top);
	counting_report(&top->counting);
	return status;
}

int top_run(struct top *top, const char *output)
{
	const int is_counted = top->source == TOP_KERNEL && !top->is_sampled;
	int status = 0;

	recording_catch_signals();
	if (is_counted)
		status = counting_begin(&top->counting, &top->globs, &top->pids, top->tracefs,
					&top->collected.events);
	if (!status && !top->is_batch)
		status = screen_open(output);
	if (!status) {
		begin(top);
		if (!top->is_batch)
			show(top);
		status = is_counted ? run_kernel(top) : run_stream(top);
	}
	counting_end(&top->counting);
	collect_free(&top->collected);
	for (int i = 0; i < VIEWS; i++)
		lines_free(&top->lines[i]);
	bytes_free(&top->text);
	return status;
}
