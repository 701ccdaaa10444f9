/* SPDX-License-Identifier: MIT */
/* A question that the kernel answers by a histogram: its options, its set-up, and its looks. */
#ifndef UE__TOOLS_KERNEL_KHIST_KERNEL_QUESTION_H
#define UE__TOOLS_KERNEL_KHIST_KERNEL_QUESTION_H

#include <stddef.h>
#include <stdint.h>

#include "common/cli/memory.h"
#include "common/cli/options.h"
#include "common/events/field.h"
#include "kernel/control/instance.h"
#include "kernel/tracefs/hist_file.h"
#include "kernel/tracefs/tracing_files.h"

/* Fields of an event that the kernel can count by, as its format describes them. */

struct key_field {
	char *name; /* in a trigger: "status", "common_cpu" */
	int is_text, is_signed;
	uint32_t size; /* in bytes; of a text of any length: 0 */
};

/*
 * A field of the event, or tid or cpu, the thread and the processor that wrote it, unless
 * the event has a field of this name. verb: for "cannot VERB NAME: ...". 0, or -1 after a
 * message: there is none, or the kernel cannot count by it.
 */
int key_field_find(const struct listed_event *event, const char *name, const char *verb,
		   struct key_field *field);
/* The number that the kernel prints, with the field's sign. */
int64_t key_field_signed(const struct key_field *field, uint64_t printed);
void key_field_free(struct key_field *field);

/*
 * How often numbers of each range occurred: a distribution as the kernel counted it.
 * Ranges of one distribution are equal or have no number in common.
 */

/* Both belong to it; of signed numbers, they are to be read as int64_t. */
struct range {
	uint64_t low, high;
	uint64_t count;
};

struct ranges {
	int is_signed;
	struct range *items;
	size_t count;
	uint64_t total; /* of their counts */
};

void ranges_add(struct ranges *ranges, const struct range *range);
/* Sort, and merge those that are equal. The functions below need that. */
void ranges_sort(struct ranges *ranges);
void ranges_free(struct ranges *ranges);

/* The range of the number of rank share * total, rounded up. There must be one. */
const struct range *ranges_percentile(const struct ranges *ranges, double share);
double range_low(const struct ranges *ranges, const struct range *range);
/* The next number after it. */
double range_end(const struct ranges *ranges, const struct range *range);
/* The error of its middle: half of its width; 0 for one number. */
double range_error(const struct range *range);

/*
 * How the kernel shall count a number: exactly, or in buckets.
 *
 * The kernel's buckets are all of one width, or powers of 2. Buckets whose width grows
 * with the numbers come from several histograms, each with a filter for its share of the
 * numbers:
 *
 *	hist:keys=ns if ns < 1000
 *	hist:keys=ns.buckets=10 if ns >= 1000 && ns < 100000
 *	hist:keys=ns.buckets=1000 if ns >= 100000 && ...
 *
 * So every number is known within 1 %, and no histogram has more than 9,900 buckets.
 *
 * To the kernel's buckets, numbers below 0 are large ones: one bucket may have the
 * greatest numbers of a type and its least, or reach from below 0 above it. So numbers
 * with a sign have histograms of their own for each.
 */

#define PLAN_PIECES_MAX 24

struct plan_piece {
	char *modifier; /* ".buckets=10", ".log2", "" */
	char *filter;	/* NULL: none */
	uint64_t least, most; /* numbers that it passes; int64_t of a signed field */
};

struct bucket_plan {
	struct plan_piece pieces[PLAN_PIECES_MAX];
	size_t count;
	enum hist_key_kind kind; /* of all pieces */
	int is_relative; /* the buckets grow */
	uint64_t width;	 /* of the buckets, if all have one; else 0 */
};

/*
 * text: "auto", "exact", "log2" or a width, times scale. 0; or an exit status after a
 * message, "cannot VERB: ...".
 */
int bucket_plan_make(struct bucket_plan *plan, const struct key_field *field,
		     const char *text, uint64_t scale, const char *verb);
/*
 * The range of the numbers in a cell that the kernel printed for a piece. It may print
 * limits that the piece or the field's type does not have.
 */
struct range bucket_plan_range(const struct bucket_plan *plan,
			       const struct key_field *field, size_t piece,
			       const struct hist_cell *cell);
void bucket_plan_free(struct bucket_plan *plan);

/* The kernel's counts, divided by the values of further fields. */

/* Entries with equal values of these keys. */
struct group_count {
	const struct value *by; /* then VALUE_NONE; texts point into the file */
	uint64_t count;
	struct ranges ranges; /* of the first field, if that is a number */
};

struct group_counts {
	const struct key_field *fields; /* the counted one, then those of --by */
	size_t field_count;
	/* The fields that groups have: all but the first; or all, if that is a text. */
	size_t first_by;
	struct group_count *groups; /* those with most events first */
	size_t group_count;
	struct value *values; /* of all groups */
	struct ranges sum;
	uint64_t count;
};

