/* SPDX-License-Identifier: MIT */
/* The time at the beginning of a line of text. */
#ifndef UE__TOOLS_COMMON_OUTPUT_PRINTER_H
#define UE__TOOLS_COMMON_OUTPUT_PRINTER_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>
#include <userevents/decode/reader.h>

#include "common/cli/memory.h"
#include "common/cli/options.h"
#include "common/records/tracepoint.h"
#include "common/stacks/stacks.h"

enum time_kind {
	COLUMN_WALL,	  /* time of day */
	COLUMN_DELTA,	  /* since the record before */
	COLUMN_RELATIVE,  /* since the first record */
	COLUMN_MONOTONIC, /* by the recording's clock */
};

/* A minute of the wall clock; those of many records are the same. */
struct time_minute {
	int is_known;
	int64_t number; /* since 1970 */
	long offset;	/* of the time zone, in seconds */
	char date[16];	/* "2026-01-31" */
	char text[8];	/* "12:00:" */
};

struct time_column {
	enum time_kind kind;
	int is_utc;
	int is_wide; /* date, nanoseconds and time zone in each line */
	/* While it prints */
	struct time_minute minute;
	char date[16]; /* the one shown, and its time zone */
	long offset;
	int has_reference;
	uint32_t reference_is_wall;
	int64_t reference;
};

/* Lines of text, a record each, in columns. */

struct text_line {
	uint32_t meta; /* UE_META_*: the columns, and parts after the fields */
	int has_colour;
	struct time_column time;
	/* Columns are as wide as their widest so far. */
	size_t who_width;
	size_t name_width;
};

/* Members of meta that are columns; the others are rendered with the fields. */
#define TEXT_LINE_COLUMNS                                                        \
	(UE_META_TIME | UE_META_CPU | UE_META_PID | UE_META_TID | UE_META_COMM | \
	 UE_META_LOST)

/* The part before the event: lines about losses and the date, and the columns. */
void text_line_begin(struct text_line *line, struct bytes *to, const struct record *record);
/*
 * The event was rendered from this byte on, its name first if meta has UE_META_N. Align and
 * colour the name, and end the line.
 */
void text_line_end(struct text_line *line, struct bytes *to, size_t begin,
		   const struct record *record);

/* Prints the parts of an event's name, and its listeners. */

/* "provider Shop, level 4 (information), keyword 0x1"; 0, and nothing for other names. */
int eventheader_print(const char *before, const char *name, size_t length);
/* ,"provider":"Shop","level":4,"keyword":"0x1"; nothing for another name. */
void eventheader_print_json(const char *name, size_t length);

/* Listeners are UE_USER_*. */

/* "ftrace perf", or "none". */
void listeners_print(uint32_t users);
/* ,"listeners":["ftrace","perf"] */
void listeners_print_json(uint32_t users);

/* Appends text and numbers; printf(3) would be most of a line's cost. */

/* Two digits at once: a division is most of a digit's cost. */
static inline char *put_digits(char *end, uint64_t number)
{
	static const char two_digits[] = "00010203040506070809"
					 "10111213141516171819"
					 "20212223242526272829"
					 "30313233343536373839"
					 "40414243444546474849"
					 "50515253545556575859"
					 "60616263646566676869"
					 "70717273747576777879"
					 "80818283848586878889"
					 "90919293949596979899";

	for (; number >= 100; number /= 100)
		memcpy(end -= 2, two_digits + number % 100 * 2, 2);
	if (number >= 10)
		return memcpy(end - 2, two_digits + number * 2, 2);
	*--end = (char)('0' + number);
	return end;
}

static inline int digits_of(uint64_t number)
{
	int digits = 1;

	for (; number >= 100; number /= 100)
		digits += 2;
	return digits + (number >= 10);
}

/* Right-aligned in this width, which is at most 32. */
static inline void put_number(struct bytes *to, uint64_t number, int width, char fill)
{
	const int digits = digits_of(number), length = digits < width ? width : digits;
	char *const begin = bytes_room(to, 32);
	char *at = put_digits(begin + length, number);

	while (at > begin)
		*--at = fill;
	to->length += (size_t)length;
}

static inline void put_blanks(struct bytes *to, size_t count)
{
	memset(bytes_room(to, count), ' ', count);
	to->length += count;
}

/* Prints records as text or JSON. */

