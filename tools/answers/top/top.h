/* SPDX-License-Identifier: MIT */
/* The state of top: counts of events, views of them, and the output. */
#ifndef UE__TOOLS_ANSWERS_TOP_TOP_H
#define UE__TOOLS_ANSWERS_TOP_TOP_H

#include <stddef.h>
#include <stdint.h>

#include "answers/counts/histogram.h"
#include "answers/question/asked_field.h"
#include "answers/screen/screen.h"
#include "common/cli/key_table.h"
#include "common/cli/memory.h"
#include "common/cli/options.h"
#include "common/events/recorded_event.h"
#include "common/pairs/pairs.h"
#include "common/text/amount.h"
#include "kernel/tracefs/tracing_files.h"
#include "read/stream/stream.h"
#include "record/target/perf_rings.h"

struct row {
	uint64_t key;
	char *name; /* harmless on a terminal */
	uint32_t pid, tid;
	uint64_t events, bytes, lost;
	uint32_t processes;  /* that wrote this event */
	uint64_t last_process; /* of them, plus 1 */
	uint64_t before;     /* events at the last refresh */
	double rate;	     /* between the last two */
};

/* Processes come and go without limit. Further ones share a row with this name. */
#define TABLE_ROWS_MAX 65536u
#define OTHERS "(others)"
#define OTHERS_KEY UINT64_MAX

struct table {
	struct row **rows; /* in the order in which they appeared; they never move */
	uint32_t count;
	struct key_table by_key;
};

/* The row with this key. A new one has no name, unless it is that of the others. */
struct row *table_find(struct table *table, uint64_t key);
/* Set the name, with '?' in place of control characters, unless it is the same. */
void row_set_name(struct row *row, const char *name);
/* Rates over this time, since the last call. */
void table_refresh(struct table *table, double seconds);
void table_free(struct table *table);

/* Starts and their ends, as common/pairs finds them: activities, and calls of threads. */

/* Events that start activities, each with a histogram; further ones share one. */
#define ACTIVITY_STARTS_MAX 1024u

/* All activities that the same event starts. */
struct activity_row {
	const char *name; /* of that event, harmless on a terminal */
	uint64_t open, ended;
	uint64_t before; /* ended at the last refresh */
	double rate;
	struct histogram durations; /* nanoseconds */
};

/* The data of an open start. */
struct open_activity {
	struct activity_row *row;
	uint32_t pid, tid;
};

struct activities {
	struct activity_row **rows;
	uint32_t count;
	uint32_t *by_kind; /* the index in rows, plus 1, by number of the event's kind */
	uint32_t kind_count;
	struct pairs pairs;
	uint64_t ended;
	int is_wall_clock; /* of the times */
};

/* If the event starts or ends an activity. */
void activity_table_take(struct activities *activities, struct event *event);
/* Rates over this time, since the last call. */
void activity_table_refresh(struct activities *activities, double seconds);
void activity_table_free(struct activities *activities);

/*
 * Tracepoints that the kernel's perf counts, without recording them. That is exact, loses
 * nothing, and costs the writer less than a sample; but it neither yields processes nor
 * bytes, nor the events of an EventHeader tracepoint.
 */

struct counter_fd {
	int fd;
	int cpu; /* -1: any */
};

struct counter {
	struct row *row;
	uint32_t id; /* of the tracepoint */
	struct counter_fd *fds; /* one for each processor or thread */
	size_t count;
	uint64_t before; /* counted by descriptors of processors that went */
};

struct counting {
	struct event_list list;
	struct target target;
	struct processors processors;
	struct table *events; /* where the counts go */
	struct counter *counters;
	size_t count;
};

/*
 * Begin to count the events that match globs, of the processes pids, or of all without any.
 * tracefs: the directory as given, or NULL. 0, or an exit status after a message.
 */
int counting_begin(struct counting *counting, const struct words *globs,
		   const struct words *pids, const char *tracefs, struct table *events);
/* Readable: look. -1: only the time says when. */
int counting_fd(const struct counting *counting);
/*
 * Count also events and processors that have appeared meanwhile: 0, or -1 after a
 * message.
 */
int counting_look(struct counting *counting);
/* Called at the end: report the time that was not counted, on processors that came. */
void counting_report(struct counting *counting);
/* Set the counts of the rows; returns their sum. */
uint64_t counting_read(struct counting *counting);
/* Whether all processes have ended whose events are counted. */
int counting_is_over(struct counting *counting);
void counting_end(struct counting *counting);

/* All that top knows of the events so far, in bounded memory. */

struct collected {
	struct table events; /* by number of the kind; counted ones by id of the tracepoint */
	struct table processes, threads;
	struct seen_processes writers; /* by number of the kind */
	int lacks_writers;	 /* there was no room for all */
	struct activities activities;
	uint64_t total, bytes;
	uint64_t before; /* total at the last refresh */
	double rate;
	int knows_lost; /* processes report their losses */
	int is_counted; /* events and total come from counters, not from collect_event() */
};

/* Count an event. */
void collect_event(struct collected *collected, struct event *event);
/* Compute rates over this time, since the last call. */
void collect_refresh(struct collected *collected, double seconds);
/* Forget the result of collect_event(). */
void collect_forget(struct collected *collected);
void collect_free(struct collected *collected);

