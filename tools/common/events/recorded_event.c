/* SPDX-License-Identifier: MIT */
/* Makes events of records. */
#include "recorded_event.h"

#include <stdlib.h>
#include <string.h>

#include "common/cli/memory.h"
#include "common/cli/message.h"
#include "common/records/tracepoint.h"

/* Finds the kinds of events by name. */

static uint64_t key_of(const char *tracepoint, const char *name, size_t length)
{
	return hash_number(hash_bytes(tracepoint, strlen(tracepoint))) ^
	       hash_bytes(name, length);
}

/* The number of the event, which is new, or is also that of another kind. */
static uint32_t event_of(struct event_kinds *kinds, const struct event_kind *kind)
{
	const uint64_t key = key_of(kind->group, kind->name, strlen(kind->name)) ^
			     (uint64_t)kind->is_eventheader;
	uint32_t steps = 0, number;

	while ((number = key_table_next(&kinds->by_event, key, &steps)) != KEY_UNKNOWN) {
		const struct event_kind *other = kinds->items[number];

		if (!strcmp(other->name, kind->name) && !strcmp(other->group, kind->group) &&
		    other->is_eventheader == kind->is_eventheader)
			return other->event;
	}
	key_table_add(&kinds->by_event, key, kinds->count);
	return kinds->events++;
}

static struct event_kind *add(struct event_kinds *kinds, const struct event_kind *kind)
{
	struct event_kind *added = xmalloc(sizeof(*added));

	*added = *kind;
	added->event = event_of(kinds, kind);
	added->number = kinds->count;
	kinds->items = xgrow(kinds->items, kinds->count, sizeof(struct event_kind *));
	kinds->items[kinds->count++] = added;
	key_table_add(&kinds->by_name,
		      key_of(kind->tracepoint, kind->name, strlen(kind->name)),
		      added->number);
	return added;
}

static int is_same(const struct event_kind *kind, const char *system, const char *tracepoint,
		   const char *name, size_t length)
{
	return !strncmp(kind->name, name, length) && !kind->name[length] &&
	       !strcmp(kind->tracepoint, tracepoint) && !strcmp(kind->system, system);
}

static const char name_of_others[] = "(others)";

static struct event_kind *others(struct event_kinds *kinds)
{
	static const struct event_kind kind = {
		.group = "", .name = name_of_others, .system = "", .tracepoint = "",
		.shown = name_of_others,
	};

	if (!kinds->others)
		kinds->others = add(kinds, &kind);
	return kinds->others;
}

static struct event_kind *new_kind(struct event_kinds *kinds, const char *system,
				   const char *tracepoint, const char *group,
				   size_t group_length, const char *name, size_t length,
				   int is_eventheader)
{
	struct event_kind kind = { .is_eventheader = is_eventheader };
	char *shown;

	if (kinds->others || kinds->count == EVENT_KINDS_MAX - 1 ||
	    kinds->bytes > EVENT_KIND_BYTES_MAX)
		return others(kinds);
	kinds->bytes += 2 * (group_length + length) + strlen(system) + strlen(tracepoint);
	kind.group = xstrndup(group, group_length);
	kind.name = xstrndup(name, length);
	kind.system = xstrdup(system);
	kind.tracepoint = xstrdup(tracepoint);
	shown = xprintf("%s:%s", kind.group, kind.name);
	controls_blank(shown, strlen(shown));
	kind.shown = shown;
	return add(kinds, &kind);
}

struct event_kind *event_kind_find(struct event_kinds *kinds, const char *system,
				   const char *tracepoint, const char *group,
				   size_t group_length, const char *name, size_t name_length,
				   int is_eventheader)
{
	const uint64_t key = key_of(tracepoint, name, name_length);
	uint32_t steps = 0, found;

	while ((found = key_table_next(&kinds->by_name, key, &steps)) != KEY_UNKNOWN)
		if (is_same(kinds->items[found], system, tracepoint, name, name_length))
			return kinds->items[found];
	return new_kind(kinds, system, tracepoint, group, group_length, name, name_length,
			is_eventheader);
}

