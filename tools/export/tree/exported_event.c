/* SPDX-License-Identifier: MIT */
/* Collects the facts of an event that are exported beside its fields. */
#include "exported_event.h"

#include <string.h>

static void read_names(struct exported_events *events, const struct event *event,
		       struct exported_event *exported)
{
	const struct event_kind *kind = event->kind;

	if (kind != events->kind) {
		events->scope = clean_text(&events->scopes, kind->group, strlen(kind->group));
		events->name = clean_text(&events->names, kind->name, strlen(kind->name));
		events->kind = kind;
	}
	exported->scope = events->scope;
	exported->name = events->name;
}

/* A recording of another clock may know how far that is from the time of day. */
static void read_times(const struct record *record, struct exported_event *exported)
{
	const struct ue_sample *sample = &record->sample;

	exported->time = 0;
	exported->clock_time = 0;
	if (!(sample->present & UE_META_TIME))
		return;
	if (sample->is_wall_clock && sample->time > 0) /* no format has times before 1970 */
		exported->time = sample->time;
	exported->clock_time = sample->is_wall_clock && record->has_clock_time ?
				       record->clock_time : sample->time;
}

void exported_event_read(struct exported_events *events, struct event *event,
			 struct exported_event *exported)
{
	const struct ue_sample *sample = &event->record->sample;

	exported->event = event;
	exported->info = event->info;
	exported->origin = origin_find(&events->origins, sample);
	exported->has_tid = !!(sample->present & UE_META_TID);
	exported->tid = exported->has_tid ? sample->tid : 0;
	exported->lost = sample->present & UE_META_LOST ? sample->lost : 0;
	events->lost += exported->lost;
	read_names(events, event, exported);
	read_times(event->record, exported);
}

void exported_events_free(struct exported_events *events)
{
	origins_free(&events->origins);
	clean_texts_free(&events->scopes);
	clean_texts_free(&events->names);
}