void group_counts_make(struct group_counts *counts, const struct hist_table *table,
		       const struct bucket_plan *plan);
void group_counts_free(struct group_counts *counts);

/* Merges ranges into a readable number of rows. */

#define COUNT_ROWS_MAX 24

struct count_rows {
	size_t count;
	struct range rows[COUNT_ROWS_MAX]; /* signed if the ranges are */
	uint64_t most; /* of their counts */
};

/*
 * The ranges themselves, if they are few and full. Otherwise rows of equal width, or rows
 * that grow as 1, 2, 5, 10, 20, ... do: those which tell more of the numbers apart. A
 * range is never divided, so a row may end later than a round number. No rows if there
 * are no ranges.
 */
void count_rows_make(const struct ranges *ranges, struct count_rows *rows);

/* The kernel's counts, for people and programs. */

struct picture {
	const struct group_counts *counts;
	const struct bucket_plan *plan;
	const char *title; /* "status of user_events:req_done" */
	const char *noun;  /* the counted thing: "event" */
	const char *field; /* as it was given */
	const char *const *by; /* as they were given */
	double nanoseconds; /* per unit of the field; 0: it is no duration */
	uint64_t top;	    /* groups or texts to show; in text alone */
	double seconds;	    /* that were counted */
	uint64_t dropped;   /* events that are missing */
};

/* Lines for a terminal. */
void picture_put(const struct picture *picture, struct bytes *to);
/* "count 12   p50 200 .. 299   ...", in one line. */
void picture_put_line(const struct picture *picture, struct bytes *to);
/* Members of an open object. */
void picture_json(const struct picture *picture, struct bytes *json);
/* A file of SVG. */
void picture_svg(const struct picture *picture, struct bytes *svg);

/*
 * Histograms in an instance that lasts as long as the command, with a synthetic event if they
 * need one; all is removed however the command ends, except by SIGKILL.
 */

struct own_triggers {
	struct instance instance; /* directory NULL: none */
	char *synthetic;	  /* the name of the event, or NULL */
	const char *verb;	  /* "count status" */
	const char *limit;	  /* the message about a refused trigger, or NULL */
};

/* Keys of a histogram in Linux 6.12. Later kernels may have more, so they are asked. */
#define HIST_KEYS_KNOWN 3

/* Make the instance: 0, or -1 after a message. There is one at a time. */
int own_triggers_begin(struct own_triggers *own, const char *tracefs, const char *verb,
		       const char *limit);
/* Make a synthetic event with these fields: 0, or -1 after a message. */
int own_triggers_define(struct own_triggers *own, const char *fields);
/*
 * Ask the kernel about a filter of the user for an event, without effect: 0, perhaps
 * after warnings, or -1 after a message. So its answer is about the user's words alone,
 * and they are one condition.
 */
int own_triggers_check(struct own_triggers *own, const struct listed_event *event,
		       const char *filter);
/* Set a trigger: 0, or -1 after a message, which is the limit if there is one. */
int own_triggers_set(struct own_triggers *own, const struct listed_event *event,
		     const char *trigger);
/*
 * Let the instance count, and let it count nothing any more: all histograms at one moment. It
 * begins with nothing. 0, or -1 after a message.
 */
int own_triggers_release(struct own_triggers *own);
int own_triggers_hold(struct own_triggers *own);
/* The text of an event's histograms, to be freed; NULL after a message. */
char *own_triggers_read(struct own_triggers *own, const struct listed_event *event,
			size_t *length);
/* Remove everything: 0, or -1 after a message. */
int own_triggers_end(struct own_triggers *own);

struct question_options {
	struct words by;
	const char *buckets, *unit, *duration, *svg, *tracefs;
	uint64_t size, top;
	int is_json, is_batch;
	char **command; /* NULL: none */
	/* Set by question_options_check(): */
	double seconds; /* 0: no end */
	uint64_t unit_nanoseconds; /* 0: no unit is given */
};

#define QUESTION_SIZE_MOST 131072 /* of the kernel */

/* The options that khist and klatency share. */
#define QUESTION_OPTIONS_INIT { .buckets = "auto", .size = QUESTION_SIZE_MOST, .top = 20 }
#define QUESTION_OPTIONS(o)                                                             \
	{ .name = "size", .letter = 's', .number = &(o).size, .value = "N", .least = 1,    \
	  .help = "Keep at most so many different entries, rounded up to a\n"              \
		  "power of 2 (default and most: 128k; with --buckets auto at\n"           \
		  "most 16k in each of its histograms, of which there are up\n"            \
		  "to 17). The kernel takes 250 bytes and more for each." },             \
	{ .name = "duration", .letter = 'd', .text = &(o).duration, .value = "SECONDS",    \
	  .help = "End after this time: 10, 0.5." },                                       \
	{ .name = "json", .letter = 'j', .flag = &(o).is_json,                             \
	  .help = "At the end a JSON object, with all buckets that are not\n"              \
		  "empty, and all groups." },                                              \
	{ .name = "svg", .text = &(o).svg, .value = "FILE", .is_path = 1,                  \
	  .help = "At the end, write the picture into this file, too, as SVG." },          \
	{ .name = "top", .letter = 'n', .number = &(o).top, .value = "N", .least = 1,      \
	  .help = "Show the N values of --by, or texts, with most events\n"                \
		  "(default 20)." },                                                       \
	{ .name = "batch", .flag = &(o).is_batch,                                          \
	  .help = "Print a line each second instead of a picture on a screen,\n"           \
		  "as if standard output were no terminal." },                             \
	TRACEFS_OPTION((o).tracefs)

