/* SPDX-License-Identifier: MIT */
/*
 * Puts times of records: time of day, since another record, or by the recording's clock.
 *
 * A line has the time of day alone, as a recording seldom has more than one date. Printed
 * times are accepted by --from and --to: "Z" for UTC, and local time without it.
 */
#include "printer.h"

#include <string.h>

#define SECOND 1000000000
#define MINUTE (60 * (int64_t)SECOND)

/* The width of a time since another record, of less than a thousand seconds. */
#define SPAN_WIDTH 14

static int64_t floored(int64_t number, int64_t unit)
{
	return number / unit - (number % unit < 0);
}

static void set_minute(struct time_minute *minute, int64_t number, int is_utc)
{
	const time_t seconds = (time_t)(number * 60);
	struct tm tm = { 0 };

	*minute = (struct time_minute){ .is_known = 1, .number = number };
	if (!(is_utc ? gmtime_r(&seconds, &tm) : localtime_r(&seconds, &tm)))
		return;
	minute->offset = tm.tm_gmtoff;
	strftime(minute->date, sizeof(minute->date), "%Y-%m-%d", &tm);
	strftime(minute->text, sizeof(minute->text), "%H:%M:", &tm);
}

static const struct time_minute *minute_of(struct time_column *column, int64_t time)
{
	const int64_t number = floored(time, MINUTE);

	if (!column->minute.is_known || column->minute.number != number)
		set_minute(&column->minute, number, column->is_utc);
	return &column->minute;
}

/* "Z" or "+01:00" */
static void put_zone(const struct time_column *column, struct bytes *to, long offset)
{
	const unsigned long size = (unsigned long)(offset < 0 ? -offset : offset);

	if (column->is_utc) {
		bytes_put(to, "Z");
		return;
	}
	bytes_put(to, offset < 0 ? "-" : "+");
	put_number(to, size / 3600, 2, '0');
	bytes_put(to, ":");
	put_number(to, size / 60 % 60, 2, '0');
}

static int is_wall_clock(const struct time_column *column, const struct record *record)
{
	return column->kind == COLUMN_WALL && record->sample.is_wall_clock;
}

static void begin_today(struct time_column *column)
{
	struct time_minute today;

	set_minute(&today, time(NULL) / 60, column->is_utc);
	strcpy(column->date, today.date);
	column->offset = today.offset;
}

void time_column_put_date(struct time_column *column, struct bytes *to,
			  const struct record *record)
{
	const struct time_minute *minute;

	if (column->is_wide || !is_wall_clock(column, record))
		return;
	if (!*column->date)
		begin_today(column);
	minute = minute_of(column, record->sample.time);
	if (minute->offset == column->offset && !strcmp(minute->date, column->date))
		return;
	column->offset = minute->offset;
	strcpy(column->date, minute->date);
	bytes_put(to, "-- ");
	bytes_put(to, minute->date);
	bytes_put(to, " ");
	put_zone(column, to, minute->offset);
	bytes_put(to, "\n");
}

/* ".518818", rounded down, or with nanoseconds. */
static void put_fraction(struct bytes *to, int64_t rest, int is_long)
{
	bytes_put(to, ".");
	if (is_long)
		put_number(to, (uint64_t)rest, 9, '0');
	else
		put_number(to, (uint64_t)rest / 1000, 6, '0');
}

static void put_wall(struct time_column *column, struct bytes *to, int64_t time)
{
	const struct time_minute *minute = minute_of(column, time);
	const int64_t rest = time % MINUTE + (time % MINUTE < 0 ? MINUTE : 0);

	if (column->is_wide) {
		bytes_put(to, minute->date);
		bytes_put(to, "T");
	}
	bytes_put(to, minute->text);
	put_number(to, (uint64_t)(rest / SECOND), 2, '0');
	put_fraction(to, rest % SECOND, column->is_wide);
	if (column->is_wide)
		put_zone(column, to, minute->offset);
	else if (column->is_utc)
		bytes_put(to, "Z");
}

static uint64_t size_of(int64_t time)
{
	return time < 0 ? 0 - (uint64_t)time : (uint64_t)time;
}

static void put_seconds(struct bytes *to, int64_t time, int is_long)
{
	const uint64_t size = size_of(time);

	if (time < 0)
		bytes_put(to, "-");
	put_number(to, size / SECOND, time < 0 ? 0 : 5, ' ');
	put_fraction(to, (int64_t)(size % SECOND), is_long);
}

/* "+0.000012345" */
static void put_span(struct bytes *to, int64_t time)
{
	const uint64_t size = size_of(time);
	uint64_t seconds = size / SECOND;
	char text[32], *at = text + sizeof(text);
	const char *const end = at;

	do
		*--at = (char)('0' + seconds % 10);
	while (seconds /= 10);
	*--at = time < 0 ? '-' : '+';
	while (end - at < SPAN_WIDTH - 10)
		*--at = ' ';
	bytes_add(to, at, (size_t)(end - at));
	put_fraction(to, (int64_t)(size % SECOND), 1);
}

/* Times of two clocks have no distance: the new one's count begins anew. */
static void put_distance(struct time_column *column, struct bytes *to,
			 const struct ue_sample *sample)
{
	const int is_first = !column->has_reference ||
			     column->reference_is_wall != sample->is_wall_clock;

	put_span(to, is_first ? 0 : (int64_t)((uint64_t)sample->time -
					      (uint64_t)column->reference));
	if (!is_first && column->kind == COLUMN_RELATIVE)
		return;
	column->has_reference = 1;
	column->reference_is_wall = sample->is_wall_clock;
	column->reference = sample->time;
}

void time_column_put(struct time_column *column, struct bytes *to,
		     const struct record *record)
{
	const struct ue_sample *sample = &record->sample;

	if (column->kind == COLUMN_DELTA || column->kind == COLUMN_RELATIVE)
		put_distance(column, to, sample);
	else if (is_wall_clock(column, record))
		put_wall(column, to, sample->time);
	else if (!sample->is_wall_clock)
		put_seconds(to, sample->time, column->is_wide);
	else if (record->has_clock_time)
		put_seconds(to, record->clock_time, column->is_wide);
	else
		bytes_put(to, "    -       ");
}
