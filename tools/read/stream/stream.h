/* SPDX-License-Identifier: MIT */
/*
 * One path for all questions: source -> record -> filter -> sink. The source is any of
 *
 *	FILE...				recordings and rings, merged by time
 *	--run [--] PROGRAM [ARGUMENT...]	a program, without the kernel
 *	--watch [[--] COMMAND [ARGUMENT...]]	the kernel's events, live
 *	--watch RING			events of a ring, live
 */
#ifndef UE__TOOLS_READ_STREAM_STREAM_H
#define UE__TOOLS_READ_STREAM_STREAM_H

#include <signal.h>
#include <stdint.h>

#include "common/records/time_limit.h"
#include "common/where/where.h"
#include "record/recording/recording.h"
#include "sink.h"

struct ring_events;
struct ue_captured;

struct stream {
	/* Options */
	const char *verb; /* for messages: "cannot VERB ..." */
	struct filter filter;
	const char *from, *to; /* for the filter, not parsed yet */
	int is_run;
	int is_watch;
	struct recording recording; /* for the kernel's events and rings; globs are the filter's */
	const char *mode; /* of --run: "wait", "drop", or NULL */
	int drops;	  /* if mode is NULL: drop, instead of wait */
	uint64_t buffer;  /* of --run, in bytes; 0: 64 MiB */
	int keeps_output; /* --run: the program's standard output is not redirected */
	int keeps_hangup; /* of the kernel's events: SIGHUP does not end it */
	int64_t last_ns; /* of the kernel's events: read so long after a signal; 0: all */
	/* While it runs */
	struct event_kinds kinds;
	struct event event;
	int is_live;
	int is_interrupted; /* --run: the program has ended, and a signal may be why */
	size_t opened; /* recordings that can be read; known when the sink's begin() is called */
	/* Known when the sink's end() is called, and so far at its tick() */
	uint64_t events;
	uint64_t sched_records; /* of the scheduler, that -e did not ask for */
	uint64_t lost; /* events that are known to be missing */
	/* Those of them that are known to be missing before the event that the sink is given */
	uint64_t lost_before;
	int64_t doubt_until; /* up to where they may be missing: as of struct input */
};

#define STREAM_INIT(v) { .verb = v, .recording = { .fd = -1, .is_quiet = 1, .is_watched = 1 } }

#define WHERE_OPTION(f)                                                                \
	{ .name = "where", .letter = 'w', .text = &(f).expression, .value = "EXPR",       \
	  .once = "join expressions with &&",                                            \
	  .help = "Only events for which this is true: 'status >= 500 &&\n"              \
		  "path ~ \"/api/*\"'; also of pid, tid, comm, cpu, time,\n"               \
		  "provider, event, level, keyword, opcode, activity." }

#define EVENT_OPTION(f)                                                                \
	{ .name = "event", .letter = 'e', .words = &(f).globs, .value = "GLOB",          \
	  .help = "Only events whose name matches: NAME or SYSTEM:NAME of the\n"          \
		  "tracepoint, of EventHeader also EVENT or PROVIDER:EVENT.\n"           \
		  "May be repeated." }

/* Options that select events of any source. */
#define FILTER_OPTIONS(f) EVENT_OPTION(f), WHERE_OPTION(f)

/* And of recordings alone. */
#define FROM_TO_OPTIONS(s) LIMIT_OPTIONS((s).from, (s).to, "to")

/* All that choose the source, for commands that take any. */
#define STREAM_OPTIONS(s) STREAM_OPTIONS_UNTIL(s, "to")
/* The options of a command that has another --to. */
#define STREAM_OPTIONS_UNTIL(s, end)                                                   \
	STREAM_OPTIONS_WHERE(s, end, WHERE_OPTION((s).filter))
/* Used by a command whose --where is its own, the last arguments. */
#define STREAM_OPTIONS_WHERE(s, end, ...)                                              \
	{ .name = "run", .flag = &(s).is_run,                                            \
	  .help = "Of a program that is started, as \"userevents run\" does:\n"          \
		  "--run -- PROGRAM [ARGUMENT...]. Needs no root." },                    \
	{ .name = "watch", .flag = &(s).is_watch,                                        \
	  .help = "Of the kernel, live, as \"userevents watch\" does, until\n"           \
		  "Ctrl-C, the end of a COMMAND, or --duration; or of a\n"               \
		  "RING: --watch [-- COMMAND [ARGUMENT...] | RING]." },                   \
	EVENT_OPTION((s).filter), __VA_ARGS__,                                           \
	LIMIT_OPTIONS((s).from, (s).to, end),                                            \
	{ .name = "pid", .letter = 'p', .words = &(s).recording.pids, .value = "PID",    \
	  .help = "With --watch: only events of this process. May be\n"                  \
		  "repeated." },                                                         \
	{ .name = "all", .letter = 'a', .flag = &(s).recording.has_all_processes,        \
	  .help = "With --watch and a COMMAND: events of all processes." },              \
	{ .name = "register", .letter = 'r', .words = &(s).recording.definitions,         \
	  .value = "EVENT",                                                              \
	  .help = "With --watch: register \"NAME TYPE FIELD; ...\", or all\n"            \
		  "events of a program (./program), first." },                          \
	{ .name = "duration", .letter = 'd', .text = &(s).recording.duration,            \
	  .value = "SECONDS", .help = "With --watch: end after this time." },             \
	TRACEFS_OPTION((s).recording.tracefs)

