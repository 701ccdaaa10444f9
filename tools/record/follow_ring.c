/* SPDX-License-Identifier: MIT */
/*
 * Follows a ring.
 *
 * Events of a ring that overwrites stay in it, and those that were written before are left
 * to "decode". Of another ring they are taken out, from the first on, as they wait for that.
 */
#include "follow_ring.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <unistd.h>

#include <userevents/ring.h>

#include "cli/clock.h"
#include "cli/memory.h"
#include "cli/message.h"
#include "records/ring_record.h"
#include "records/ring_text.h"

/* Look at signals and at the clock this often. */
#define WAIT_MS 100
#define EVENTS_AT_ONCE 1000

struct followed {
	int fd;
	struct ue_capture *capture;
	struct ring_events events;
	uint64_t lost_before[UE_LOSS_REASONS];
	int64_t end; /* of CLOCK_MONOTONIC */
};

/* Options and arguments */

const char *ring_argument(char **arguments)
{
	return *arguments && !arguments[1] && ring_is_at(*arguments) ? *arguments : NULL;
}

int ring_check_options(const struct recording *recording, const char *verb)
{
	if (!recording->definitions.count && !recording->pids.count && !recording->tracefs &&
	    !recording->buffer && !recording->has_all_processes)
		return 0;
	message("cannot %s a ring: --register, --pid, --all, --buffer and --tracefs are for "
		"the kernel's events; leave them out", verb);
	return EXIT_WRONG_USAGE;
}

/* Opening */

static int fail(const struct ring_follower *follower, int fd, int error)
{
	message("cannot %s %s: %s", follower->verb, follower->path, ring_reason(fd, error));
	return EXIT_FAILED;
}

/* To write, too: without that right only a ring that overwrites can be followed. */
static int open_file(const char *path)
{
	int fd = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0 && (errno == EACCES || errno == EROFS))
		fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	return fd < 0 ? -errno : fd;
}

static int open_ring(struct followed *ring)
{
	struct ue_ring_info info;
	int overwrites, result = ue_ring_info(ring->fd, &info);

	if (result)
		return result;
	for (int i = 0; i < UE_LOSS_REASONS; i++)
		ring->lost_before[i] = info.lost[i];
	overwrites = info.mode == UE_RING_OVERWRITE;
	result = ue_capture_open_ring(ring->fd, overwrites ? 0 : UE_CAPTURE_TAKE,
				      &ring->capture);
	if (!result && overwrites && ue_capture_skip(ring->capture) < 0)
		memory_is_short();
	return result;
}

/* Following */

static int take(struct ring_follower *follower, struct followed *ring,
		const struct ue_captured *event)
{
	struct record record = ring_record(&ring->events, event);

	if (!filter_passes(&follower->filter, &record))
		return 0;
	follower->events++;
	return follower->take(follower, event, &record);
}

enum step { FAILED = -1, MORE, NONE, OVER };

/* Events up to a time. */
static enum step take_some(struct ring_follower *follower, struct followed *ring,
			   int64_t until)
{
	struct ue_captured event;
	int result;

	for (int i = 0; i < EVENTS_AT_ONCE; i++) {
		result = ue_capture_next(ring->capture, &event);
		if (result == -ENOMEM)
			memory_is_short();
		if (result != 1)
			return NONE;
		/* it is out of the ring, so even a later one counts */
		result = take(follower, ring, &event);
		if (result)
			return result < 0 ? FAILED : OVER;
		if (event.time > until)
			return NONE;
	}
	return MORE;
}

static int is_over(const struct followed *ring)
{
	return recording_is_stopped() || clock_now(CLOCK_MONOTONIC) >= ring->end;
}

/* 0, or -1 after a message. */
static int follow(struct ring_follower *follower, struct followed *ring)
{
	enum step step = MORE;
	int result = follower->begin(follower);
	int64_t end;

	while (!result && (step == MORE || step == NONE) && !is_over(ring)) {
		step = take_some(follower, ring, ring->end);
		if (step == NONE)
			result = follower->wait(follower);
		if (step == NONE && !result)
			ue_capture_wait(ring->capture, WAIT_MS);
	}
	/* a signal or the time ended it, and there may be more up to now */
	end = clock_now(CLOCK_MONOTONIC);
	for (step = step == NONE ? MORE : step; !result && step == MORE;)
		step = take_some(follower, ring, end);
	return result < 0 || step == FAILED ? -1 : 0;
}

/* The end */

static void report_losses(struct ring_follower *follower, const struct followed *ring)
{
	struct ue_capture_counts counts;

	ue_capture_count(ring->capture, &counts);
	for (int i = 0; i < UE_LOSS_REASONS; i++)
		counts.lost[i] -= ring->lost_before[i];
	follower->lost = losses_sum(counts.lost);
	if (follower->lost)
		message("%llu event%s lost: %s.", (unsigned long long)follower->lost,
			follower->lost == 1 ? " was" : "s were", losses_text(counts.lost));
	if (counts.overwritten)
		message("%llu events were overwritten before they were read; a larger ring keeps "
			"more.", (unsigned long long)counts.overwritten);
	if (counts.malformed)
		message("%llu events are damaged; a program wrote to memory that is not its own.",
			(unsigned long long)counts.malformed);
	follower->lost += counts.overwritten + counts.malformed;
}

static int report(struct ring_follower *follower, const struct followed *ring)
{
	const struct filter *filter = &follower->filter;

	report_losses(follower, ring);
	for (size_t i = 0; i < filter->unmatched.count && filter->read; i++)
		message("There was no event that \"%s\" matches.", filter->unmatched.items[i]);
	if (!filter->read)
		message("No event was written to %s.", follower->path);
	return follower->lost || !follower->events ? EXIT_FAILED : 0;
}

/* The file became shorter. */
static sigjmp_buf unreadable;

static void on_fault(int number)
{
	siglongjmp(unreadable, number);
}

static int follow_and_close(struct ring_follower *follower, struct followed *ring)
{
	int result = follow(follower, ring) ? EXIT_FAILED : report(follower, ring);

	ue_capture_close(ring->capture);
	ring_events_free(&ring->events);
	close(ring->fd);
	return result;
}

/* After a fault nothing is closed, as a function may have stopped anywhere. */
static int follow_guarded(struct ring_follower *follower, struct followed *ring)
{
	int result;

	if (sigsetjmp(unreadable, 1)) {
		message("cannot %s all of %s: it became shorter meanwhile", follower->verb,
			follower->path);
		return EXIT_FAILED;
	}
	signal(SIGBUS, on_fault);
	result = follow_and_close(follower, ring);
	signal(SIGBUS, SIG_DFL);
	return result;
}

static int64_t end_of(uint64_t duration)
{
	return duration ? clock_now(CLOCK_MONOTONIC) + (int64_t)duration : INT64_MAX;
}

int ring_follow(struct ring_follower *follower)
{
	struct followed ring = { .fd = -1 };
	uint64_t duration;
	int result;

	recording_catch_signals();
	if (recording_duration(follower->recording, &duration))
		return EXIT_WRONG_USAGE;
	ring.fd = open_file(follower->path);
	result = ring.fd < 0 ? ring.fd : open_ring(&ring);
	if (result)
		return fail(follower, ring.fd, result);
	ring.end = end_of(duration);
	follower->filter.globs = follower->recording->globs;
	filter_begin(&follower->filter);
	return follow_guarded(follower, &ring);
}
