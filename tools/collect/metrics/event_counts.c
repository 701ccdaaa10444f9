/* SPDX-License-Identifier: MIT */
/* Makes room for counts of kinds. */
#include "event_counts.h"

#include <stdlib.h>
#include <string.h>

#include "common/cli/memory.h"

void event_counts_grow(struct event_counts *counts, uint32_t number)
{
	const uint32_t room = number < 32 ? 64 : number * 2;

	counts->items = xrealloc(counts->items, room * sizeof(*counts->items));
	memset(counts->items + counts->room, 0,
	       (room - counts->room) * sizeof(*counts->items));
	counts->room = room;
}

void event_counts_free(struct event_counts *counts)
{
	free(counts->items);
	*counts = (struct event_counts){ .items = NULL };
}
