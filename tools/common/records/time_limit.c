/* SPDX-License-Identifier: MIT */
/*
 * Parses times of --from and --to, and finds those that depend on the recording.
 *
 * Times that "decode" prints are accepted as they are printed. In the hour that a clock is
 * set back by, two moments have one local time: --from is the first of them and --to the
 * second, so that neither hides an event of the time given.
 */
#include "time_limit.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/cli/message.h"

#define SECOND ((int64_t)1000000000)
#define MINUTE (60 * SECOND)

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

/* Parse HH:MM[:SS[.FRACTION]]. Returns where the text goes on, or NULL. */
static const char *parse_clock(const char *text, struct tm *tm, int64_t *fraction)
{
	const char *rest = strptime(text, "%H:%M", tm);

	if (!rest || *rest != ':')
		return rest;
	rest = strptime(rest + 1, "%S", tm);
	return rest ? parse_fraction(rest, fraction) : NULL;
}

/* Like strptime(3) with %Y, whose years have at most four digits. */
static const char *parse_year(const char *text, struct tm *tm)
{
	const size_t digits = strspn(text + (*text == '-'), "0123456789");
	const long year = digits && digits < 12 ? strtol(text, NULL, 10) - 1900 : LONG_MAX;

	tm->tm_year = (int)year;
	return tm->tm_year == year ? text + (*text == '-') + digits : NULL;
}

/* Parse DAY[THH:MM[:SS[.FRACTION]]]. Returns where the text goes on, or NULL. */
static const char *parse_day(const char *text, struct tm *tm, int64_t *fraction)
{
	const char *year = parse_year(text, tm);
	const char *day = year ? strptime(year, "-%m-%d", tm) : NULL;

	if (!day || (*day != 'T' && *day != ' '))
		return day;
	return parse_clock(day + 1, tm, fraction);
}

/* Parse "", "Z" or "+01:00", all of the text: 0 or -1. */
static int parse_zone(const char *text, struct time_limit *limit)
{
	const int is_west = *text == '-';
	struct tm tm = { 0 };
	const char *rest;

	limit->has_offset = *text != '\0';
	if (!*text || !strcmp(text, "Z"))
		return 0;
	if (*text != '+' && !is_west)
		return -1;
	rest = strptime(text + 1, "%H:%M", &tm);
	limit->offset = (is_west ? -1 : 1) * (tm.tm_hour * 3600L + tm.tm_min * 60L);
	return rest && !*rest ? 0 : -1;
}

/* The moment with this local time and daylight saving, if there is one. */
static int find_local(struct tm tm, int is_dst, time_t *seconds)
{
	const struct tm wanted = tm;
	struct tm found;

	tm.tm_isdst = is_dst;
	*seconds = mktime(&tm);
	return localtime_r(seconds, &found) && found.tm_isdst == is_dst &&
	       found.tm_hour == wanted.tm_hour % 24 && found.tm_min == wanted.tm_min;
}

static int64_t local_seconds(const struct tm *tm, int is_end)
{
	struct tm any = *tm;
	time_t summer, winter;
	const int has_summer = find_local(*tm, 1, &summer);
	const int has_winter = find_local(*tm, 0, &winter);

	if (has_summer && has_winter)
		return (summer < winter) == !is_end ? summer : winter;
	if (has_summer || has_winter)
		return has_summer ? summer : winter;
	any.tm_isdst = -1; /* the clock passes over it */
	return mktime(&any);
}

/* Seconds since 1970. tm may have more days than its month. */
static int64_t seconds_of(const struct time_limit *limit, const struct tm *tm)
{
	struct tm utc = *tm;

	return limit->has_offset ? timegm(&utc) - limit->offset :
				   local_seconds(tm, limit->is_end);
}

static int set_time(struct time_limit *limit, int64_t seconds, int64_t fraction)
{
	return __builtin_mul_overflow(seconds, SECOND, &limit->time) ||
			       __builtin_add_overflow(limit->time, fraction, &limit->time) ?
		       -1 : 0;
}

static int parse_seconds_of_date(const char *text, struct time_limit *limit,
				 int64_t *seconds, int64_t *fraction)
{
	struct tm tm = { 0 }, normal;
	const char *rest = parse_day(text, &tm, fraction);

	if (!rest || parse_zone(rest, limit))
		return -1;
	normal = tm;
	timegm(&normal);
	/* February has no day 30; 23:59:60 becomes the next day */
	if (normal.tm_mday != tm.tm_mday && tm.tm_sec < 60)
		return -1;
	*seconds = seconds_of(limit, &tm);
	return 0;
}

static int parse_date(const char *text, struct time_limit *limit)
{
	int64_t seconds, fraction = 0;

	limit->kind = LIMIT_DATE;
	return parse_seconds_of_date(text, limit, &seconds, &fraction) ?
		       -1 : set_time(limit, seconds, fraction);
}

int date_parse(const char *text, int64_t *seconds, int64_t *nanoseconds)
{
	struct time_limit any = { .kind = LIMIT_DATE };

	*nanoseconds = 0;
	return parse_seconds_of_date(text, &any, seconds, nanoseconds);
}

static int parse_of_day(const char *text, struct time_limit *limit)
{
	struct tm tm = { 0 };
	int64_t fraction = 0;
	const char *rest = parse_clock(text, &tm, &fraction);

	if (!rest || parse_zone(rest, limit))
		return -1;
	limit->kind = LIMIT_OF_DAY;
	return set_time(limit, tm.tm_hour * 3600L + tm.tm_min * 60L + tm.tm_sec, fraction);
}

/* Parse digits[.digits]. Returns where the text goes on, or NULL. */
static const char *parse_seconds(const char *text, int64_t *seconds, int64_t *fraction)
{
	char *end;

	if (*text < '0' || *text > '9')
		return NULL;
	*seconds = strtoll(text, &end, 10);
	return parse_fraction(end, fraction);
}

