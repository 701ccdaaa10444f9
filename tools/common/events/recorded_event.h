/* SPDX-License-Identifier: MIT */
/* A record as an event, whatever its source and encoding. */
#ifndef UE__TOOLS_EVENTS_RECORDED_EVENT_H
#define UE__TOOLS_EVENTS_RECORDED_EVENT_H

#include <userevents/decode/reader.h>

#include "event_kinds.h"
#include "common/records/record.h"

struct ue_captured;

struct event {
	const struct record *record; /* time, process and so on are in its sample */
	const struct event_kind *kind;
	const uint8_t *bytes; /* without common fields */
	size_t length;
	/* Set for an EventHeader event that can be read; otherwise NULL. */
	const struct ue_event_info *info;
	/* For such an event, at any place: ue_reader_rewind() first. */
	struct ue_reader reader;
	/* The same event as the library captured it; NULL if it is of a recording. */
	const struct ue_captured *captured;
};

/*
 * Begin with a record; everything stays valid as long as that does. kinds: where its kind is
 * looked up, or added.
 */
void event_read(struct event *event, const struct record *record,
		 struct event_kinds *kinds);

#endif
