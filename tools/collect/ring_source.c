/* SPDX-License-Identifier: MIT */
/*
 * Reads several rings, in turns: those of files, and those of programs that come in by a door.
 */
#include "collector.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <userevents/ring.h>

#include "common/cli/clock.h"
#include "common/cli/memory.h"
#include "common/cli/message.h"
#include "record/target/perf_rings.h"
#include "common/records/ring_record.h"
#include "found_rings.h"
#include "common/stacks/stacks.h"
#include "read/stream/stream.h"

/* Several rings do not wake their reader, which looks more often when one of them fills fast. */
#define WAIT_MS 50
#define WAIT_BUSY_MS 20
/* One ring does. */
#define WAIT_ONE_MS 250
/* A page of a ring is no larger. A ring of which so much came since the last look fills fast. */
#define PAGE_BYTES 8704
#define BUSY_SHARE 16
#define EVENTS_AT_ONCE 1000
#define PAGE_EVENTS_AT_ONCE 16384 /* in pages, which take as long */
/*
 * 5 seconds are promised for the end. Programs that go on writing must not keep it from
 * that, and a receiver needs the most of it.
 */
#define LAST_NS ((int64_t)3000000000)
#define LAST_WITH_DELIVERY_NS 500000000
#define END_NS ((int64_t)4500000000)
/* Their memory is about 1 KiB each, and 6 KiB at worst. */
#define DEFINITIONS_OF_USER 16384

/* Pids of programs are those of their own namespaces, so they need not differ. */
static void add_cgroup(const struct collected_ring *ring, struct ue_sample *sample)
{
	if (!ring->guest || !*ring->guest->cgroup)
		return;
	sample->cgroup = ring->guest->cgroup;
	sample->present |= UE_META_CGROUP;
}

static void set_user(struct collector *collector, const struct collected_ring *ring)
{
	collector->has_user = ring->guest != NULL;
	collector->user = ring->guest ? ring->guest->user : 0;
}

/* 0, or -1, when the sink wants no more. */
static int take_event(struct ring_source *source, struct collected_ring *ring,
		      struct ue_captured *event)
{
	struct collector *collector = source->collector;
	struct stream *stream = collector->stream;
	const uint64_t selected = stream->events;
	struct record record = ring_record(&ring->events, event);

	set_user(collector, ring);
	add_cgroup(ring, &record.sample);
	source->told += event->lost;
	if (ring_stacks_describes(event->definition)) { /* for the readers of a recording */
		if (source->recording)
			ring_recording_event(source->recording, event);
		return 0;
	}
	if (deliver(stream, &collector->sink, &record, event))
		return -1;
	if (source->recording && stream->events != selected &&
	    !collector_leaves_out(collector))
		ring_recording_event(source->recording, event);
	return 0;
}

#define HELD_PART 8 /* of a ring: more must not be held */
#define RECORD_BYTES 32 /* of an event, beside its payload */

/* Whether rings hold more than they should, or a request was full, and is in a file. */
static int must_store(const struct ring_source *source, const struct collected_ring *ring)
{
	const struct collector *collector = source->collector;

	return collector->holds &&
	       (ring->held > ring->bytes / HELD_PART ||
		delivery_puts(collector->metrics.delivery) != source->puts);
}

static int take_or_hold(struct ring_source *source, struct collected_ring *ring,
			struct ue_captured *event)
{
	struct kept_counts *kept = source->collector->metrics.kept;
	const struct event_sums before = kept->sums;
	const int result = take_event(source, ring, event);

	if (ring->is_holding)
		ring->held += event->length + RECORD_BYTES;
	else if (source->collector->holds)
		kept_counts_pass(kept, &before);
	return result || !must_store(source, ring) ? result : rings_store(source);
}

/* The number of events in order; or -1 as above. */
static int take_events(struct ring_source *source, struct collected_ring *ring)
{
	struct ue_captured event;
	int taken = 0;

	while (ring->capture && taken < EVENTS_AT_ONCE) {
		if (!collected_ring_next(ring, &source->copy, &event)) {
			ring->is_passed = 1;
			break;
		}
		event.lost = collected_ring_loss_of(ring, event.lost);
		if (!ring->capture)
			break;
		if (take_or_hold(source, ring, &event))
			return -1;
		taken++;
	}
	if (source->recording && ring->written)
		ring_recording_end_events(source->recording, ring->written);
	return taken;
}

