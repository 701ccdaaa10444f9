/* SPDX-License-Identifier: MIT */
/* Recognizes events whose name matches a glob. */
#include "named_events.h"

#include <stdlib.h>
#include <string.h>

#include "cli/memory.h"
#include "cli/message.h"

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

/* Either the name alone, or with its group. */
static const char *nearest_name(const char *glob, const struct event_kinds *kinds)
{
	const char **names = xcalloc((size_t)kinds->count * 2, sizeof(*names));
	const char *near;

	for (uint32_t i = 0; i < kinds->count; i++) {
		names[2 * i] = kinds->items[i]->name;
		names[2 * i + 1] = kinds->items[i]->shown;
	}
	near = nearest(glob, names, (size_t)kinds->count * 2, sizeof(*names));
	free(names);
	return near;
}

int named_events_report(const struct named_events *named, const struct event_kinds *kinds)
{
	const char *glob = named->globs.items[0];
	const char *near = named->found ? NULL : nearest_name(glob, kinds);

	if (named->found)
		return 0;
	if (near)
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
