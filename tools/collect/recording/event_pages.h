/* SPDX-License-Identifier: MIT */
/*
 * Makes pages of events that were read one by one, for a recording: the events of a process
 * on a processor.
 */
#ifndef UE__TOOLS_COLLECT_RECORDING_EVENT_PAGES_H
#define UE__TOOLS_COLLECT_RECORDING_EVENT_PAGES_H

#include <stdint.h>

#include <userevents/capture.h>

#include "common/cli/memory.h"

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

/* Copy an event. */
void event_pages_add(struct event_pages *pages, const struct ue_captured *event);
/* The next page: 1, or 0 if all events are in one. Then events may be added again. */
int event_pages_next(struct event_pages *pages, struct ue_captured_page *page);
void event_pages_free(struct event_pages *pages);

#endif
