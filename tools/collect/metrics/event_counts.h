/* SPDX-License-Identifier: MIT */
/* Counts events and their bytes by kind. */
#ifndef UE__TOOLS_COLLECT_EVENT_COUNTS_H
#define UE__TOOLS_COLLECT_EVENT_COUNTS_H

#include <stdint.h>

#include "common/events/recorded_event.h"

/* Kinds beyond this number are counted together, as each is a series for ever. */
#define COUNTED_KINDS_MAX 1000u

struct event_count {
	const struct event_kind *kind; /* NULL: none of this number was counted */
	uint64_t events;
	uint64_t bytes; /* of payloads */
};

/* Zero it before the first use. */
struct event_counts {
	struct event_count *items; /* by the number of the kind */
	uint32_t room;
	struct event_count others;
};

void event_counts_grow(struct event_counts *counts, uint32_t number);
void event_counts_free(struct event_counts *counts);

static inline void event_counts_add(struct event_counts *counts,
				    const struct event_kind *kind, size_t bytes)
{
	struct event_count *count = &counts->others;

	if (kind->number < COUNTED_KINDS_MAX) {
		if (kind->number >= counts->room)
			event_counts_grow(counts, kind->number);
		count = &counts->items[kind->number];
		count->kind = kind;
	}
	count->events++;
	count->bytes += bytes;
}

#endif
