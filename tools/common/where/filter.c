/* SPDX-License-Identifier: MIT */
/* Passes events by name, time and expression. */
#include "where.h"

#include <stdlib.h>
#include <string.h>

#include "common/cli/memory.h"
#include "common/cli/message.h"
#include "common/records/tracepoint.h"

int filter_begin(struct filter *filter)
{
	for (size_t i = 0; i < filter->globs.count; i++)
		words_add(&filter->unmatched, filter->globs.items[i]);
	if (filter->expression)
		filter->where = where_parse(filter->expression);
	return filter->expression && !filter->where ? -1 : 0;
}

void filter_free(struct filter *filter)
{
	where_free(filter->where);
	free(filter->selected);
	filter->where = NULL;
	filter->selected = NULL;
	filter->kinds = 0;
}

static int8_t select_kind(struct filter *filter, const struct event_kind *kind)
{
	globs_strike(&filter->unmatched, kind->system, kind->tracepoint,
		     strlen(kind->tracepoint));
	if (kind->is_eventheader)
		globs_strike(&filter->unmatched, kind->group, kind->name, strlen(kind->name));
	return event_kind_matches(kind, &filter->globs) ? 1 : -1;
}

/* Kinds are few, so each is matched with the globs once. */
static int name_passes(struct filter *filter, const struct event_kind *kind)
{
	const uint32_t number = kind->number;

	if (!filter->globs.count)
		return 1;
	if (number >= filter->kinds) {
		uint32_t kinds = number < 128 ? 256 : number * 2;

		filter->selected = xrealloc(filter->selected, kinds);
		memset(filter->selected + filter->kinds, 0, kinds - filter->kinds);
		filter->kinds = kinds;
	}
	if (!filter->selected[number])
		filter->selected[number] = select_kind(filter, kind);
	return filter->selected[number] > 0;
}

/* The record's time of the limit's kind: 1, or 0 if it has none. */
static int find_time(const struct record *record, const struct time_limit *limit,
		     int64_t *time)
{
	const struct ue_sample *sample = &record->sample;
	const int wants_date = limit->kind == LIMIT_DATE;

	if (!(sample->present & UE_META_TIME))
		return 0;
	*time = sample->time;
	if (!wants_date == !sample->is_wall_clock)
		return 1;
	*time = record->clock_time;
	return !wants_date && record->has_clock_time;
}

static int is_before(int64_t time, const struct time_limit *limit)
{
	return time < limit->time;
}

/* 1, 0, or -1 if the times cannot be compared. */
static int compare_times(const struct filter *filter, const struct record *record)
{
	const int has_from = filter->from.kind, has_to = filter->to.kind;
	int64_t from, to;

	if ((has_from && !find_time(record, &filter->from, &from)) ||
	    (has_to && !find_time(record, &filter->to, &to)))
		return -1;
	if (has_from && is_before(from, &filter->from))
		return 0;
	return !has_to || is_before(to, &filter->to);
}

int filter_has_time(const struct filter *filter, const struct record *record)
{
	return compare_times(filter, record) > 0;
}

static int time_passes(struct filter *filter, const struct record *record)
{
	int result;

	if (!filter->from.kind && !filter->to.kind)
		return 1;
	result = compare_times(filter, record);
	filter->incomparable += result < 0;
	return result > 0;
}

int filter_passes(struct filter *filter, struct event *event)
{
	int passes = name_passes(filter, event->kind) &&
		     time_passes(filter, event->record);

	filter->is_left_out = 0;
	if (passes && filter->where) {
		passes = where_passes(filter->where, event);
		filter->is_left_out = !passes;
	}
	filter->read++;
	filter->passed += passes > 0;
	return passes;
}

const char *filter_until(const struct filter *filter)
{
	return filter->until ? filter->until : "--to";
}

int filter_is_empty(const struct filter *filter)
{
	if (!filter->from.kind || filter->from.kind != filter->to.kind ||
	    time_limit_is_relative(&filter->from) || filter->from.time < filter->to.time)
		return 0;
	message("cannot show the events between --from and %s: --from is not before %s",
		filter_until(filter), filter_until(filter));
	return 1;
}

static void report_incomparable(const struct filter *filter)
{
	const struct time_limit *limit = filter->from.kind ? &filter->from : &filter->to;
	const int wants_dates = limit->kind == LIMIT_DATE;

	message("cannot compare the times of %llu events with %s given: they are %s, or "
		"there is none", (unsigned long long)filter->incomparable,
		filter->from.kind && filter->to.kind ? "those" : "that",
		wants_dates ? "seconds of the recorder's clock, 853.5" :
			      "dates, 2026-01-31T12:00:00.5Z");
}

static void report_time(const struct filter *filter)
{
	const char *until = filter_until(filter);

	if (!filter->to.kind)
		message("cannot find an event of the time given: none of those read is of "
			"--from or later");
	else
		message("cannot find an event of the time given: none of those read is %s %s",
			filter->from.kind ? "between --from and" : "before", until);
}

/* The name that may have been meant. */
static const char *hint_of(const struct event_kinds *kinds, const char *glob)
{
	const char *near = event_kinds_nearest(kinds, glob);

	return near ? xprintf("; did you mean \"%s\"?", near) : "";
}

/* Report names first: they are more often mistyped than times. */
static void report_unmatched(const struct filter *filter, const struct event_kinds *kinds)
{
	const struct words *words = &filter->unmatched;

	for (size_t i = 0; i < words->count; i++)
		message("cannot find an event that \"%s\" matches: there is no such "
			"tracepoint or EventHeader event in what was read%s", words->items[i],
			hint_of(kinds, words->items[i]));
	if (words->count || filter->passed || filter->incomparable)
		return;
	if (filter->where && where_report(filter->where))
		return;
	if (filter->where)
		message("No event passes \"%s\".", filter->expression);
	else
		report_time(filter);
}

int filter_report(const struct filter *filter, const struct event_kinds *kinds)
{
	if (filter->incomparable)
		report_incomparable(filter);
	if (!filter->globs.count && !filter->from.kind && !filter->to.kind &&
	    !filter->where)
		return 0;
	report_unmatched(filter, kinds);
	return !filter->passed || filter->incomparable;
}

void filter_report_live(const struct filter *filter, const struct event_kinds *kinds)
{
	for (size_t i = 0; i < filter->unmatched.count && filter->read; i++)
		message("There was no event that \"%s\" matches%s%s",
			filter->unmatched.items[i], hint_of(kinds, filter->unmatched.items[i]),
			*hint_of(kinds, filter->unmatched.items[i]) ? "" : ".");
	if (filter->where && filter->read && !filter->passed)
		where_report(filter->where);
}
