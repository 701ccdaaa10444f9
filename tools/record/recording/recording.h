/* SPDX-License-Identifier: MIT */
/* The part that record and watch share: which events, of which processes, how long. */
#ifndef UE__TOOLS_RECORD_RECORDING_RECORDING_H
#define UE__TOOLS_RECORD_RECORDING_RECORDING_H

#include "common/cli/options.h"
#include "recorder.h"

struct recording {
	struct words globs;
	struct words definitions; /* to register first */
	struct words pids;
	const char *tracefs;
	const char *duration; /* in seconds */
	uint64_t size;	      /* of the file, in bytes; 0: any */
	uint64_t rotate;      /* of each of several files, in bytes; 0: there is one */
	uint64_t files;	      /* of them: how many to keep; 0: all */
	struct free_space keep_free;
	const char *expression; /* only events for which it is true; NULL: all */
	const char *dump_when; /* write the memory when an event fits; or NULL */
	uint64_t overwrite; /* keep so many bytes in memory; 0: write at once */
	uint64_t buffer;      /* of each processor, in bytes; 0: the usual */
	struct words stacks; /* globs of events that are recorded with their stacks */
	uint64_t frames; /* of a stack: the most; 0: 32 */
	int has_all_processes;	      /* all processes, in spite of a command */
	int has_sched; /* also the scheduler's events, of all processes */
	struct second_output *second; /* with path, limits and counts set; or NULL */
	struct recorder_counts *counts; /* for another process; or NULL */
	/* While it runs; set by recording_run(). */
	struct recorder recorder;
	struct target target;
	size_t late; /* tracepoints that appeared meanwhile, */
	size_t late_reported; /* ... those of them that were reported, */
	uint64_t next_report; /* ... and when to report others, of CLOCK_MONOTONIC */
	int has_missed; /* events may be missing that nobody counts */
	uint64_t lost_by_command; /* events that the library in it could not write */
	uint64_t late_ns; /* the longest time that one of them may have existed before */
	int is_unmatched; /* no glob names a tracepoint; see struct event_list */
	int fd; /* the session of events that are registered first; -1: none */
	struct words created; /* names of those to delete at the end */
	int is_quiet; /* print no progress */
	int is_watched; /* the caller filters events and reports on them */
	int is_lasting; /* report gaps at once, as the end is months away */
};

/* Their options. */
#define RECORDING_OPTIONS(r)                                                           \
	{ .name = "event", .letter = 'e', .words = &(r).globs, .value = "GLOB",         \
	  .help = "Events whose name matches, also those that appear later:\n"           \
		  "NAME or SYSTEM:NAME of the tracepoint, of EventHeader\n"              \
		  "also PROVIDER:EVENT (record keeps all events of the\n"                \
		  "provider) and, with watch, EVENT. Default: all user\n"                \
		  "events. May be repeated." },                                         \
	{ .name = "register", .letter = 'r', .words = &(r).definitions,                 \
	  .value = "EVENT",                                                             \
	  .help = "Register an event first, so that none of a program that\n"           \
		  "starts later is missed: \"NAME TYPE FIELD; ...\", the name\n"        \
		  "of an EventHeader tracepoint, or all that a program\n"                \
		  "defines, by its path (./program). For a command that is a\n"          \
		  "program itself this is done already. May be repeated." },             \
	{ .name = "pid", .letter = 'p', .words = &(r).pids, .value = "PID",             \
	  .help = "Only events of this process, and of children that it\n"              \
		  "starts from now on. May be repeated." },                             \
	{ .name = "all", .letter = 'a', .flag = &(r).has_all_processes,                         \
	  .help = "With a command: events of all processes while it runs." },                \
	{ .name = "duration", .letter = 'd', .text = &(r).duration,                     \
	  .value = "SECONDS", .help = "End after this time." },                         \
	{ .name = "buffer", .letter = 'b', .number = &(r).buffer, .value = "BYTES",      \
	  .least = 4096,                                                                \
	  .help = "Memory of each processor for events that are not read\n"                \
		  "yet (default 4M, at least 4k)." },                                   \
	TRACEFS_OPTION((r).tracefs)

/* Options of commands that record stacks. */
#define STACK_OPTIONS(r)                                                                 \
	{ .name = "stack", .words = &(r).stacks, .value = "GLOB",                        \
	  .help = "Also record the stack of the program at events whose name\n"          \
		  "matches (as --event). Programs and libraries need frame\n"            \
		  "pointers (-fno-omit-frame-pointer). May be repeated." },               \
	FRAMES_OPTION(r)

#define FRAMES_OPTION(r)                                                                 \
	{ .name = "frames", .number = &(r).frames, .value = "N", .least = 1,             \
	  .help = "Frames of a stack, at most, without those of\n"                \
		  "libuserevents (default 32; 1 to 127)." }

#define FRAMES_USUAL 32u
#define FRAMES_MOST_ASKED 127u

static inline uint16_t recording_frames(const struct recording *recording)
{
	return (uint16_t)(recording->frames ? recording->frames : FRAMES_USUAL);
}

/* 0, or EXIT_WRONG_USAGE after a message. */
int recording_check_stacks(const struct usage *usage, const struct recording *recording);

/* The duration in nanoseconds, 0 without one. 0, or -1 after a message. */
int recording_duration(const struct recording *recording, uint64_t *nanoseconds);
/*
 * Let signals that end a recording interrupt waiting, and whether one came. recording_stop()
 * is for other handlers of theirs.
 */
void recording_catch_signals(void);
void recording_stop(int signal);
int recording_is_stopped(void);

/*
 * Record into a file until a signal, the end of the command or processes, or a limit. Its
 * old content is dropped only once the command runs. command: NULL-terminated, or empty.
 * 0, or an exit status after a message.
 */
int recording_run(struct recording *recording, struct outfile *file, char **command);

/*
 * recording_report.c: report tracepoints and processors that came late, and globs and
 * names in expressions that matched nothing. The first are reported at once if
 * is_lasting, but not more often than once a minute.
 */
void recording_report_missed(struct recording *recording);
void recording_report(struct recording *recording, const struct words *unmatched);
/*
 * Whether events were recorded, and none was lost or may have been missed. If there were
 * none, after a message.
 */
int recording_is_whole(const struct recording *recording);

/*
 * Events that are registered before a recording, so that their tracepoints exist when the
 * program that writes them starts.
 */

/*
 * Register the events of --register, and those of the command, until
 * register_first_end(). An event of the command that cannot be registered is reported,
 * and left out. command: NULL: none. 0, or an exit status after a message.
 */
int register_first(struct recording *recording, const char *command);
/* Let go of them, once the recorder has closed its events. */
void register_first_end(struct recording *recording);

#endif