int event_kind_matches(const struct event_kind *kind, const struct words *globs)
{
	return kind->name == name_of_others ||
	       glob_matches(globs, kind->system, kind->tracepoint,
			    strlen(kind->tracepoint)) ||
	       (kind->is_eventheader &&
		glob_matches(globs, kind->group, kind->name, strlen(kind->name)));
}

static void free_kind(struct event_kind *kind)
{
	if (kind->name != name_of_others) {
		free((char *)kind->group);
		free((char *)kind->name);
		free((char *)kind->system);
		free((char *)kind->tracepoint);
		free((char *)kind->shown);
	}
	free(kind);
}

const char *event_kinds_nearest(const struct event_kinds *kinds, const char *glob)
{
	AUTO_FREE const char **names =
		xcalloc((size_t)kinds->count * 2 + 1, sizeof(*names));

	for (uint32_t i = 0; i < kinds->count; i++) {
		names[2 * i] = kinds->items[i]->name;
		names[2 * i + 1] = kinds->items[i]->shown;
	}
	return nearest(glob, names, (size_t)kinds->count * 2, sizeof(*names));
}

void event_kinds_free(struct event_kinds *kinds)
{
	for (uint32_t i = 0; i < kinds->count; i++)
		free_kind(kinds->items[i]);
	free(kinds->items);
	key_table_free(&kinds->by_name);
	key_table_free(&kinds->by_event);
	*kinds = (struct event_kinds){ 0 };
}

static void forget_others(struct tracepoint *tracepoint, const struct event_kinds *kinds)
{
	if (tracepoint->kinds == kinds)
		return;
	tracepoint->kinds = kinds;
	tracepoint->kind = tracepoint->last_kind = NULL;
}

/* Classic events, and EventHeader events that cannot be read, are of the tracepoint's kind. */
static const struct event_kind *plain_kind(struct event_kinds *kinds,
					   struct tracepoint *tracepoint)
{
	const char *system = tracepoint->system, *name = tracepoint->name;

	if (!tracepoint->kind)
		tracepoint->kind = event_kind_find(kinds, system, name, system,
						   strlen(system), name, strlen(name), 0);
	return tracepoint->kind;
}

static int has_name(const struct event_kind *kind, const struct ue_event_info *info)
{
	return !strncmp(kind->name, info->name, info->name_proper_length) &&
	       !kind->name[info->name_proper_length];
}

/* Most events of a tracepoint have the name of the one before. */
static const struct event_kind *named_kind(struct event_kinds *kinds,
					   struct tracepoint *tracepoint,
					   const struct ue_event_info *info)
{
	const struct event_kind *last = tracepoint->last_kind;

	if (!last || !last->is_eventheader || !has_name(last, info))
		tracepoint->last_kind = event_kind_find(
			kinds, tracepoint->system, tracepoint->name, info->provider,
			info->provider_length, info->name, info->name_proper_length, 1);
	return tracepoint->last_kind;
}

static int begin_reader(struct event *event, const struct tracepoint *tracepoint)
{
	struct ue_reader_opts opts = { .size = sizeof(opts) };

	if (!tracepoint->is_bare && !tracepoint->format.is_eventheader)
		return -1;
	if (tracepoint->is_multi)
		opts.flags = UE_READER_MULTI_FORMAT;
	return ue_reader_begin(&event->reader, tracepoint->name, strlen(tracepoint->name),
			       event->bytes, event->length, &opts);
}

void event_read(struct event *event, const struct record *record,
		 struct event_kinds *kinds)
{
	struct tracepoint *tracepoint = record->tracepoint;
	const size_t common = record_common_size(record);

	event->record = record;
	event->bytes = record->bytes + common;
	event->length = record->length - common;
	event->info = NULL;
	event->captured = NULL;
	forget_others(tracepoint, kinds);
	if (begin_reader(event, tracepoint)) {
		event->kind = plain_kind(kinds, tracepoint);
		return;
	}
	event->info = ue_reader_info(&event->reader);
	event->kind = named_kind(kinds, tracepoint, event->info);
}
