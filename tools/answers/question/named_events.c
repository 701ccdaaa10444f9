/* SPDX-License-Identifier: MIT */
/* Recognizes events whose name matches a glob. */
#include "named_events.h"

#include <stdlib.h>
#include <string.h>

#include "common/cli/memory.h"
#include "common/cli/message.h"

void named_events_begin(struct named_events *named, const char *glob)
{
	*named = (struct named_events){ .found = 0 };
	words_add(&named->globs, glob);
}

static int8_t *match_of(struct named_events *named, uint32_t number)
{
	const uint32_t old = named->kinds;

	if (number >= old) {
		named->kinds = number < 32 ? 64 : number * 2;
		named->matches = xrealloc(named->matches, named->kinds);
		memset(named->matches + old, 0, named->kinds - old);
	}
	return &named->matches[number];
}

int named_events_has(struct named_events *named, const struct event_kind *kind)
{
	int8_t *match = match_of(named, kind->number);

	if (!*match)
		*match = event_kind_matches(kind, &named->globs) ? 1 : -1;
	named->found += *match > 0;
	return *match > 0;
}

/* Kinds of events that did not pass the filter are known, too. */
static int is_any(const struct event_kinds *kinds, const struct words *globs)
{
	for (uint32_t i = 0; i < kinds->count; i++)
		if (event_kind_matches(kinds->items[i], globs))
			return 1;
	return 0;
}

int named_events_report(const struct named_events *named, const struct event_kinds *kinds)
{
	const char *glob = named->globs.items[0];
	const char *near = named->found ? NULL : event_kinds_nearest(kinds, glob);

	if (named->found)
		return 0;
	if (is_any(kinds, &named->globs))
		message("cannot use an event \"%s\": there are such, and none passes --where, -e "
			"and the times", glob);
	else if (near)
		message("cannot find an event \"%s\": there is none; did you mean \"%s\"?", glob,
			near);
	else
		message("cannot find an event \"%s\": there is none; \"userevents stat\" lists "
			"those that are there", glob);
	return 1;
}

void named_events_free(struct named_events *named)
{
	free(named->globs.items);
	free(named->matches);
	*named = (struct named_events){ .found = 0 };
}
