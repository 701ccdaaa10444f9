/* SPDX-License-Identifier: MIT */
/*
 * Follows a ring.
 *
 * Events of a ring that overwrites stay in it, and those that were written before are left
 * to "decode". Of another ring they are taken out, from the first on, as they wait for that.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include <userevents/capture.h>
#include <userevents/ring.h>

#include "common/cli/clock.h"
#include "common/cli/memory.h"
#include "common/cli/message.h"
#include "stream.h"
#include "common/records/ring_record.h"
#include "common/stacks/stacks.h"

/* Look at signals this often. */
#define WAIT_MS 250
#define EVENTS_AT_ONCE 1000

struct followed {
	struct stream *stream;
	struct sink *sink;
	const char *path;
	int fd;
	struct ue_capture *capture;
	struct ring_events events;
	struct ring_stacks stacks;
	struct ticks ticks;
	uint64_t lost_before[UE_LOSS_REASONS];
	int64_t end; /* of CLOCK_MONOTONIC */
};

static int has_wrong_options(const struct stream *stream)
{
	const struct recording *recording = &stream->recording;

	if (!recording->definitions.count && !recording->pids.count && !recording->tracefs &&
	    !recording->buffer && !recording->has_all_processes)
		return 0;
	message("cannot %s a ring: --register, --pid, --all, --buffer and --tracefs are for "
		"the kernel's events; leave them out", stream->verb);
	return 1;
}

/* Opening */

static int fail(const struct followed *ring, int error)
{
	message("cannot %s %s: %s", ring->stream->verb, ring->path,
		ring_reason(ring->fd, error));
	return EXIT_FAILED;
}

/*
 * Open it to write, too: without that right only a ring that overwrites can be followed.
 */
static int open_file(const char *path)
{
	int fd = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0 && (errno == EACCES || errno == EROFS))
		fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	return fd < 0 ? -errno : fd;
}

/* They stay asked for, as events stay enabled, until "ring set" changes it. */
static int ask_for_stack(void *context, const char *glob)
{
	const struct followed *ring = context;

	return ue_ring_stack(ring->fd, glob, recording_frames(&ring->stream->recording));
}

static int open_ring(struct followed *ring)
{
	struct ue_ring_info info;
	int overwrites, result = ue_ring_info(ring->fd, &info);
	const char *failed;

	if (result)
		return result;
	for (int i = 0; i < UE_LOSS_REASONS; i++)
		ring->lost_before[i] = info.lost[i];
	overwrites = info.mode == UE_RING_OVERWRITE;
	result = stacks_ask(ring->stream, ask_for_stack, ring, &failed);
	if (!result)
		result = ue_capture_open_ring(ring->fd, overwrites ? 0 : UE_CAPTURE_TAKE,
					      &ring->capture);
	if (!result && overwrites && ue_capture_skip(ring->capture) < 0)
		memory_is_short();
	return result;
}

/* Following */

enum step { FAILED = -1, MORE, NONE, OVER };

/* Events up to a time. */
static enum step take_some(struct followed *ring, int64_t until)
{
	struct ue_captured event;
	struct ring_stack stack;
	struct record record;
	int result;

	for (int i = 0; i < EVENTS_AT_ONCE; i++) {
		result = ue_capture_next(ring->capture, &event);
		if (result == -ENOMEM)
			memory_is_short();
		if (result != 1)
			return NONE;
		/* it is out of the ring, so even a later one counts */
		record = ring_record(&ring->events, &event);
		stack = ring_stack_of(&event);
		if (ring_stacks_take(&ring->stacks, &record, &stack))
			result = deliver(ring->stream, ring->sink, &record, &event);
		else
			result = 0;
		if (result)
			return result < 0 ? FAILED : OVER;
		if (event.time > until)
			return NONE;
	}
	return MORE;
}

/* Pages up to the end of a pass. */
static enum step take_pages(struct followed *ring)
{
	struct ue_captured_page page;
	int result;

	for (int i = 0; i < EVENTS_AT_ONCE; i++) {
		result = ue_capture_next_page(ring->capture, &page);
		if (result == -ENOMEM)
			memory_is_short();
		if (result != 1)
			return NONE;
		result = deliver_page(ring->stream, ring->sink, &ring->events, &page);
		if (result)
			return result < 0 ? FAILED : OVER;
	}
	return MORE;
}

/* Events that are missing since the ring was opened. */
static uint64_t count_lost(const struct followed *ring, struct ue_capture_counts *counts)
{
	ue_capture_count(ring->capture, counts);
	for (int i = 0; i < UE_LOSS_REASONS; i++)
		counts->lost[i] -= ring->lost_before[i];
	return losses_sum(counts->lost) + counts->overwritten + counts->malformed;
}

static void pass_losses(struct followed *ring)
{
	struct ue_capture_counts counts;

	if (!ring->sink->take_losses)
		return;
	count_lost(ring, &counts);
	ring->sink->take_losses(ring->sink, &counts);
}

static int pass_tick(struct followed *ring)
{
	struct ue_capture_counts counts;

	if (!ring->sink->tick)
		return 0;
	ring->stream->lost = count_lost(ring, &counts);
	return ticks_pass(&ring->ticks, ring->sink);
}

static int is_over(const struct followed *ring)
{
	return recording_is_stopped() || clock_now(CLOCK_MONOTONIC) >= ring->end;
}

/* Milliseconds until the end, or until a signal is to be looked for. */
static int time_left(const struct followed *ring)
{
	const int64_t left = (ring->end - clock_now(CLOCK_MONOTONIC)) / 1000000 + 1;

	return left < 0 ? 0 : left < WAIT_MS ? (int)left : WAIT_MS;
}