/*
 * Parse the options, and divide the arguments into two names and the COMMAND behind "--".
 * names: those of the two, for messages. OPTIONS_GO_ON, or an exit status.
 */
int question_options_parse(struct question_options *options, const struct usage *usage,
			   int argc, char **argv, const char *const names[2],
			   const char *given[2]);

struct question {
	const struct question_options *options;
	char *verb, *title;
	const char *noun; /* the counted thing: "event", "pair" */
	const char *in_user_space; /* the command that answers it there */
	const char *field_name; /* as it was given, or "duration" */
	const char **by; /* as they were given */
	/* The event whose histograms are read: */
	struct listed_event event; /* system and name alone */
	struct key_field *fields; /* of the event */
	size_t field_count;
	char *limit; /* why the kernel may refuse so many; NULL: they are few */
	struct bucket_plan plan;
	struct hist_shape shape;
	char *triggers[PLAN_PIECES_MAX];
	double nanoseconds; /* per unit of the first field; 0: none */
	struct own_triggers own;
	/* How many events other histograms have dropped; NULL: there are none. */
	uint64_t (*dropped_by_others)(struct question *question);
	int exit_status; /* of the COMMAND; 0: there was none, or it has not ended */
	int64_t begun, ended; /* CLOCK_MONOTONIC; ended 0: not yet */
};

/* The triggers of the plan, with a filter of the user or NULL: of the fields and the plan. */
void question_make_triggers(struct question *question, const char *filter);
/* Set them: 0, or -1 after a message. */
int question_set_triggers(struct question *question);

/* The kernel's counts so far. */
struct look {
	char *text;
	struct hist_table table;
	struct group_counts counts;
	struct picture picture;
	int is_damaged; /* texts of events look like lines of the kernel */
};

void look_free(struct look *look);
void question_free(struct question *question);
/* Add one that is not set yet. */
struct key_field *question_add_field(struct question *question);

/*
 * Start the COMMAND; set what counts, by set(), which returns 0, or -1 after a
 * message; let it count, and show that until the end; stop it, and have a last look. 0, or an exit
 * status after a message. Signals are blocked from here on.
 */
int question_run(struct question *question, int (*set)(void *context), void *context,
		 struct look *last);

/* Print the last look, and write the file of --svg. 0, or 1 after a message. */
int question_answer(struct question *question, const struct look *look,
		    void (*add_json)(void *context, struct bytes *json), void *context);

/* Counts the values of a field of one event. */

/* where: a filter of the kernel, or NULL. Returns an exit status. */
int field_question_answer(const struct question_options *options, const char *event,
			  const char *field, const char *where);

/* Measures the time from one event to another with the same key. */

struct kernel_pair_options {
	struct words keys; /* "NAME" or "NAME=NAME" */
	int by_thread;
	const char *where_start, *where_stop; /* filters of the kernel, or NULL */
};

/* Returns an exit status. */
int pair_question_answer(const struct question_options *options,
			 const struct kernel_pair_options *pairs, const char *start,
			 const char *stop);

/* The fields of two events that make a pair, and how triggers name them. */

struct pair_fields {
	char *start_keys, *stop_keys; /* "id,shard" */
	/* Values of --by, which START saves, STOP takes, and passes on to the synthetic event. */
	char *saved;  /* ",ue_save1=shard" */
	char *taken;  /* ",ue_by1=$ue_save1" */
	char *passed; /* ",$ue_by1,status" */
	char *declared; /* "u64 ns; u32 by1; u32 by2" */
};

/*
 * Find them in both events, and set the fields of the question, which are those of the
 * synthetic event. 0, or -1 after a message.
 */
int pair_fields_find(struct pair_fields *fields, const struct kernel_pair_options *pairs,
		     const struct question_options *options, const struct listed_event *start,
		     const struct listed_event *stop, struct question *question);
/* The command line of "userevents latency", to be freed; NULL: there is none. */
char *pair_fields_latency(const struct pair_fields *fields, const struct kernel_pair_options *pairs,
			  const struct words *by, const struct listed_event *start,
			  const struct listed_event *stop);
void pair_fields_free(struct pair_fields *fields);

#endif