/*
 * Views: tables of figures, copied at each refresh from the data, so that a table
 * stands still until the next one.
 */

enum view_kind {
	VIEW_EVENTS,
	VIEW_PROCESSES,
	VIEW_THREADS,
	VIEW_ACTIVITIES,
	VIEW_OPEN,
	VIEWS,
};

enum figure_kind {
	FIGURE_COUNT,
	FIGURE_RATE,
	FIGURE_BYTES,
	FIGURE_NANOSECONDS,
	FIGURE_ID, /* of a process or thread: the filter compares it, too */
};

struct column {
	const char *title; /* NULL ends the columns */
	const char *member; /* its name in JSON */
	enum figure_kind kind;
	int width;
};

#define FIGURES_MAX 6

struct line {
	char *text; /* harmless on a terminal */
	double figures[FIGURES_MAX]; /* whole ones are exact up to 2^53; NaN: not known */
};

struct view {
	const char *name;
	const char *title; /* of the text */
	struct column columns[FIGURES_MAX + 1];
	int order; /* the column by which it is sorted at first */
};

extern const struct view views[VIEWS];

struct lines {
	struct line *items;
	size_t count;
};

/* The view with this name, or -1. */
int view_find(const char *name);
/* Copy the figures. collected: after collect_refresh(). */
void lines_copy(struct lines *lines, enum view_kind view, const struct collected *collected);
/*
 * Sort by a column, from the greatest on; -1: by text, from the least on; reverse: the other
 * way round. Equal lines are sorted by text.
 */
void lines_sort(struct lines *lines, int column, int reverse);
/*
 * Whether a line passes a filter: a glob for all of the text, or of what follows its first
 * ':', or for an ID. Without '*', '?' and '[' it may match any part of the text. An empty one
 * matches.
 */
int line_matches(const struct line *line, enum view_kind view, const char *filter);
void lines_free(struct lines *lines);

/* Cells and lines of a table in columns of a terminal. */

/*
 * Append text in exactly this many columns, cut off or padded with blanks; 0: as it is. A
 * character takes one column. Control characters, and bytes that are not UTF-8, become '?'.
 */
void cell_put(struct bytes *to, const char *text, size_t width, int is_right);
/* A figure in a few characters, "-" if it is not known. */
void figure_text(char text[QUANTITY_TEXT_MAX], double figure, enum figure_kind kind);

#define NO_MARK (-2)

/*
 * The headings of a view, with a mark at the column by which it is sorted, '>' from the
 * greatest on; -1: the text; NO_MARK: none.
 */
void headings_put(struct bytes *to, enum view_kind view, int sorted, int reverse,
		  size_t width);
void line_put(struct bytes *to, const struct line *line, enum view_kind view, size_t width);

/* The state of top, and its output. */

/* The person's choices. */

#define FILTER_MAX 128

struct choices {
	enum view_kind view;
	int sorted[VIEWS]; /* the column; -1: the text */
	int reverse[VIEWS];
	size_t first[VIEWS]; /* the line at the top */
	char filter[FILTER_MAX];
	char typed[FILTER_MAX]; /* while a filter is being typed */
	int is_typing, is_helping, is_paused, is_over, wants_stop;
};

void choices_begin(struct choices *choices);
/* A key (screen.h). page: lines of a page. */
void choices_key(struct choices *choices, int key, size_t page);

/* Lines about the keys, NULL at the end. */
extern const char *const choices_help[];

enum top_source {
	TOP_KERNEL,
	TOP_RUN,
	TOP_RING,
};

struct top {
	struct sink sink; /* of streams */
	/* Options */
	enum top_source source;
	const char *source_name; /* the program, the ring */
	struct words globs, pids;
	const char *tracefs, *where, *mode;
	uint64_t buffer;
	const struct usage *usage;
	char **arguments; /* of the stream */
	int64_t interval; /* nanoseconds */
	uint64_t refreshes_max; /* 0: no limit */
	int is_batch, is_json;
	int is_sampled; /* events of the kernel are never counted */
	/* While it runs */
	struct choices choices;
	struct collected collected;
	struct counting counting;
	struct stream *stream; /* while one is read */
	struct lines lines[VIEWS];
	struct bytes text; /* of a frame */
	int64_t begun;	   /* of the samples that are shown; CLOCK_MONOTONIC */
	int64_t refreshed, next;
	double seconds; /* that the last rates are about */
	uint64_t refreshes;
	uint64_t total, bytes, lost; /* as shown */
	double rate;
	int has_begun; /* the source is open */
	int is_ended; /* no event can follow */
};

/* Whether a view needs events, and counts are not enough. */
static inline int top_needs_samples(const struct top *top)
{
	return top->source != TOP_KERNEL || top->is_sampled ||
	       top->choices.view != VIEW_EVENTS;
}

/*
 * live.c: show what happens, until the end; an exit status. output: a file for standard error
 * while the screen is in use, or NULL.
 */
int top_run(struct top *top, const char *output);

/* The lines of the table: above it are four others, and below it is one. */
static inline size_t page_of(const struct screen_size *size)
{
	return size->rows > 5 ? size->rows - 5 : 1;
}

/* frame.c: the screen, or a table of text. They sort the lines. */
void frame_draw(struct top *top);
void frame_print(struct top *top);
/* A line of JSON to stdout. */
void frame_print_json(struct top *top);

#endif
