/* SPDX-License-Identifier: MIT */
/*
 * Sorts events that were read in order by process and processor.
 *
 * The clock of such a page is that of the wall, as it is the same for all rings.
 */
#include "event_pages.h"

#include <stdlib.h>
#include <string.h>

#include "common/cli/memory.h"

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

void event_pages_add(struct event_pages *pages, const struct ue_captured *event)
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

int event_pages_next(struct event_pages *pages, struct ue_captured_page *page)
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

void event_pages_free(struct event_pages *pages)
{
	free(pages->events);
	free(pages->page_events);
	free(pages->threads);
	bytes_free(&pages->payloads);
}
