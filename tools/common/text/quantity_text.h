/* SPDX-License-Identifier: MIT */
/* Numbers, durations and times as text for a person. */
#ifndef UE__TOOLS_PRESENT_QUANTITY_TEXT_H
#define UE__TOOLS_PRESENT_QUANTITY_TEXT_H

#include <stdint.h>

enum unit {
	UNIT_NONE,
	UNIT_NANOSECONDS, /* shown as "1.234 ms" */
};

#define QUANTITY_TEXT_MAX 40

/*
 * A number with 6 digits, a duration with 4; whole numbers with all of them, unless that are
 * more than 15.
 */
void quantity_text(char text[QUANTITY_TEXT_MAX], double number, enum unit unit);

#define DATE_TEXT_MAX 64

/* 12.000000000, or since 1970 "2026-01-31T12:00:00.000000000Z". */
void time_text(char text[DATE_TEXT_MAX], int64_t time, int is_wall_clock);

#endif
