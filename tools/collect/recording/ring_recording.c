/* SPDX-License-Identifier: MIT */
/*
 * Records pages of rings.
 *
 * A file that cannot be written, or for which the disk is too slow, is left, and another
 * one is begun later: it tells all that it refers to again. Events meanwhile are counted.
 */
#include "ring_recording.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <userevents/capture.h>
#include <userevents/loss.h>

#include "common/cli/clock.h"
#include "common/cli/memory.h"
#include "common/cli/message.h"
#include "common/output/capture_writer.h"
#include "common/stacks/stacks.h"

/*
 * Sorts events that were read in order by process and processor.
 *
 * The clock of such a page is that of the wall, as it is the same for all rings.
 */

struct copied_event;

struct event_pages {
	struct copied_event *events;
	uint32_t count;
	struct bytes payloads;
	/* the page that was made last */
	struct ue_page_event *page_events;
	struct ue_page_thread *threads;
	uint32_t first; /* event that is in no page yet */
	uint32_t number, place;
};

/* No ring: events of these pages are compared among themselves. */
#define WALL_CLOCK UINT32_MAX

#define INDEX_SIZE 4

struct copied_event {
	struct ue_captured event; /* its bytes are behind an offset */
	size_t at;
	char process[17], thread[17];
	int is_in_page;
};

static void copy_name(char *to, const char *from)
{
	memcpy(to, from, strnlen(from, 16));
}

/*
 * The layout is that of a ring, in which ue_page_event_stack() finds the stack after a
 * write index.
 */
static void add_payload(struct bytes *to, const struct ue_captured *event)
{
	bytes_add(to, "\0\0\0", INDEX_SIZE);
	bytes_add(to, event->bytes, event->length);
	bytes_pad(to, 0);
	bytes_add(to, event->stack, event->frames * sizeof(*event->stack));
}

/* Copy an event. */
static void event_pages_add(struct event_pages *pages, const struct ue_captured *event)
{
	struct copied_event copied = {
		.event = *event, .at = pages->payloads.length + INDEX_SIZE,
	};

	copy_name(copied.process, event->process);
	copy_name(copied.thread, event->thread);
	add_payload(&pages->payloads, event);
	pages->events = xgrow(pages->events, pages->count, sizeof(copied));
	pages->page_events = xgrow(pages->page_events, pages->count,
				   sizeof(*pages->page_events));
	pages->threads = xgrow(pages->threads, pages->count, sizeof(*pages->threads));
	pages->events[pages->count++] = copied;
}

static uint32_t thread_of(struct event_pages *pages, struct ue_captured_page *page,
			  const struct copied_event *copied)
{
	struct ue_page_thread *threads = pages->threads;

	for (uint32_t i = page->thread_count; i > 0; i--)
		if (threads[i - 1].tid == copied->event.tid)
			return i - 1;
	threads[page->thread_count].tid = copied->event.tid;
	memcpy(threads[page->thread_count].name, copied->thread, sizeof(copied->thread));
	return page->thread_count++;
}

static void add_event(struct event_pages *pages, struct ue_captured_page *page,
		      struct copied_event *copied)
{
	const struct ue_captured *event = &copied->event;

	pages->page_events[page->event_count++] = (struct ue_page_event){
		.bytes = pages->payloads.at + copied->at,
		.definition = event->definition,
		.clock = (uint64_t)event->real_time,
		.length = (uint32_t)event->length,
		.index = event->index,
		.thread = thread_of(pages, page, copied),
		.frames = (uint16_t)event->frames,
		.is_stack_cut = (uint8_t)event->is_stack_cut,
		.frames_asked = (uint8_t)event->frames_asked,
	};
	copied->is_in_page = 1;
}

static void begin_page(struct event_pages *pages, const struct copied_event *first,
		       struct ue_captured_page *page)
{
	const struct ue_captured *event = &first->event;

	*page = (struct ue_captured_page){
		.events = pages->page_events,
		.threads = pages->threads,
		.place = pages->place++,
		.number = pages->number++,
		.pid = event->pid,
		.cpu = event->cpu,
		.lost = event->lost,
		.clock_id = WALL_CLOCK,
		.process = first->process,
		.opened = (uint64_t)event->real_time,
		.time = event->time,
		.real_time = event->real_time,
		.rate = 1,
		.writer = event->writer,
	};
}

