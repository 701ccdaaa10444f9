/* SPDX-License-Identifier: MIT */
/* Makes events of records. */
#include "recorded_event.h"

#include <string.h>

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
