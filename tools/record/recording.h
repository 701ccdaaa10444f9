/* SPDX-License-Identifier: MIT */
/* What record and watch have in common: which events, whose, and for how long. */
#ifndef UE__TOOLS_RECORD_RECORDING_H
#define UE__TOOLS_RECORD_RECORDING_H

#include "cli/options.h"
#include "recorder.h"

struct recording {
	struct words globs;
	struct words definitions; /* to be registered first */
	struct words pids;
	const char *tracefs;
	const char *duration; /* in seconds */
	uint64_t size;	      /* of the file, in bytes; 0: any */
	uint64_t buffer;      /* of each processor, in bytes; 0: the usual */
	int everybody;	      /* beside a command */
	/* While it runs; set by recording_run(). */
	struct recorder recorder;
	struct target target;
	size_t late; /* tracepoints that came while it ran */
	int is_unmatched; /* no tracepoint was asked for by name; see tracefs/event_list.h */
	int fd; /* of what was registered; -1: nothing */
	int is_quiet; /* no progress */
	int is_watched; /* the caller filters events and reports on them */
};

/* The options of these, in a list. */
#define RECORDING_OPTIONS(r)                                                           \
	{ .name = "event", .letter = 'e', .words = &(r).globs, .value = "GLOB",         \
	  .help = "Events whose name matches, also those that come later:\n"            \
		  "NAME or SYSTEM:NAME of the tracepoint, of EventHeader\n"              \
		  "also PROVIDER:EVENT (record keeps all events of the\n"                \
		  "provider) and, with watch, EVENT. Without this all user\n"            \
		  "events. May be repeated." },                                         \
	{ .name = "register", .letter = 'r', .words = &(r).definitions,                 \
	  .value = "EVENT",                                                             \
	  .help = "Register \"NAME TYPE FIELD; ...\", or the name of an\n"              \
		  "EventHeader tracepoint, first, so that nothing is\n"                 \
		  "missed of a program that starts later. May be repeated." },          \
	{ .name = "pid", .letter = 'p', .words = &(r).pids, .value = "PID",             \
	  .help = "Only what this process does, and its children from now\n"            \
		  "on. May be repeated." },                                             \
	{ .name = "all", .letter = 'a', .flag = &(r).everybody,                         \
	  .help = "With a command: everybody's events while it runs." },                \
	{ .name = "duration", .letter = 'd', .text = &(r).duration,                     \
	  .value = "SECONDS", .help = "End after this time." },                         \
	{ .name = "buffer", .letter = 'b', .number = &(r).buffer, .value = "BYTES",      \
	  .least = 4096,                                                                \
	  .help = "Memory for each processor's events that were not written\n"          \
		  "yet (default 4M, at least 4k)." },                                                \
	TRACEFS_OPTION((r).tracefs)

/*
 * Record into a file until a signal, the end of the command or processes, or a limit. Its
 * old content goes when all else is well, and the command runs.
 * command: NULL-terminated, or empty. 0, or an exit status after a message.
 */
int recording_run(struct recording *recording, struct outfile *file, char **command);

/*
 * Whether events came, and none was lost. Says so when none came, unless it was said why.
 */
int recording_is_whole(const struct recording *recording);

#endif