static int is_like(const struct copied_event *copied, const struct ue_captured_page *page)
{
	return !copied->is_in_page && copied->event.writer == page->writer &&
	       copied->event.cpu == page->cpu;
}

/* Losses in front of an event begin another page. */
static void fill(struct event_pages *pages, struct ue_captured_page *page)
{
	for (uint32_t i = pages->first; i < pages->count; i++) {
		struct copied_event *copied = &pages->events[i];

		if (!is_like(copied, page))
			continue;
		if (page->event_count && copied->event.lost)
			return;
		add_event(pages, page, copied);
	}
}

/* The next page: 1, or 0 if all events are in one. Then events may be added again. */
static int event_pages_next(struct event_pages *pages, struct ue_captured_page *page)
{
	while (pages->first < pages->count && pages->events[pages->first].is_in_page)
		pages->first++;
	if (pages->first == pages->count) {
		pages->first = pages->count = pages->place = 0;
		pages->payloads.length = 0;
		return 0;
	}
	begin_page(pages, &pages->events[pages->first], page);
	fill(pages, page);
	return 1;
}

static void event_pages_free(struct event_pages *pages)
{
	free(pages->events);
	free(pages->page_events);
	free(pages->threads);
	bytes_free(&pages->payloads);
}

#define SECOND ((int64_t)1000000000)
/* Bytes that are handed over at once, and those of a page with its references. */
#define AT_ONCE ((size_t)64 << 10)
#define PAGE_BYTES ((uint64_t)24 << 10)
/* A disk that is full is asked again so often, and a slow one. */
#define AGAIN_FULL_NS (60 * SECOND)
#define AGAIN_SLOW_NS SECOND
/* A slow disk is reported no more often than this. */
#define SILENCE_NS (60 * SECOND)
#define END_NS (10 * SECOND)

struct ring_recording {
	struct ring_recording_options options;
	struct file_writer *files;
	struct capture_writer writer;
	struct event_pages pages;
	uint64_t events;     /* in the writer's bytes */
	uint64_t file_bytes; /* of the file, handed over */
	int is_open;	     /* there is a file to write to */
	int64_t again;	     /* when to begin another one, by CLOCK_MONOTONIC */
	int64_t next_complaint;
	struct ue_capture_counts lost, lost_before; /* so far, and when the file began */
	uint64_t in_programs, in_programs_before;
};

struct ring_recording *ring_recording_begin(const struct ring_recording_options *options)
{
	struct file_writer *files = file_writer_open(&options->files);
	struct ring_recording *recording;

	if (!files)
		return NULL;
	recording = xcalloc(1, sizeof(*recording));
	recording->options = *options;
	recording->files = files;
	capture_writer_begin(&recording->writer, NULL);
	recording->writer.has_rounds = 1;
	return recording;
}

/* Files */

static void begin_file(struct ring_recording *recording)
{
	capture_writer_restart(&recording->writer);
	recording->lost_before = recording->lost;
	recording->in_programs_before = recording->in_programs;
	recording->file_bytes = 0;
	recording->is_open = 1;
}

static void leave_file(struct ring_recording *recording, int64_t wait)
{
	recording->is_open = 0;
	recording->again = clock_now(CLOCK_MONOTONIC) + wait;
}

static void miss(struct ring_recording *recording, uint64_t events)
{
	atomic_fetch_add_explicit(&recording->options.files.counts->missed, events,
				  memory_order_relaxed);
}

static void complain(struct ring_recording *recording)
{
	const int64_t now = clock_now(CLOCK_MONOTONIC);

	if (now < recording->next_complaint)
		return;
	recording->next_complaint = now + SILENCE_NS;
	message("cannot record all events into %s: its disk is too slow; some are in no file",
		recording->options.directory);
}