/* Something else than a recording wants the events. */
static int is_to_be_looked_at(const struct collector *collector)
{
	const struct settings *settings = &collector->settings;

	return settings->metrics.count || collector->where || settings->max_rate ||
	       settings->max_rate_of_provider || settings->max_rate_of_user ||
	       collector->stream->filter.globs.count;
}

static void count_page(const struct collector *collector,
		       const struct ue_captured_page *page)
{
	collector->metrics.kept->sums.passed += ring_stacks_events(page);
	collector->stream->lost_before += page->lost;
}

/* The page is left with the events that -e selects. */
static int look_at_page(struct ring_source *source, struct collected_ring *ring,
		     struct ue_captured_page *page)
{
	struct collector *collector = source->collector;
	struct stream *stream = collector->stream;
	uint32_t kept = 0;

	set_user(collector, ring);
	for (uint32_t i = 0; i < page->event_count; i++) {
		struct record record = ring_page_record(&ring->events, page, i);
		const uint64_t selected = stream->events;
		const int describes = ring_stacks_describes(page->events[i].definition);

		add_cgroup(ring, &record.sample);
		if (!describes && deliver(stream, &collector->sink, &record, NULL))
			return -1;
		page->events[kept] = page->events[i];
		kept += describes ||
			(stream->events != selected && !collector_leaves_out(collector));
	}
	page->event_count = kept;
	return 0;
}

/*
 * The number of events, in pages as they are in the ring: for a recording, and for counts,
 * which need no order.
 */
static int take_pages(struct ring_source *source, struct collected_ring *ring)
{
	struct ue_captured_page page;
	int taken = 0, pages = 0;

	while (ring->capture && taken < PAGE_EVENTS_AT_ONCE) {
		if (!collected_ring_next_page(ring, &page)) {
			ring->is_passed = 1;
			break;
		}
		taken += (int)page.event_count;
		pages++;
		page.lost = collected_ring_loss_of(ring, page.lost);
		if (!ring->capture)
			break;
		source->told += page.lost;
		if (!is_to_be_looked_at(source->collector))
			count_page(source->collector, &page);
		else if (look_at_page(source, ring, &page))
			return -1;
		ring_recording_page(source->recording, ring->written, &page);
	}
	source->is_filling |= (uint64_t)pages * PAGE_BYTES > ring->bytes / BUSY_SHARE;
	return taken;
}

/* The same of either. A receiver gets events in order. */
static int take_some(struct ring_source *source, struct collected_ring *ring)
{
	const int is_in_order = !source->recording || source->collector->metrics.delivery;
	int taken;

	ring->is_passed = 0;
	if (!ring->pass)
		ring->pass = clock_now(CLOCK_REALTIME);
	taken = is_in_order ? take_events(source, ring) : take_pages(source, ring);
	if (ring->is_passed) {
		ring->has_passed |= ring->pass >= source->round;
		ring->pass = 0;
	}
	if (taken > 0)
		ring->last = clock_now(CLOCK_MONOTONIC);
	return taken;
}

static uint64_t definitions_of(const struct ring_source *source, uid_t user)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < source->count; i++) {
		const struct collected_ring *ring = source->rings[i];

		if (ring->guest && ring->guest->user == user)
			sum += ring->definitions;
	}
	return sum;
}

/*
 * Each is copied and parsed, and a ring has room for many. So no other ring is read before
 * this one is looked at.
 */
static void limit_definitions(struct ring_source *source, struct collected_ring *ring)
{
	const uint64_t sum = definitions_of(source, ring->guest->user);

	if (!ring->capture || sum <= DEFINITIONS_OF_USER)
		return;
	if (is_due(&source->next_complaint, clock_now(CLOCK_MONOTONIC), SILENCE_NS))
		message("cannot collect from %s: its user's programs have more than %d "
			"events; it is left", ring->path, DEFINITIONS_OF_USER);
	rings_store(source);
	ue_ring_end(ring->fd);
	collected_ring_count_left(ring);
	collected_ring_leave(ring);
	ring->definitions = 0;
}