/*
 * Read all events of the source that the options choose. arguments: NULL-terminated, those
 * behind the command's own.
 *
 * Returns an exit status: EXIT_WRONG_USAGE after a message if no source is given, or options
 * exclude each other; EXIT_FAILED after a message if something is missing or damaged, or if
 * there is no event; of --run otherwise that of the program.
 */
int stream_read(struct stream *stream, const struct usage *usage, char **arguments,
		struct sink *sink);
/* Whether the source is files that can be read again; and do that, without their messages. */
int stream_is_lasting(const struct stream *stream, char **arguments);
/* 0, or -1 after a message if there are other events than the first time. */
int stream_again(struct stream *stream, char **arguments, struct sink *sink);
/* The arguments that are files to be read, for struct outfile; NULL: they are a program's. */
char *const *stream_inputs(const struct stream *stream, char **arguments);
/* It is called after the last use of events' kinds. */
void stream_free(struct stream *stream);

/* The sources, each after stream_begin(); they return an exit status. */

/* Check and parse the options of the filter: 0, or EXIT_WRONG_USAGE after a message. */
int stream_begin(struct stream *stream);
int stream_files(struct stream *stream, char **paths, struct sink *sink);
int stream_program(struct stream *stream, char **argv, struct sink *sink);
int stream_kernel(struct stream *stream, char **command, struct sink *sink);
int stream_ring(struct stream *stream, const char *path, struct sink *sink);

/* The one argument is a ring: its path; else NULL. */
const char *ring_argument(char **arguments);
/*
 * The arguments may be one RING, or a COMMAND with its own. 0, or EXIT_FAILED after a message
 * if they are neither.
 */
int operand_check(const char *verb, char **arguments);

/* Finds the times of the first and the last event of recordings. */

/*
 * Turn the limits of a filter that depend on the recordings, such as -10s, into times. Reads
 * the recordings, if there are such limits, and leaves their faults to the next reader, who
 * finds standard input unread. 0, or -1 after a message if one cannot be read twice.
 */
int filter_resolve_times(struct filter *filter, char **paths);

/* The parts that the sources share. */

/* Filter a record, and pass it on; as sink->take(). captured: or NULL. */
int deliver(struct stream *stream, struct sink *sink, const struct record *record,
	    const struct ue_captured *captured);

/*
 * The same for the events of a page, if the sink takes pages. The page is left
 * with those that pass.
 */
int deliver_page(struct stream *stream, struct sink *sink, struct ring_events *events,
		 struct ue_captured_page *page);

/*
 * Count what an input lost between records: lost is the increase of input->lost while the
 * record was read; record: or NULL at the end.
 */
void count_lost_apart(struct stream *stream, uint64_t lost, const struct record *record);

/*
 * Call ask() for globs of tracepoints in a ring, with context, as the stacks that were asked for
 * need them. deliver() drops the stacks of other events of these tracepoints. Returns 0, or the
 * first other result; failed is then the glob.
 */
int stacks_ask(const struct stream *stream,
	       int (*ask)(void *context, const char *tracepoints), void *context,
	       const char **failed);
/* Report globs of --stack that no event matched. */
void stacks_report(const struct stream *stream);

/* The sink's other functions, which it need not have. */
int sink_begin(struct sink *sink);
int sink_wait(struct sink *sink);
int sink_end(struct sink *sink);

/* The dispositions of SIGINT, SIGTERM and SIGHUP before a source took them. */
struct kept_signals {
	struct sigaction actions[3];
};

void signals_keep(struct kept_signals *kept);
void signals_restore(const struct kept_signals *kept);

/* When the sink's next tick is due. */
struct ticks {
	int64_t next; /* of CLOCK_MONOTONIC; 0: not begun */
};

/* Milliseconds until then, at most most; -1: no tick, and most is -1. */
int ticks_left(struct ticks *ticks, const struct sink *sink, int most);
/* Call tick() if it is due or fd is readable; as that. */
int ticks_pass(struct ticks *ticks, struct sink *sink);

/* Reports at the end of a program that was run. */

#endif
