/* SPDX-License-Identifier: MIT */
/*
 * Compares two sides, before and after. compare.c says how noise is told from a difference.
 */
#ifndef UE__TOOLS_ANSWERS_COMPARE_COMPARE_H
#define UE__TOOLS_ANSWERS_COMPARE_COMPARE_H

#include "answers/counts/histogram.h"
#include "answers/question/asked_field.h"
#include "common/text/text_table.h"
#include "read/stream/stream.h"

#define BLOCKS_MAX 64u

/* Half of them is filled at least, once a side is so many times BLOCK_LEAST long. */
#define BLOCK_LEAST INT64_C(1000000) /* nanoseconds */

struct compared_row {
	const struct event_kind *kind;	    /* NULL: of values */
	uint64_t counts[2][BLOCKS_MAX];	    /* of events, or values */
	struct histogram *values[2];	    /* BLOCKS_MAX of them; NULL: events alone */
};

struct compared_side {
	int has_time;
	int64_t first, last;
	int64_t width; /* of a block */
};

/* The histograms of a side take about as much. */
#define COMPARED_BYTES ((uint64_t)32 << 20)

struct comparison {
	int is_split; /* both sides are of one time, and have the blocks of the first */
	struct compared_side sides[2];
	struct compared_row *rows;
	uint32_t count;
	uint32_t *by_kind; /* rows by number of the event, 1 higher; 0: none */
	uint32_t kinds;
	uint64_t without_time; /* events */
	uint64_t not_finite;   /* values */
	uint64_t calls;
};

/* The row of a kind; NULL: that of values, which is the only one. */
struct compared_row *comparison_row(struct comparison *comparison, const struct event_kind *kind);
/* Whether there is one. */
int comparison_has_row(const struct comparison *comparison, const struct event_kind *kind);
/* Count an event of this time, or a value. */
void comparison_count(struct comparison *comparison, struct compared_row *row, int side,
		      const struct record *record);
void comparison_value(struct comparison *comparison, struct compared_row *row, int side,
		      const struct record *record, const struct value *value);
void comparison_free(struct comparison *comparison);

/* A quantity of both sides, and the interval of 99 % of the changes that were drawn. */
enum verdict { COMPARE_NOISE, COMPARE_DIFFERS, COMPARE_NEW, COMPARE_GONE, COMPARE_TOO_FEW };

/* "noise", "differs", ... */
const char *verdict_text(enum verdict verdict);

struct change {
	double before, after;
	double relative;  /* 0.5: half as much again */
	double low, high; /* of relative */
	enum verdict verdict;
};

#define PERCENTILES_COMPARED 3

struct compared {
	uint64_t counts[2];
	unsigned blocks[2];
	struct change rate; /* a second */
	struct change percentiles[PERCENTILES_COMPARED]; /* of rows with values */
};

extern const double compared_shares[PERCENTILES_COMPARED];

/* The result of a row, at the end. */
void comparison_result(const struct comparison *comparison, const struct compared_row *row,
		       struct compared *compared);

/* The same of runs, of which each pair has a number before and one after: of their means. */
void compare_runs(const double *before, const double *after, size_t count, struct change *change);

/* names: of the sides. Those of rows with values: in this unit. */
void comparison_put_values(const struct comparison *comparison, const char *const names[2],
			   enum unit unit);
void comparison_print_form(const struct comparison *comparison, const char *const names[2],
			   enum answer_form form);

/* The options of commands that compare. */
struct compare_options {
	int is_compared;   /* --compare: two files */
	enum answer_form form;
	const char *split; /* --split EXPR: events for which it is true are after, others before */
};

#define COMPARE_OPTIONS(c)                                                               \
	{ .name = "compare", .flag = &(c).is_compared,                                   \
	  .help = "Of two recordings, BEFORE and AFTER, side by side: whether\n"           \
		  "they differ by more than noise (see \"Comparing\")." },               \
	{ .name = "split", .text = &(c).split, .value = "EXPR",                          \
	  .once = "join expressions with &&",                                            \
	  .help = "The same of events for which this is true (after) with all\n"           \
		  "others (before)." }

/* A part of --help. */
#define COMPARE_HELP                                                                     \
	"Comparing: the interval of a change is from a bootstrap of up to 64 blocks of\n"  \
	"time of each side (1000 rounds, 99 %): blocks, as events near each other are\n"   \
	"alike. A change \"differs\" if its interval does not have 0 in it. That says what\n" \
	"is noise within these recordings; another run may differ for other reasons.\n"

static inline int compare_is_asked(const struct compare_options *options)
{
	return options->is_compared || options->split;
}

/*
 * Read the sides, each with a call of read: 0 and 1 with its file, or COMPARE_SPLIT with all
 * arguments. An exit status. names: set to those of the sides.
 */
#define COMPARE_SPLIT (-1)
typedef int compare_reader(void *context, int side, char **files);
int compare_read(const struct compare_options *options, const struct stream *stream,
		 const struct usage *usage, char **arguments, const char *names[2],
		 compare_reader *read, void *context);
/*
 * A helper of such a function: read the files of a side. The stream is the same for both.
 */
int compare_stream(struct stream *stream, const struct usage *usage, int side, char **files,
		   struct sink *sink);

/* Read, compare and print: an exit status. Events by name; those of EVENT FIELD by values. */
int compare_events(const struct compare_options *options, struct stream *stream,
		   const struct usage *usage, char **arguments);
int compare_field(const struct compare_options *options, struct stream *stream,
		  const struct usage *usage, char **arguments);

#endif
