/* SPDX-License-Identifier: MIT */
/* Passes events and ticks to a sink. */
#include "deliver.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/clock.h"
#include "common/cli/memory.h"
#include "common/cli/message.h"
#include "common/records/ring_record.h"
#include "common/stacks/stacks.h"

#define MILLISECOND 1000000

static uint64_t lost_before(const struct record *record)
{
	return record && record->sample.present & UE_META_LOST ? record->sample.lost : 0;
}

/* Losses that the record itself counts are counted when it is delivered. */
void count_lost_apart(struct stream *stream, uint64_t lost, const struct record *record)
{
	const uint64_t by_record = lost_before(record);

	stream->lost_before += lost > by_record ? lost - by_record : 0;
}

/*
 * Records of the scheduler outnumber the events of programs by far: only -e makes events
 * of them. As sink->take(), or 2 if it is an event.
 */
static int deliver_sched(struct stream *stream, struct sink *sink,
			 const struct record *record)
{
	const int result = sink->take_sched ? sink->take_sched(sink, record) : 0;

	if (!result && stream->filter.globs.count)
		return 2;
	stream->sched_records++;
	return result;
}

/* Events of an EventHeader tracepoint are told apart when they are read. */
static int wants_stack(const struct stream *stream, const struct event *event)
{
	return event_kind_matches(event->kind, &stream->recording.stacks);
}

int deliver(struct stream *stream, struct sink *sink, const struct record *record,
	    const struct ue_captured *captured)
{
	struct event *event = &stream->event;
	struct record bare;
	int passes;

	stream->lost_before += lost_before(record);
	if (record->tracepoint->is_sched) {
		passes = deliver_sched(stream, sink, record);
		if (passes != 2)
			return passes;
	}
	event_read(event, record, &stream->kinds);
	event->captured = captured;
	passes = filter_passes(&stream->filter, event);
	if (stream->filter.is_left_out && sink->take_left_out)
		sink->take_left_out(sink, event);
	if (passes <= 0)
		return passes;
	stream->events++;
	if (!record->frame_count || wants_stack(stream, event))
		return sink->take(sink, event);
	bare = *record;
	bare.frame_count = 0;
	event->record = &bare;
	return sink->take(sink, event);
}

static int is_selective(const struct stream *stream)
{
	const struct filter *filter = &stream->filter;

	return filter->globs.count || filter->where || filter->from.kind ||
	       filter->to.kind || stream->recording.stacks.count;
}

/* 0, or -1 after a message. */
static int filter_page(struct stream *stream, struct ring_events *events,
		       struct ue_captured_page *page)
{
	struct event *event = &stream->event;
	uint32_t count = 0;

	for (uint32_t i = 0; i < page->event_count; i++) {
		const struct record record = ring_page_record(events, page, i);
		int passes;

		event_read(event, &record, &stream->kinds);
		event->captured = NULL;
		passes = ring_stacks_is_event(record.tracepoint) ?
				 filter_passes(&stream->filter, event) : 1;
		if (passes < 0)
			return -1;
		page->events[count] = page->events[i];
		if (!wants_stack(stream, event))
			page->events[count].frames = 0;
		count += (uint32_t)passes;
	}
	page->event_count = count;
	return 0;
}

int deliver_page(struct stream *stream, struct sink *sink, struct ring_events *events,
		 struct ue_captured_page *page)
{
	uint32_t count;

	stream->lost_before += page->lost;
	if (is_selective(stream) && filter_page(stream, events, page))
		return -1;
	count = ring_stacks_events(page);
	if (!is_selective(stream)) {
		stream->filter.read += count;
		stream->filter.passed += count;
	}
	stream->events += count;
	return sink->take_page(sink, page);
}

int stacks_ask(const struct stream *stream,
	       int (*ask)(void *context, const char *tracepoints), void *context,
	       const char **failed)
{
	const struct words *stacks = &stream->recording.stacks;
	int result = 0;

	for (size_t i = 0; i < stacks->count && !result; i++) {
		*failed = stacks->items[i];
		result = ring_globs(*failed, ask, context);
	}
	return result;
}

static int is_any(const struct event_kinds *kinds, const struct words *globs)
{
	for (uint32_t i = 0; i < kinds->count; i++)
		if (event_kind_matches(kinds->items[i], globs))
			return 1;
	return 0;
}

static void report_unmatched(const struct event_kinds *kinds, const char *glob)
{
	const char *near = event_kinds_nearest(kinds, glob);

	if (near)
		message("There was no event that --stack \"%s\" matches; did you mean "
			"\"%s\"?", glob, near);
	else
		message("There was no event that --stack \"%s\" matches.", glob);
}

void stacks_report(const struct stream *stream)
{
	const struct words *stacks = &stream->recording.stacks;

	for (size_t i = 0; i < stacks->count && stream->events; i++) {
		const struct words one = { &stacks->items[i], 1 };

		if (!is_any(&stream->kinds, &one))
			report_unmatched(&stream->kinds, stacks->items[i]);
	}
}

int sink_begin(struct sink *sink)
{
	return sink->begin ? sink->begin(sink) : 0;
}

int sink_wait(struct sink *sink)
{
	return sink->wait ? sink->wait(sink) : 0;
}

int sink_end(struct sink *sink)
{
	return sink->end ? sink->end(sink) : 0;
}

int ticks_left(struct ticks *ticks, const struct sink *sink, int most)
{
	int64_t now, left;

	if (!sink->tick)
		return most;
	now = clock_now(CLOCK_MONOTONIC);
	if (!ticks->next)
		ticks->next = now + (int64_t)sink->interval * MILLISECOND;
	left = ticks->next > now ? (ticks->next - now) / MILLISECOND + 1 : 0;
	return most >= 0 && most < left ? most : (int)left;
}

static const int kept_numbers[] = { SIGINT, SIGTERM, SIGHUP };

void signals_keep(struct kept_signals *kept)
{
	for (size_t i = 0; i < sizeof(kept_numbers) / sizeof(kept_numbers[0]); i++)
		sigaction(kept_numbers[i], NULL, &kept->actions[i]);
}

void signals_restore(const struct kept_signals *kept)
{
	for (size_t i = 0; i < sizeof(kept_numbers) / sizeof(kept_numbers[0]); i++)
		sigaction(kept_numbers[i], &kept->actions[i], NULL);
}

static int is_readable(int fd)
{
	struct pollfd poll_fd = { .fd = fd, .events = POLLIN };

	return fd >= 0 && poll(&poll_fd, 1, 0) > 0;
}

int ticks_pass(struct ticks *ticks, struct sink *sink)
{
	if (!sink->tick)
		return 0;
	if (ticks_left(ticks, sink, -1) > 0)
		return is_readable(sink->fd) ? sink->tick(sink) : 0;
	ticks->next += (int64_t)sink->interval * MILLISECOND;
	if (ticks->next < clock_now(CLOCK_MONOTONIC)) /* do not catch up */
		ticks->next = 0;
	return sink->tick(sink);
}
