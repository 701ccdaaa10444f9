/* SPDX-License-Identifier: MIT */
/* Parses times of Common Schema. */
#include "schema_time.h"

#include <string.h>
#include <time.h>

#define BILLION 1000000000

/* Digits of a part of a date: as many as the picture has. */
static int take_digits(const char **at, const char *end, int digits, int *number)
{
	*number = 0;
	for (; digits; digits--, (*at)++) {
		if (*at == end || **at < '0' || **at > '9')
			return 0;
		*number = 10 * *number + (**at - '0');
	}
	return 1;
}

static int take_mark(const char **at, const char *end, const char *marks)
{
	if (*at == end || !**at || !strchr(marks, **at))
		return 0;
	(*at)++;
	return 1;
}

/* timegm() takes 31 February for 3 March, or 2. */
static int is_day(const struct tm *tm)
{
	struct tm day = { .tm_year = tm->tm_year, .tm_mon = tm->tm_mon, .tm_mday = tm->tm_mday };

	timegm(&day);
	return day.tm_mday == tm->tm_mday && day.tm_mon == tm->tm_mon;
}

static int take_date(const char **at, const char *end, struct tm *tm)
{
	if (!take_digits(at, end, 4, &tm->tm_year) || !take_mark(at, end, "-") ||
	    !take_digits(at, end, 2, &tm->tm_mon) || !take_mark(at, end, "-") ||
	    !take_digits(at, end, 2, &tm->tm_mday) || !take_mark(at, end, "Tt ") ||
	    !take_digits(at, end, 2, &tm->tm_hour) || !take_mark(at, end, ":") ||
	    !take_digits(at, end, 2, &tm->tm_min) || !take_mark(at, end, ":") ||
	    !take_digits(at, end, 2, &tm->tm_sec))
		return 0;
	tm->tm_year -= 1900;
	tm->tm_mon -= 1;
	return is_day(tm) && tm->tm_hour < 24 && tm->tm_min < 60 && tm->tm_sec <= 60;
}

/* Digits beyond nanoseconds are dropped. */
static int64_t take_fraction(const char **at, const char *end)
{
	int64_t unit = BILLION, fraction = 0;

	if (!take_mark(at, end, "."))
		return 0;
	for (; *at < end && **at >= '0' && **at <= '9'; (*at)++) {
		unit /= 10;
		fraction += unit * (**at - '0');
	}
	return fraction;
}

/* "Z", or "+02:00"; in seconds. */
static int take_zone(const char **at, const char *end, int *offset)
{
	const int is_west = *at < end && **at == '-';
	int hours, minutes;

	*offset = 0;
	if (take_mark(at, end, "Zz"))
		return *at == end;
	if (!take_mark(at, end, "+-") || !take_digits(at, end, 2, &hours) ||
	    !take_mark(at, end, ":") || !take_digits(at, end, 2, &minutes) || hours > 23 ||
	    minutes > 59)
		return 0;
	*offset = (hours * 60 + minutes) * (is_west ? -60 : 60);
	return *at == end;
}

int schema_time(const struct value *value, int64_t *time)
{
	struct tm tm = { 0 };
	const char *at = value->text, *end;
	int64_t seconds, fraction;
	int offset;

	if (value->type != VALUE_TEXT)
		return 0;
	end = at + value->length;
	if (!take_date(&at, end, &tm))
		return 0;
	fraction = take_fraction(&at, end);
	if (!take_zone(&at, end, &offset))
		return 0;
	seconds = timegm(&tm) - offset;
	if (seconds <= 0 || seconds >= INT64_MAX / BILLION)
		return 0;
	*time = seconds * BILLION + fraction;
	return 1;
}