/* Hand over the writer's bytes. */
static void hand_over(struct ring_recording *recording)
{
	struct bytes *bytes = &recording->writer.bytes;
	const uint64_t events = recording->events, length = bytes->length;

	recording->events = 0;
	if (!length || !recording->is_open)
		return;
	if (!file_writer_put(recording->files, bytes, events, !recording->file_bytes)) {
		recording->file_bytes += length;
		return;
	}
	if (file_writer_has_failed(recording->files)) {
		leave_file(recording, AGAIN_FULL_NS);
		return;
	}
	complain(recording);
	leave_file(recording, AGAIN_SLOW_NS);
}

static int can_begin(const struct ring_recording *recording)
{
	return clock_now(CLOCK_MONOTONIC) >= recording->again &&
	       file_writer_has_room(recording->files);
}

/* Whether there is a file for a page. */
static int is_open(struct ring_recording *recording)
{
	const uint64_t bytes = recording->file_bytes + recording->writer.bytes.length;

	if (!recording->is_open && can_begin(recording))
		begin_file(recording);
	if (!recording->is_open || bytes + PAGE_BYTES <= recording->options.file_bytes)
		return recording->is_open;
	hand_over(recording);
	if (recording->is_open)
		begin_file(recording);
	return recording->is_open;
}

void ring_recording_remove(struct ring_recording *recording, struct written_ring *ring)
{
	if (ring)
		capture_writer_remove_ring(&recording->writer, ring);
}

/* Events */

void ring_recording_page(struct ring_recording *recording, struct written_ring *ring,
			 const struct ue_captured_page *page)
{
	if (!page->event_count && !page->lost)
		return;
	if (!is_open(recording)) {
		miss(recording, ring_stacks_events(page));
		return;
	}
	capture_writer_page(&recording->writer, ring, page);
	recording->events += ring_stacks_events(page);
	if (recording->writer.bytes.length >= AT_ONCE)
		hand_over(recording);
}

void ring_recording_event(struct ring_recording *recording, const struct ue_captured *event)
{
	event_pages_add(&recording->pages, event);
}

void ring_recording_end_events(struct ring_recording *recording, struct written_ring *ring)
{
	struct ue_captured_page page;

	while (event_pages_next(&recording->pages, &page))
		ring_recording_page(recording, ring, &page);
}

/* Rounds */

void ring_recording_end_round(struct ring_recording *recording, int64_t until)
{
	if (recording->is_open)
		capture_writer_end_pass(&recording->writer, until);
}

void ring_recording_lose(struct ring_recording *recording, uint64_t in_rings,
			 uint64_t in_programs)
{
	recording->lost.lost[UE_LOSS_CAPTURE_FULL] = in_rings;
	recording->in_programs = in_programs;
}

static void write_losses(struct ring_recording *recording)
{
	struct ue_capture_counts lost = { .size = sizeof(lost) };

	lost.lost[UE_LOSS_CAPTURE_FULL] =
		recording->lost.lost[UE_LOSS_CAPTURE_FULL] -
		recording->lost_before.lost[UE_LOSS_CAPTURE_FULL];
	capture_writer_losses(&recording->writer, &lost,
			      recording->in_programs - recording->in_programs_before);
}

/* A file that failed is found here, too, as no event may come for long. */
void ring_recording_flush(struct ring_recording *recording)
{
	if (recording->is_open && recording->file_bytes &&
	    file_writer_has_failed(recording->files)) {
		miss(recording, recording->events);
		recording->events = 0;
		leave_file(recording, AGAIN_FULL_NS);
	}
	if (!recording->is_open)
		return;
	write_losses(recording);
	hand_over(recording);
}

void ring_recording_end(struct ring_recording *recording)
{
	struct file_counts *counts = recording->options.files.counts;
	uint64_t missed;

	ring_recording_flush(recording);
	if (file_writer_close(recording->files, END_NS))
		message("cannot complete the files in %s: the disk does not answer",
			recording->options.directory);
	missed = atomic_load_explicit(&counts->missed, memory_order_relaxed);
	if (missed)
		message("%llu event%s in no file of %s.", (unsigned long long)missed,
			missed == 1 ? " is" : "s are", recording->options.directory);
	capture_writer_free(&recording->writer);
	event_pages_free(&recording->pages);
	free(recording);
}
