/* SPDX-License-Identifier: MIT */
/* Gathers what a page says about the events of one name. */
#include <stdlib.h>
#include <string.h>

#include "common/cli/memory.h"
#include "facts.h"

/* Kinds have the numbers 0, 1, 2, ..., so those up to the limit are the first. */
static struct kind_facts *find(struct facts *facts, const struct event_kind *kind)
{
	const uint32_t number = kind->number;

	if (number >= KINDS_GATHERED) {
		if (number - KINDS_GATHERED >= facts->kinds_beyond)
			facts->kinds_beyond = number - KINDS_GATHERED + 1;
		return &facts->rest;
	}
	for (; facts->kind_count <= number; facts->kind_count++) {
		facts->kinds = xgrow(facts->kinds, facts->kind_count, sizeof(*facts->kinds));
		facts->kinds[facts->kind_count] = NULL;
	}
	if (!facts->kinds[number]) {
		facts->kinds[number] = xcalloc(1, sizeof(**facts->kinds));
		facts->kinds[number]->kind = kind;
	}
	return facts->kinds[number];
}

static void add_process(struct kind_facts *kind, const struct ue_sample *sample)
{
	if (!(sample->present & UE_META_PID))
		return;
	for (uint32_t i = 0; i < kind->process_count && i < PROCESSES_COUNTED; i++)
		if (kind->processes[i] == sample->pid)
			return;
	if (kind->process_count < PROCESSES_COUNTED)
		kind->processes[kind->process_count] = sample->pid;
	if (kind->process_count <= PROCESSES_COUNTED)
		kind->process_count++;
}

static void add_time(struct facts *facts, struct kind_facts *kind, int64_t time,
		     enum severity severity)
{
	if (!kind->has_time)
		kind->first = kind->last = time;
	kind->has_time = 1;
	if (time < kind->first)
		kind->first = time;
	if (time > kind->last)
		kind->last = time;
	series_add(&kind->series, &facts->scale, time, severity, 1);
}

static int is_unreadable(const struct event *event)
{
	const struct tracepoint *tracepoint = event->record->tracepoint;

	return !event->info && (tracepoint->is_bare || tracepoint->format.is_eventheader);
}

void kind_take(struct facts *facts, struct event *event, enum severity severity,
	       int is_timed)
{
	const struct ue_sample *sample = &event->record->sample;
	struct kind_facts *kind = find(facts, event->kind);

	kind->count++;
	kind->of_severity[severity]++;
	kind->bytes += event->length;
	if (event->info)
		kind->level = event->info->level;
	add_process(kind, sample);
	if (is_timed)
		add_time(facts, kind, sample->time, severity);
	if (is_unreadable(event)) {
		kind->malformed++;
		facts->malformed++;
	} else if (kind->kind) {
		fields_take(facts, kind, event);
	}
}

void kind_facts_free(struct kind_facts *kind)
{
	series_free(&kind->series);
	fields_free(kind);
}
