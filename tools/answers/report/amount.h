/* SPDX-License-Identifier: MIT */
/* Numbers, durations and times as a person reads them. Texts last for 7 further calls. */
#ifndef UE__TOOLS_REPORT_AMOUNT_H
#define UE__TOOLS_REPORT_AMOUNT_H

#include <stddef.h>
#include <stdint.h>

enum amount_unit { UNIT_NONE, UNIT_NS, UNIT_US, UNIT_MS, UNIT_S, UNIT_BYTES };

/* Units that names of fields end with: "latency_ns", "size_bytes". */
enum amount_unit unit_of_name(const char *name, size_t length);
/* Three digits or so: 12.3 ms, 4.56 MiB, 1,234. */
const char *amount_text(double number, enum amount_unit unit);
/* 1,234,567 */
const char *count_text(uint64_t count);
/* "one event", "2 events": with a plural in -s. */
const char *counted(uint64_t count, const char *noun);
/* Nanoseconds: 1.23 ms. */
const char *duration_text(double nanoseconds);
/* A time: 2026-01-31 12:00:00.123456 UTC, or seconds of another clock. */
const char *moment_text(int64_t time, int is_wall_clock);
/* Events a second. */
const char *rate_text(uint64_t count, double nanoseconds);

#endif