static int64_t unit_of(const char *text)
{
	static const struct {
		const char *name;
		int64_t unit;
	} units[] = {
		{ "ns", 1 }, { "us", 1000 }, { "ms", 1000000 }, { "s", SECOND },
		{ "m", MINUTE }, { "h", 60 * MINUTE }, { "d", 24 * 60 * MINUTE },
	};

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (!strcmp(units[i].name, text))
			return units[i].unit;
	return 0;
}

/* A fraction of a larger unit than a second, which nanoseconds express exactly. */
static int64_t part_of(int64_t unit, int64_t fraction)
{
	return unit < SECOND ? fraction / (SECOND / unit) : fraction * (unit / SECOND);
}

/* without: the unit of a number that has none; 0: it must have one. */
static int parse_duration(const char *text, int64_t without, int64_t *nanoseconds)
{
	int64_t number, fraction = 0, unit;
	const char *rest = parse_seconds(text, &number, &fraction);

	if (!rest)
		return -1;
	unit = *rest ? unit_of(rest) : without;
	return !unit || __builtin_mul_overflow(number, unit, nanoseconds) ||
			       __builtin_add_overflow(*nanoseconds, part_of(unit, fraction),
						      nanoseconds) ? -1 : 0;
}

int duration_parse(const char *text, int64_t *nanoseconds)
{
	return parse_duration(text, 0, nanoseconds);
}

/* "-10s", "+1.5h". Without a unit, as "--time relative" prints it, only after the begin. */
static int parse_span(const char *text, struct time_limit *limit)
{
	limit->kind = *text == '-' ? LIMIT_BEFORE_END : LIMIT_AFTER_BEGIN;
	return parse_duration(text + 1, *text == '-' ? 0 : SECOND, &limit->time);
}

static int parse_clock_seconds(const char *text, struct time_limit *limit)
{
	int64_t seconds, fraction = 0;
	const char *rest = parse_seconds(text, &seconds, &fraction);

	limit->kind = LIMIT_SECONDS;
	return rest && !*rest ? set_time(limit, seconds, fraction) : -1;
}

static int parse(const char *text, struct time_limit *limit)
{
	const size_t digits = strspn(text, "0123456789");

	if (*text == '-' || *text == '+')
		return parse_span(text, limit);
	if (text[digits] == ':')
		return parse_of_day(text, limit);
	return text[digits] == '-' ? parse_date(text, limit) :
				     parse_clock_seconds(text, limit);
}

int time_limit_parse(const char *text, int is_end, struct time_limit *limit)
{
	*limit = (struct time_limit){ .is_end = is_end };
	if (!parse(text, limit))
		return 0;
	message("cannot parse the time \"%s\": a time is 19:22:03.5, a date, 2026-01-31, "
		"2026-01-31T12:00 or 2026-01-31T12:00:00.5Z, seconds, 853.5, or -10s before "
		"the end", text);
	return -1;
}

/* Times that depend on the recording */

int time_limit_is_relative(const struct time_limit *limit)
{
	return limit->kind >= LIMIT_OF_DAY;
}

static int64_t moved(int64_t time, int64_t by)
{
	int64_t sum;

	if (__builtin_add_overflow(time, by, &sum))
		return by < 0 ? INT64_MIN : INT64_MAX;
	return sum;
}

/* This time of day, so many days after the moment. */
static int64_t on_day_of(const struct time_limit *limit, int64_t moment, int days)
{
	const int64_t seconds = moment / SECOND - (moment % SECOND < 0);
	const int64_t time = limit->time / SECOND;
	time_t there = (time_t)(seconds + (limit->has_offset ? limit->offset : 0));
	struct time_limit found;
	struct tm tm = { 0 };

	if (limit->has_offset)
		gmtime_r(&there, &tm);
	else
		localtime_r(&there, &tm);
	tm.tm_mday += days;
	tm.tm_hour = (int)(time / 3600);
	tm.tm_min = (int)(time / 60 % 60);
	tm.tm_sec = (int)(time % 60);
	if (set_time(&found, seconds_of(limit, &tm), limit->time % SECOND))
		return moment; /* no time has such a date */
	return found.time;
}

/* The beginning itself may have been given with less precision than it has. */
static int64_t find_of_day(const struct time_limit *limit, const struct time_span *span,
			   const struct time_limit *since)
{
	const int has_since = since && since->kind == LIMIT_DATE &&
			      since->time > span->first;
	const int64_t begin = has_since ? since->time : span->first;
	const int64_t today = on_day_of(limit, begin, 0);
	const int64_t next = on_day_of(limit, begin, 1);
	const int64_t least = has_since ? begin : moved(begin, -MINUTE);

	/* after a beginning that the recording does not reach, too: the days are in order */
	return today <= least && (next <= span->last || (has_since && begin > span->last)) ?
		       next : today;
}

void time_limit_resolve(struct time_limit *limit, const struct time_span *span,
			const struct time_limit *since)
{
	const int is_wall = span->has_wall || !span->has_clock;
	const int64_t first = is_wall ? span->first : span->clock_first;
	const int64_t last = is_wall ? span->last : span->clock_last;

	if (!time_limit_is_relative(limit))
		return;
	if (limit->kind == LIMIT_OF_DAY) {
		limit->time = find_of_day(limit, span, since);
		limit->kind = LIMIT_DATE;
		return;
	}
	limit->time = limit->kind == LIMIT_BEFORE_END ? moved(last, -limit->time) :
							     moved(first, limit->time);
	limit->kind = is_wall ? LIMIT_DATE : LIMIT_SECONDS;
}
