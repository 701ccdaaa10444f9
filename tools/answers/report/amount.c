/* SPDX-License-Identifier: MIT */
/* Shows numbers, durations and times as a person reads them. */
#include "amount.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
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

enum amount_unit unit_of_name(const char *name, size_t length)
{
	static const struct {
		const char *end;
		enum amount_unit unit;
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

/* Three significant digits, and a unit of a table that begins with the smallest. */
static const char *scaled(double number, double step, const char *const *units, int count)
{
	double size = fabs(number);
	char *text = room();
	int i = 0;

	while (i + 1 < count && size >= step * 0.9995) {
		size /= step;
		number /= step;
		i++;
	}
	snprintf(text, ROOM, "%.*f %s",
		 size >= 99.95 || size == floor(size) ? 0 : size >= 9.995 ? 1 : 2, number,
		 units[i]);
	return text;
}

const char *duration_text(double nanoseconds)
{
	static const char *const units[] = { "ns", "\xc2\xb5s", "ms", "s" };
	char *text;

	if (fabs(nanoseconds) < 120e9)
		return scaled(nanoseconds, 1000, units, 4);
	text = room();
	nanoseconds /= 60e9;
	if (fabs(nanoseconds) < 120)
		snprintf(text, ROOM, "%.1f min", nanoseconds);
	else if (fabs(nanoseconds) < 48 * 60)
		snprintf(text, ROOM, "%.1f h", nanoseconds / 60);
	else
		snprintf(text, ROOM, "%.1f days", nanoseconds / 60 / 24);
	return text;
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

const char *amount_text(double number, enum amount_unit unit)
{
	static const char *const sizes[] = { "B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };
	static const double scales[] = { 1, 1, 1e3, 1e6, 1e9 };

	if (unit == UNIT_NONE || !(fabs(number) < 1e25))
		return plain_text(number);
	return unit == UNIT_BYTES ? scaled(number, 1024, sizes, 7) :
				    duration_text(number * scales[unit]);
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
