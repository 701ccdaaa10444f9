/* SPDX-License-Identifier: MIT */
/* Events of a ring as records. */
#ifndef UE__TOOLS_RECORDS_RING_RECORD_H
#define UE__TOOLS_RECORDS_RING_RECORD_H

#include <stdint.h>

#include <userevents/capture.h>

#include "record.h"

struct ring_events {
	struct tracepoint **tracepoints; /* by index */
	uint32_t count;
};

/* Valid until the next call that reads the capture. */
struct record ring_record(struct ring_events *events, const struct ue_captured *event);
/* That of an event of a page, by its number there. */
struct record ring_page_record(struct ring_events *events,
			       const struct ue_captured_page *page, uint32_t number);
void ring_events_free(struct ring_events *events);

#endif