enum print_format {
	PRINT_TEXT,  /* a line each, in columns */
	PRINT_JSON,  /* one array */
	PRINT_JSONL, /* an object a line */
	PRINT_JSONL_NESTED, /* the same, with the fields in an object of their own */
	PRINT_PERF_DECODE, /* an object with an array for each file */
};

struct printer {
	enum print_format format;
	uint32_t meta; /* UE_META_* */
	struct text_line line; /* its meta is set by printer_begin() */
	int count; /* whether the open array has a record */
	int files;
	int is_broken; /* standard output takes no more */
	struct bytes text; /* not written yet */
	size_t whole; /* bytes of text up to the end of the last whole record */
	int is_in_file;
	int has_stacks; /* print the stacks of records, too */
	struct short_stacks short_stacks;
	uint64_t malformed; /* records that could not be decoded as a whole */
	struct ue_reader *reader; /* of the record that is being printed, or NULL */
};

/* Print the text before and after all records, and those of a file. */
void printer_begin(struct printer *printer);
void printer_begin_file(struct printer *printer, const char *name);
void printer_end_file(struct printer *printer);
/* 0, or -1 after a message when not all of it could be written. */
int printer_end(struct printer *printer);

/* reader: begun with the record's event, or NULL. 0, or -1 after a message. */
int printer_print(struct printer *printer, const struct record *record,
		  struct ue_reader *reader);
/* The next event does not follow the last one: a line "--" of text. */
void printer_gap(struct printer *printer);
/* Report how many records were malformed: 1, or 0 when none was. */
int printer_report(const struct printer *printer);
/* Called after a fault amid printing: drop the part of a record. */
void printer_drop_part(struct printer *printer);
/* Write the text so far: 0, or -1 after a message. */
int printer_flush(struct printer *printer);

/* The options of commands that print events. */

/* Zero it; the others have their defaults. */
struct print_options {
	const char *format;
	const char *meta;
	const char *time;
	int is_json;
	int is_utc;
	int is_wide;
	int has_stacks;
	int has_files; /* the command reads files, which perf-decode keeps apart */
};

#define PRINT_OPTIONS(to)                                                          \
	{ .name = "format", .letter = 'f', .text = &(to).format, .value = "FORMAT",  \
	  .help = "text (the default), json: one array, jsonl: an object a\n"          \
		  "line, jsonl-nested: the same with \"fields\" apart from\n"          \
		  "what every event has, or, with files, perf-decode: an\n"            \
		  "array for each." },                                                  \
	{ .name = "json", .letter = 'j', .flag = &(to).is_json,                       \
	  .help = "JSON lines: the same as --format jsonl." },                        \
	{ .name = "time", .letter = 't', .text = &(to).time, .value = "KIND",         \
	  .help = "Times in text: wall: time of day (the default), delta:\n"          \
		  "since the event before, relative: since the first one,\n"           \
		  "monotonic: seconds of the recording's clock, or - where it\n"       \
		  "is not known." },                                                    \
	{ .name = "utc", .letter = 'u', .flag = &(to).is_utc,                         \
	  .help = "Times in text in UTC, not in local time. JSON has UTC." },         \
	{ .name = "wide", .flag = &(to).is_wide,                                      \
	  .help = "Text with date and nanoseconds, and with cpu, tid, id,\n"          \
		  "version, keyword, tag, relatedActivity and cgroup, which\n"         \
		  "are usual in JSON alone." },                                             \
	{ .name = "meta", .text = &(to).meta, .value = "LIST",                        \
	  .help = "Show more than fields: time,level for these and the\n"             \
		  "event's name, +provider,-cpu for more or less than\n"               \
		  "usual, all, none; -n,... and none,... leave out the name.\n"        \
		  "There are n (the name), time, cpu, pid, tid, comm, cgroup,\n"       \
		  "lost, id, version, level, keyword, opcode, tag, activity,\n"              \
		  "relatedActivity, provider, event, options, flags, and\n"            \
		  "common." }

/* Called by commands whose events may have stacks, if nothing else asks for them. */
#define PRINT_STACK_OPTION(to)                                                     \
	{ .name = "stack", .flag = &(to).has_stacks,                               \
	  .help = "Below each event its stack, if it was recorded, the innermost\n"   \
		  "function first; in JSON as member \"stack\"." }

/*
 * Parse the options into a printer for standard output, with colours if that is a terminal.
 * 0, or -1 after a message.
 */
int print_options_apply(const struct print_options *options, struct printer *printer);
/* Is any of them given? */
int print_options_are_given(const struct print_options *options);

#endif
