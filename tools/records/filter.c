/* SPDX-License-Identifier: MIT */
/* Passes records by name and time. */
#include "filter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "event_glob.h"
#include "cli/message.h"

#define SECOND 1000000000

/* Parse decimals of a second into nanoseconds. Returns where the text goes on. */
static const char *parse_fraction(const char *text, int64_t *nanoseconds)
{
	int64_t unit = SECOND;

	*nanoseconds = 0;
	if (*text != '.')
		return text;
	for (text++; *text >= '0' && *text <= '9'; text++) {
		unit /= 10;
		*nanoseconds += (*text - '0') * unit;
	}
	return text;
}

/* Parse DAY[THH:MM[:SS[.FRACTION]]]. Returns where the text goes on, or NULL. */
static const char *parse_day(const char *text, struct tm *tm, int64_t *fraction)
{
	const char *day = strptime(text, "%Y-%m-%d", tm), *time;

	*fraction = 0;
	if (!day || (*day != 'T' && *day != ' '))
		return day;
	time = strptime(day + 1, "%H:%M", tm);
	if (!time || *time != ':')
		return time;
	time = strptime(time + 1, "%S", tm);
	return time ? parse_fraction(time, fraction) : NULL;
}

static int parse_date(const char *text, int64_t *time)
{
	struct tm tm = { 0 };
	int64_t fraction, seconds;
	const char *rest = parse_day(text, &tm, &fraction);
	const struct tm given = tm;

	if (!rest)
		return -1;
	seconds = timegm(&tm);
	/* February has no day 30; 23:59:60 becomes the next day */
	if (tm.tm_mday != given.tm_mday && given.tm_sec < 60)
		return -1;
	if (*rest == 'Z')
		rest++;
	return *rest || __builtin_mul_overflow(seconds, SECOND, time) ||
		       __builtin_add_overflow(*time, fraction, time) ? -1 : 0;
}

static int parse_seconds(const char *text, int64_t *time)
{
	int64_t fraction, seconds;
	char *end;

	if (*text < '0' || *text > '9')
		return -1;
	seconds = strtoll(text, &end, 10);
	return *parse_fraction(end, &fraction) ||
		       __builtin_mul_overflow(seconds, SECOND, time) ||
		       __builtin_add_overflow(*time, fraction, time) ? -1 : 0;
}

int filter_time_parse(const char *text, struct filter_time *time)
{
	time->is_set = 1;
	time->is_wall_clock = strchr(text, '-') != NULL;
	if (!(time->is_wall_clock ? parse_date(text, &time->time) :
				    parse_seconds(text, &time->time)))
		return 0;
	message("cannot parse the time \"%s\": a time is seconds, 853.5, or a date in UTC, "
		"2026-01-31, 2026-01-31T12:00 or 2026-01-31T12:00:00.5Z", text);
	return -1;
}

static int matches(struct filter *filter, const char *system, const char *name,
		   size_t length)
{
	globs_strike(&filter->unmatched, system, name, length);
	return glob_matches(&filter->globs, system, name, length);
}

/* An EventHeader event also matches by its own name, which its tracepoint lacks. */
static int event_matches(struct filter *filter, const struct record *record)
{
	const struct tracepoint *tracepoint = record->tracepoint;
	size_t skip = record_common_size(record);
	struct ue_reader_opts opts = { .size = sizeof(opts) };
	const struct ue_event_info *info;
	struct ue_reader reader;
	char provider[256];

	if (!tracepoint->is_bare && !tracepoint->format.is_eventheader)
		return 0;
	if (!strcmp(tracepoint->system, "user_events_multi"))
		opts.flags = UE_READER_MULTI_FORMAT;
	if (ue_reader_begin(&reader, tracepoint->name, strlen(tracepoint->name),
			    record->bytes + skip, record->length - skip, &opts))
		return 0;
	info = ue_reader_info(&reader);
	snprintf(provider, sizeof(provider), "%.*s", (int)info->provider_length,
		 info->provider);
	return matches(filter, provider, info->name, info->name_proper_length);
}

void filter_begin(struct filter *filter)
{
	for (size_t i = 0; i < filter->globs.count; i++)
		words_add(&filter->unmatched, filter->globs.items[i]);
}

static int name_passes(struct filter *filter, struct record *record)
{
	struct tracepoint *tracepoint = record->tracepoint;

	if (!filter->globs.count)
		return 1;
	if (!tracepoint->is_selected)
		tracepoint->is_selected = matches(filter, tracepoint->system,
						  tracepoint->name,
						  strlen(tracepoint->name)) ? 1 : -1;
	if (tracepoint->is_selected > 0 && !filter->unmatched.count)
		return 1;
	return event_matches(filter, record) || tracepoint->is_selected > 0;
}

static int is_before(const struct ue_sample *sample, const struct filter_time *limit)
{
	return sample->time < limit->time;
}

static int is_comparable(const struct ue_sample *sample, const struct filter_time *limit)
{
	return sample->present & UE_META_TIME &&
	       !limit->is_wall_clock == !sample->is_wall_clock;
}

static int time_passes(struct filter *filter, const struct ue_sample *sample)
{
	if ((filter->from.is_set && !is_comparable(sample, &filter->from)) ||
	    (filter->to.is_set && !is_comparable(sample, &filter->to))) {
		filter->incomparable++;
		return 0;
	}
	if (filter->from.is_set && is_before(sample, &filter->from))
		return 0;
	return !filter->to.is_set || is_before(sample, &filter->to);
}

int filter_passes(struct filter *filter, struct record *record)
{
	int passes = name_passes(filter, record) &&
		     time_passes(filter, &record->sample);

	filter->read++;
	filter->passed += (unsigned)passes;
	return passes;
}

int filter_is_empty(const struct filter *filter)
{
	if (!filter->from.is_set || !filter->to.is_set ||
	    filter->from.is_wall_clock != filter->to.is_wall_clock ||
	    filter->from.time < filter->to.time)
		return 0;
	message("cannot show the events between --from and --to: --from is not before --to");
	return 1;
}

static void report_incomparable(const struct filter *filter)
{
	int wants_dates = filter->from.is_set ? filter->from.is_wall_clock :
						filter->to.is_wall_clock;

	message("cannot compare the times of %llu events with %s given: they are %s, or "
		"there is none", (unsigned long long)filter->incomparable,
		filter->from.is_set && filter->to.is_set ? "those" : "that",
		wants_dates ? "seconds of the recorder's clock, 853.5" :
			      "dates, 2026-01-31T12:00:00.5Z");
}

/* Report names first: they are more often mistyped than times. */
static void report_unmatched(const struct filter *filter)
{
	const struct words *words = &filter->unmatched;

	for (size_t i = 0; i < words->count; i++)
		message("cannot find an event that \"%s\" matches: there is no such "
			"tracepoint or EventHeader event in what was read", words->items[i]);
	if (!words->count && !filter->passed && !filter->incomparable)
		message("cannot find an event of the time given: none of those read %s",
			filter->to.is_set ? filter->from.is_set ?
			"is between --from and --to" : "is before --to" :
			"is of --from or later");
}

int filter_report(const struct filter *filter)
{
	if (filter->incomparable)
		report_incomparable(filter);
	if (filter->globs.count || filter->from.is_set || filter->to.is_set)
		report_unmatched(filter);
	else
		return 0;
	return !filter->passed || filter->incomparable;
}