static void count_guests(struct ring_source *source)
{
	const struct door_counts counts = ring_door_count(source->door);

	source->collector->metrics.guests.rings = counts.guests;
	source->collector->metrics.guests.refused = counts.refused;
	source->collector->metrics.guests.late = counts.late;
}

/* The program ended while its ring waited for a place. */
static void lose_left(void *context, uid_t user, uint64_t events)
{
	struct metrics *metrics = context;

	metrics->kept->sums.losses.socket += events;
	user_losses_of(metrics, user)->ring += events;
}

/* Its user is in the metrics. */
static void complain_of_damage(struct ring_source *source, struct collected_ring *ring)
{
	if (is_due(&source->next_damage, clock_now(CLOCK_MONOTONIC), SILENCE_NS))
		message("%s is damaged: %s; its losses are counted apart", ring->path,
			ring->why_damaged);
	ring->why_damaged = NULL;
}

/*
 * The same, for a turn of a ring, with its losses. Records that are malformed are events
 * here: a turn may end amid them.
 */
static int take_turn(struct ring_source *source, struct collected_ring *ring)
{
	const uint64_t malformed = ring->losses.in_programs;
	const uint64_t definitions = ring->definitions;
	const int begins = !ring->pass;
	const int taken = take_some(source, ring);
	int is_malformed;

	if (taken < 0)
		return -1;
	collected_ring_count(ring);
	is_malformed = ring->losses.in_programs != malformed;
	if ((ring->held || is_malformed) && ring->is_short && rings_store(source))
		return -1;
	if (ring->guest && ring->definitions != definitions)
		limit_definitions(source, ring);
	collected_ring_settle(ring, &source->collector->metrics);
	if (ring->why_damaged)
		complain_of_damage(source, ring);
	/* a pass over it found nothing, or it cannot be read */
	ring->is_done = ring->is_over && !taken && !is_malformed &&
			((begins && ring->is_passed) || !ring->capture);
	return taken + is_malformed;
}

static int is_time_up(const struct ring_source *source)
{
	if (!source->end)
		return recording_is_stopped();
	return clock_now(CLOCK_MONOTONIC) >= source->end;
}

/* Recording */

/* Clocks of rings and of the system may differ by less. */
#define TOLERANCE_NS 10000000
#define FLUSH_NS 250000000

static void record_losses(struct ring_source *source)
{
	const struct source_losses *losses = &source->collector->metrics.kept->sums.losses;

	ring_recording_lose(source->recording, losses->ring + losses->socket,
			    losses->in_programs);
}

static void flush_recording(struct ring_source *source)
{
	record_losses(source);
	if (is_due(&source->next_flush, clock_now(CLOCK_MONOTONIC), FLUSH_NS))
		ring_recording_flush(source->recording);
}

/*
 * Rings are read one after the other. A round ends when a pass over each has begun and ended
 * in it: so later events are later than its beginning.
 */
static void begin_round(struct ring_source *source)
{
	source->round = clock_now(CLOCK_REALTIME);
	for (size_t i = 0; i < source->count; i++)
		source->rings[i]->has_passed = 0;
}

static void end_round(struct ring_source *source)
{
	for (size_t i = 0; i < source->count; i++)
		if (source->rings[i]->capture && !source->rings[i]->has_passed)
			return;
	if (source->recording)
		ring_recording_end_round(source->recording, source->round - TOLERANCE_NS);
	source->rounds++;
	begin_round(source);
}

/* The first turn of a full ring takes long, as its events are sorted. */
static int take_all(struct ring_source *source)
{
	int sum = 0;

	for (size_t i = 0; i < source->count && !is_time_up(source); i++) {
		const int taken = take_turn(source, source->rings[i]);

		if (taken < 0 || ticks_pass(&source->ticks, &source->collector->sink))
			return -1;
		sum += taken;
	}
	end_round(source);
	if (source->recording)
		flush_recording(source);
	if (clock_now(CLOCK_MONOTONIC) >= source->next_store && rings_store(source))
		return -1;
	return sum;
}

static int is_amid_pass(const struct ring_source *source)
{
	for (size_t i = 0; i < source->count; i++)
		if (source->rings[i]->pass)
			return 1;
	return 0;
}

