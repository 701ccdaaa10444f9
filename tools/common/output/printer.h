/* SPDX-License-Identifier: MIT */
/* Prints records as text or JSON. */
#ifndef UE__TOOLS_COMMON_OUTPUT_PRINTER_H
#define UE__TOOLS_COMMON_OUTPUT_PRINTER_H

#include <stddef.h>
#include <stdint.h>
#include <userevents/decode/reader.h>

#include "common/cli/memory.h"
#include "common/cli/options.h"
#include "common/records/record.h"
#include "text_line.h"

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
	uint64_t malformed; /* records that could not be decoded as a whole */
	struct ue_reader *reader; /* of the record that is being printed, or NULL */
};

/* Print what stands before and after all records, and those of a file. */
void printer_begin(struct printer *printer);
void printer_begin_file(struct printer *printer, const char *name);
void printer_end_file(struct printer *printer);
/* 0, or -1 after a message when not all of it could be written. */
int printer_end(struct printer *printer);

/* reader: begun with the record's event, or NULL. 0, or -1 after a message. */
int printer_print(struct printer *printer, const struct record *record,
		  struct ue_reader *reader);
/* Report how many records were malformed: 1, or 0 when none was. */
int printer_report(const struct printer *printer);
/* After a fault amid printing: drop the part of a record. */
void printer_drop_part(struct printer *printer);
/* Write the text so far: 0, or -1 after a message. */
int printer_flush(struct printer *printer);

/* The options of commands that print events. */

/* Zero it; what is not given has its default. */
struct print_options {
	const char *format;
	const char *meta;
	const char *time;
	int is_json;
	int is_utc;
	int is_wide;
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

/*
 * Parse the options into a printer for standard output, with colours if that is a terminal.
 * 0, or -1 after a message.
 */
int print_options_apply(const struct print_options *options, struct printer *printer);
/* Is any of them given? */
int print_options_are_given(const struct print_options *options);

#endif
