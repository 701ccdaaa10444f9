/* SPDX-License-Identifier: MIT */
/* Shows numbers, durations and times as a person reads them. */
#include "amount.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SECOND 1000000000

#define ROOM 80

static char *room(void)
{
	static char texts[8][ROOM];
	static unsigned int next;

	return texts[next++ % 8];
}

static int ends_with(const char *name, size_t length, const char *end)
{
	const size_t size = strlen(end);

	return length >= size && !memcmp(name + length - size, end, size);
}

enum unit unit_of_name(const char *name, size_t length)
{
	static const struct {
		const char *end;
		enum unit unit;
	} known[] = {
		{ "_ns", UNIT_NS }, { "_nsec", UNIT_NS }, { "_us", UNIT_US },
		{ "_usec", UNIT_US }, { "_ms", UNIT_MS }, { "_msec", UNIT_MS },
		{ "_seconds", UNIT_S }, { "_sec", UNIT_S }, { "bytes", UNIT_BYTES },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (ends_with(name, length, known[i].end))
			return known[i].unit;
	return UNIT_NONE;
}

const char *count_text(uint64_t count)
{
	char digits[24], *to = room(), *text = to;
	int length = snprintf(digits, sizeof(digits), "%" PRIu64, count);

	for (int i = 0; i < length; i++) {
		if (i && (length - i) % 3 == 0)
			*to++ = ',';
		*to++ = digits[i];
	}
	*to = '\0';
	return text;
}

const char *counted(uint64_t count, const char *noun)
{
	char *text = room();

	snprintf(text, ROOM, "%s %s%s", count_text(count), noun, count == 1 ? "" : "s");
	return text;
}

/* Durations */

static void put_duration(char text[QUANTITY_TEXT_MAX], double nanoseconds)
{
	static const struct {
		double least;
		const char *name;
	} units[] = { { 86400e9, "d" }, { 3600e9, "h" }, { 60e9, "min" }, { 1e9, "s" },
		      { 1e6, "ms" }, { 1e3, "us" }, { 1, "ns" } };
	size_t i = 0;

	/* not 1000 us, into which 999,960 ns would be rounded */
	while (i < sizeof(units) / sizeof(units[0]) - 1 &&
	       fabs(nanoseconds) < units[i].least * 0.99995)
		i++;
	snprintf(text, QUANTITY_TEXT_MAX, "%.4g %s", nanoseconds / units[i].least, units[i].name);
}

const char *duration_text(double nanoseconds)
{
	char *text = room();

	put_duration(text, nanoseconds);
	return text;
}

static double nanoseconds_of(double number, enum unit unit)
{
	static const double scales[] = { [UNIT_NS] = 1, [UNIT_US] = 1e3, [UNIT_MS] = 1e6,
					 [UNIT_S] = 1e9 };

	return number * scales[unit];
}

/* Numbers */

void quantity_text(char text[QUANTITY_TEXT_MAX], double number, enum unit unit)
{
	if (unit != UNIT_NONE && unit != UNIT_BYTES)
		put_duration(text, nanoseconds_of(number, unit));
	else if (number == floor(number) && fabs(number) < 1e15)
		snprintf(text, QUANTITY_TEXT_MAX, "%.0f", number);
	else
		snprintf(text, QUANTITY_TEXT_MAX, "%.6g", number);
}

static const char *plain_text(double number)
{
	char *text;

	if (fabs(number) < 1e15 && number == floor(number) && number >= 0)
		return count_text((uint64_t)number);
	text = room();
	snprintf(text, ROOM, "%.4g", number);
	return text;
}

static const char *size_text(double bytes)
{
	static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };
	char *text = room();
	int i = 0;

	for (; i < 6 && fabs(bytes) >= 1023.5; i++)
		bytes /= 1024;
	snprintf(text, ROOM, "%.*f %s",
		 fabs(bytes) >= 99.95 || !i ? 0 : fabs(bytes) >= 9.995 ? 1 : 2, bytes, units[i]);
	return text;
}

const char *amount_text(double number, enum unit unit)
{
	if (unit == UNIT_NONE || !(fabs(number) < 1e25))
		return plain_text(number);
	return unit == UNIT_BYTES ? size_text(number) :
				    duration_text(nanoseconds_of(number, unit));
}

const char *rate_text(uint64_t count, double nanoseconds)
{
	char *text = room();
	double rate = nanoseconds > 0 ? (double)count * 1e9 / nanoseconds : 0;

	if (nanoseconds <= 0)
		return "\xe2\x80\x93";
	if (rate >= 100 && rate < 1e15)
		return count_text((uint64_t)(rate + 0.5));
	snprintf(text, ROOM, "%.3g", rate);
	return text;
}

/* Times */

static int64_t seconds_of(int64_t time, int *rest)
{
	const int64_t seconds = time / SECOND;

	*rest = (int)(time % SECOND);
	if (*rest >= 0)
		return seconds;
	*rest += SECOND;
	return seconds - 1;
}

static const char *date_text(int64_t time)
{
	char *text = room(), day[48] = "?";
	int rest;
	time_t seconds = (time_t)seconds_of(time, &rest);
	struct tm tm;

	if (gmtime_r(&seconds, &tm))
		strftime(day, sizeof(day), "%Y-%m-%d %H:%M:%S", &tm);
	snprintf(text, ROOM, "%s.%06d UTC", day, rest / 1000);
	return text;
}

static const char *other_clock(int64_t time)
{
	char *text = room();

	snprintf(text, ROOM, "%.6f s", (double)time / 1e9);
	return text;
}

const char *moment_text(int64_t time, int is_wall_clock)
{
	return is_wall_clock ? date_text(time) : other_clock(time);
}

void time_text(char text[DATE_TEXT_MAX], int64_t time, int is_wall_clock)
{
	const int64_t rest = (time % SECOND + SECOND) % SECOND;
	const time_t seconds = (time_t)((time - rest) / SECOND);
	char date[DATE_TEXT_MAX - 12];
	struct tm tm;

	if (!is_wall_clock)
		snprintf(text, DATE_TEXT_MAX, "%s%lld.%09lld", time < 0 ? "-" : "",
			 llabs(time / SECOND), llabs(time % SECOND));
	else if (gmtime_r(&seconds, &tm) &&
		 strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%S", &tm))
		snprintf(text, DATE_TEXT_MAX, "%s.%09dZ", date, (int)rest);
	else
		snprintf(text, DATE_TEXT_MAX, "?");
}
