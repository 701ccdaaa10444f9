/* SPDX-License-Identifier: MIT */
/* Numbers, durations and times as text for a person. */
#include "quantity_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define SECOND 1000000000

static void plain_text(char text[QUANTITY_TEXT_MAX], double number)
{
	if (number == floor(number) && fabs(number) < 1e15)
		snprintf(text, QUANTITY_TEXT_MAX, "%.0f", number);
	else
		snprintf(text, QUANTITY_TEXT_MAX, "%.6g", number);
}

static void duration_text(char text[QUANTITY_TEXT_MAX], double nanoseconds)
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

void quantity_text(char text[QUANTITY_TEXT_MAX], double number, enum unit unit)
{
	if (unit == UNIT_NANOSECONDS)
		duration_text(text, number);
	else
		plain_text(text, number);
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
