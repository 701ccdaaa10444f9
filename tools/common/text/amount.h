/* SPDX-License-Identifier: MIT */
/* Numbers, durations and times as a person reads them. */
#ifndef UE__TOOLS_COMMON_TEXT_AMOUNT_H
#define UE__TOOLS_COMMON_TEXT_AMOUNT_H

#include <stddef.h>
#include <stdint.h>

enum unit { UNIT_NONE, UNIT_NS, UNIT_US, UNIT_MS, UNIT_S, UNIT_BYTES };

/* Units that names of fields end with: "latency_ns", "size_bytes". */
enum unit unit_of_name(const char *name, size_t length);

#define QUANTITY_TEXT_MAX 40

/*
 * Texts for lines: a number with 6 digits, a duration with 4, "1.234 ms"; whole numbers
 * with all of them, unless that are more than 15. unit: UNIT_NONE, or that of a duration.
 */
void quantity_text(char text[QUANTITY_TEXT_MAX], double number, enum unit unit);

#define DATE_TEXT_MAX 64

/* 12.000000000, or since 1970 "2026-01-31T12:00:00.000000000Z". */
void time_text(char text[DATE_TEXT_MAX], int64_t time, int is_wall_clock);

/* Amounts on a page. These strings last for 7 further calls of any of them. */

/* A number with 4 digits, or a whole one such as 1,234; a duration as above; 4.56 MiB. */
const char *amount_text(double number, enum unit unit);
/* 1,234,567 */
const char *count_text(uint64_t count);
/* "one event", "2 events": with a plural in -s. */
const char *counted(uint64_t count, const char *noun);
/* Nanoseconds: 1.234 ms. */
const char *duration_text(double nanoseconds);
/* A time: 2026-01-31 12:00:00.123456 UTC, or seconds of another clock. */
const char *moment_text(int64_t time, int is_wall_clock);
/* Events a second. */
const char *rate_text(uint64_t count, double nanoseconds);

#endif