/*
 * Whether another pass is due at once. One over pages costs its events and a look at the
 * others, so more is to come together meanwhile.
 */
static int is_more(const struct ring_source *source, int taken)
{
	if (!source->recording || source->collector->metrics.delivery)
		return taken;
	return is_amid_pass(source);
}

static void wait_for_more(struct ring_source *source)
{
	const int is_one = !source->door && source->count == 1 && source->rings[0]->capture;
	const int most = ticks_left(&source->ticks, &source->collector->sink,
				    source->is_filling ? WAIT_BUSY_MS :
				    is_one	       ? WAIT_ONE_MS : WAIT_MS);

	source->is_filling = 0;
	if (source->door)
		is_readable(ring_door_fd(source->door), most);
	else if (is_one)
		collected_ring_wait(source->rings[0], most);
	else
		poll(NULL, 0, most);
}

/* Programs that ended leave their places to offers that wait. */
static int take_waiting(struct ring_source *source)
{
	int taken = 0, is_more = rings_exchange(source);

	while (taken >= 0 && is_more && ring_door_has_offers(source->door) &&
	       !is_time_up(source)) {
		taken = take_all(source);
		is_more = rings_exchange(source);
	}
	ring_door_turn_away(source->door);
	count_guests(source);
	return taken;
}

/* Events from before a signal: programs go on, and the next collector reads the rest. */
static int take_last(struct ring_source *source)
{
	struct delivery *delivery = source->collector->metrics.delivery;
	const int64_t now = clock_now(CLOCK_MONOTONIC);
	uint64_t last;
	int taken = 0;

	source->end = now + (delivery ? LAST_WITH_DELIVERY_NS : LAST_NS);
	if (delivery)
		delivery_end_by(delivery, now + END_NS);
	if (source->door)
		taken = take_waiting(source);
	last = source->rounds + 1;
	begin_round(source);
	while (taken >= 0 && source->rounds < last && !is_time_up(source))
		taken = take_all(source);
	return taken < 0 ? -1 : 0;
}

/* Read until a signal comes. */
static int follow(struct ring_source *source)
{
	struct sink *sink = &source->collector->sink;
	int taken = 0;

	while (taken >= 0 && !recording_is_stopped()) {
		rings_look(source);
		if (ticks_pass(&source->ticks, sink))
			return -1;
		taken = take_all(source);
		if (source->door) {
			rings_admit(source);
			count_guests(source);
		}
		if (!is_more(source, taken))
			wait_for_more(source);
	}
	return taken < 0 ? -1 : take_last(source);
}

static uint64_t losses_of(const struct ring_source *source)
{
	const struct source_losses *losses = &source->collector->metrics.kept->sums.losses;

	return losses->in_programs + losses->ring + losses->socket;
}

/* Losses that no event followed. */
static void tell_rest(struct ring_source *source)
{
	const uint64_t all = losses_of(source) - source->before;

	if (all > source->told)
		source->collector->stream->lost_before += all - source->told;
}

int ring_source_read(struct collector *collector, const struct words *patterns,
		     struct ring_door *door, struct ring_recording *recording)
{
	struct ring_source source = {
		.collector = collector, .patterns = patterns, .door = door,
		.recording = recording, .round = clock_now(CLOCK_REALTIME),
	};
	int failed;

	source.before = losses_of(&source);
	if (door)
		ring_door_report(door, &(struct door_losses){ lose_left, &collector->metrics });
	perf_raise_file_limit(); /* each ring takes two */
	collected_rings_guard();
	failed = sink_begin(&collector->sink);
	if (!failed && door)
		rings_adopt(&source);
	failed = failed || follow(&source);
	rings_store(&source);
	if (door)
		rings_tell_all(&source);
	while (source.count)
		ring_part_with(&source, source.rings[--source.count]);
	if (door)
		rings_tell_all(&source);
	collector->metrics.guests.rings = 0;
	tell_rest(&source);
	if (recording) {
		record_losses(&source);
		ring_recording_end(recording);
	}
	failed |= sink_end(&collector->sink) < 0;
	free(source.rings);
	bytes_free(&source.copy);
	collected_rings_unguard();
	return failed ? EXIT_FAILED : EXIT_ALL_WORKED;
}
