/* SPDX-License-Identifier: MIT */
/* The options of commands that print events. */
#ifndef UE__TOOLS_OUTPUT_PRINT_OPTIONS_H
#define UE__TOOLS_OUTPUT_PRINT_OPTIONS_H

#include "common/cli/options.h"
#include "printer.h"

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