static enum step step_of(int result)
{
	return result < 0 ? FAILED : result ? OVER : NONE;
}

/* Wait for events; NONE, or OVER or FAILED. */
static enum step wait_for_more(struct followed *ring)
{
	enum step step;

	pass_losses(ring);
	step = step_of(sink_wait(ring->sink));

	if (step == NONE)
		ue_capture_wait(ring->capture,
				ticks_left(&ring->ticks, ring->sink, time_left(ring)));
	return step;
}

/* A signal or the time ended it, and there may be more up to now. */
static enum step take_rest(struct followed *ring, enum step step)
{
	const int64_t end = clock_now(CLOCK_MONOTONIC);

	if (!ring->sink->take_page) {
		for (step = step == NONE ? MORE : step; step == MORE;)
			step = take_some(ring, end);
		return step;
	}
	/* the rest of this pass, and one that begins after now */
	for (int passes = 0; passes < 2 && (step == MORE || step == NONE);) {
		step = take_pages(ring);
		passes += step == NONE;
	}
	return step;
}

/* 0, or -1 after a message. */
static int follow(struct followed *ring)
{
	struct ue_capture_counts counts;
	enum step step = MORE;

	if (sink_begin(ring->sink))
		return -1;
	while ((step == MORE || step == NONE) && !is_over(ring)) {
		int result = pass_tick(ring);

		step = result		     ? step_of(result) :
		       ring->sink->take_page ? take_pages(ring) :
					       take_some(ring, ring->end);
		if (step == NONE)
			step = wait_for_more(ring);
	}
	step = take_rest(ring, step);
	pass_losses(ring);
	ring->stream->lost = ring->stream->lost_before = count_lost(ring, &counts);
	return sink_end(ring->sink) < 0 || step == FAILED ? -1 : 0;
}

/* The end */

static void report_losses(struct followed *ring)
{
	struct ue_capture_counts counts;
	uint64_t lost;
	AUTO_FREE char *by_reason;

	ring->stream->lost = count_lost(ring, &counts);
	lost = losses_sum(counts.lost);
	by_reason = losses_text(counts.lost);
	if (lost)
		message("%llu event%s %s lost: %s.", (unsigned long long)lost, PLURAL(lost),
			WERE(lost), by_reason);
	if (counts.overwritten)
		message("%llu event%s %s overwritten before being read; a larger ring keeps "
			"more.", (unsigned long long)counts.overwritten,
			PLURAL(counts.overwritten), WERE(counts.overwritten));
	if (counts.malformed)
		message("%llu event%s damaged; a program wrote to memory that is not its own.",
			(unsigned long long)counts.malformed,
			counts.malformed == 1 ? " is" : "s are");
}

static void report_none(const struct followed *ring)
{
	struct ue_ring_info info;

	if (ue_ring_info(ring->fd, &info))
		message("No event was written to %s.", ring->path);
	else if (info.unread)
		message("No new event was written to %s; userevents decode prints the %llu that "
			"it holds.", ring->path, (unsigned long long)info.unread);
	else
		message("No event was written to %s: %s.", ring->path, ring_why_empty(&info));
}

static int report(struct followed *ring)
{
	const struct stream *stream = ring->stream;

	report_losses(ring);
	filter_report_live(&stream->filter, &stream->kinds);
	stacks_report(stream);
	if (!stream->filter.read)
		report_none(ring);
	return stream->lost || !stream->events ? EXIT_FAILED : 0;
}

/* The file became shorter. */
static sigjmp_buf unreadable;

static void on_fault(int number)
{
	siglongjmp(unreadable, number);
}

static int follow_and_close(struct followed *ring)
{
	int result = follow(ring) ? EXIT_FAILED : report(ring);

	ue_capture_close(ring->capture);
	ring_events_free(&ring->events);
	ring_stacks_free(&ring->stacks);
	close(ring->fd);
	return result;
}

/* After a fault nothing is closed, as a function may have stopped anywhere. */
static int follow_guarded(struct followed *ring)
{
	int result;

	if (sigsetjmp(unreadable, 1)) {
		message("cannot %s all of %s: it became shorter meanwhile", ring->stream->verb,
			ring->path);
		sink_end(ring->sink);
		return EXIT_FAILED;
	}
	signal(SIGBUS, on_fault);
	result = follow_and_close(ring);
	signal(SIGBUS, SIG_DFL);
	return result;
}

static int64_t end_of(uint64_t duration)
{
	return duration ? clock_now(CLOCK_MONOTONIC) + (int64_t)duration : INT64_MAX;
}

static int follow_path(struct followed *ring, uint64_t duration)
{
	int result;

	ring->fd = open_file(ring->path);
	result = ring->fd < 0 ? ring->fd : open_ring(ring);
	if (result)
		return fail(ring, result);
	ring->end = end_of(duration);
	ring->stream->is_live = 1;
	return follow_guarded(ring);
}

/* Afterwards a signal ends the tool again, as answers may take long. */
int stream_ring(struct stream *stream, const char *path, struct sink *sink)
{
	struct followed ring = { .stream = stream, .sink = sink, .path = path, .fd = -1 };
	struct kept_signals kept;
	uint64_t duration;
	int result;

	if (has_wrong_options(stream) || recording_duration(&stream->recording, &duration))
		return EXIT_WRONG_USAGE;
	signals_keep(&kept);
	recording_catch_signals();
	result = follow_path(&ring, duration);
	signals_restore(&kept);
	return result;
}
