/* SPDX-License-Identifier: MIT */
/*
 * A histogram of any finite numbers: log-linear, with 128 buckets between two powers of 2. It
 * gives the count, the least, the greatest and the mean exactly, and percentiles with a
 * relative error of at most HISTOGRAM_ERROR. Whole numbers up to 256 are exact there too.
 *
 * A histogram of zeros is empty. It takes 256 bytes for each quarter of a power of 2 that
 * has numbers: a few kilobytes for real data, 5 MB for the most hostile.
 */
#ifndef UE__TOOLS_ANSWERS_COUNTS_HISTOGRAM_H
#define UE__TOOLS_ANSWERS_COUNTS_HISTOGRAM_H

#include <stddef.h>
#include <stdint.h>

#include "answers/question/asked_field.h"
#include "common/cli/memory.h"
#include "common/events/field.h"
#include "common/text/amount.h"
#include "common/text/text_table.h"
#include "read/stream/sink.h"

/* Half of a bucket. Numbers nearer to 0 than 2.3e-308 count as that near to it. */
#define HISTOGRAM_ERROR (1.0 / 256)

struct histogram_part;

#define HISTOGRAM_SUMS 6

struct histogram {
	uint64_t count;	     /* of finite numbers; the rest is about these alone */
	uint64_t not_finite; /* NaN and infinities that were added */
	int has_floats;
	struct value least;  /* unless count is 0 */
	struct value greatest;
	uint64_t sums[HISTOGRAM_SUMS]; /* of the user, merged as the numbers are */
	/* The histogram's own */
	long double sum, sum_error;
	struct histogram_part *parts;
	uint32_t part_count;
	struct key_table by_number;
};

/*
 * Numbers of a bucket: low <= number < high, below 0 low < number <= high. Both are whole if
 * all numbers are.
 */
struct histogram_bucket {
	double low;
	double high;
	double middle; /* a number that may be in it */
	uint64_t count;
};

/* A value for which value_is_number(). */
void histogram_add(struct histogram *histogram, const struct value *number);
void histogram_add_whole(struct histogram *histogram, int64_t number);
/* Add all numbers of another one. */
void histogram_merge(struct histogram *histogram, const struct histogram *other);

/* 0 for an empty one. */
double histogram_mean(const struct histogram *histogram);
/*
 * The least number that is not exceeded by this share of all, which is 0.5 for the median:
 * that of rank share * count, rounded up. 0 for an empty one.
 */
double histogram_percentile(const struct histogram *histogram, double share);
/* Buckets that are not empty, from the lowest, to be freed; returns how many. */
size_t histogram_buckets(const struct histogram *histogram,
			 struct histogram_bucket **buckets);
/* The memory that it takes. */
uint64_t histogram_bytes(const struct histogram *histogram);
void histogram_free(struct histogram *histogram);

/*
 * A histogram for each value of a field: of those with most, and one for all others. While
 * numbers come, there are histograms of more values, up to SET_BYTES of memory.
 */

#define SET_BYTES ((uint64_t)16 << 20)

enum group_order { BY_COUNT, BY_TOTAL, BY_P99 };

struct histogram_set {
	struct asked_field *by; /* or NULL: only others */
	struct group_table groups;
	struct histogram *of_group;
	uint32_t count; /* of them */
	struct histogram others;
	int has_no_bars; /* text: numbers alone */
	enum group_order order; /* of the rows; those that are first are shown */
	/* Adds further members to the JSON of a row; may be NULL. */
	void (*more)(const struct histogram *histogram, struct bytes *json);
	uint64_t calls;	/* memory is looked at from time to time */
};

#define GROUP_OPTIONS(groups, sort)                                                       \
	{ .name = "groups", .number = &(groups), .value = "N", .least = 1,               \
	  .help = "With --by: rows of the N values that are first (default\n"             \
		  "100). All others share \"(others)\"." },                              \
	{ .name = "sort", .text = &(sort), .value = "BY",                                \
	  .help = "With --by: which are first: those with the highest count\n"            \
		  "(the default), total (sum), or p99." }

/* "count", "total" or "p99": 0, or -1 after a message. NULL: count. */
int group_order_parse(const char *text, enum group_order *order);

/* The histogram for this value of the field. */
struct histogram *histogram_set_find(struct histogram_set *set, const struct value *value);
/* That of all numbers, to be freed. */
struct histogram histogram_set_sum(const struct histogram_set *set);
/* See struct tally. */
int histogram_set_is_uncertain(const struct histogram_set *set);
void histogram_set_again(struct histogram_set *set);
/* Keep the groups that are shown; call it before anything is printed. */
void histogram_set_end(struct histogram_set *set);
/* Text: the sum, with a field also a table; and bars of both, of the largest groups. */
void histogram_set_put(const struct histogram_set *set, enum unit unit, struct bytes *to);
/* Members of an open object. */
void histogram_set_json(const struct histogram_set *set, struct bytes *json);
/* The rows of such JSON, for answer_print(). */
extern const char *const histogram_members[];
/* Call with each group and its value, in the order of rows; then with others and NULL. */
void histogram_set_each(const struct histogram_set *set,
			void (*call)(void *context, const struct value *value,
				     const struct histogram *histogram),
			void *context);
/* Report which groups are missing. */
void histogram_set_report(const struct histogram_set *set);
void histogram_set_free(struct histogram_set *set);

/* Draws histograms with a bar a row. */

struct canvas {
	int has_blocks; /* UTF-8, so that a bar has eighths of a character */
	int has_colour;
	int columns;
};

/* Properties of standard output. */
void canvas_begin(struct canvas *canvas);
/*
 * Append two blanks and a bar of this share of the columns. A row that is not empty has a bar,
 * however small its share.
 */
void bar_put(double share, int columns, const struct canvas *canvas, struct bytes *to);
/* Append the lines; a row is "LOW .. HIGH  COUNT  BAR". Nothing for an empty histogram. */
void bars_put(const struct histogram *histogram, enum unit unit,
	      const struct canvas *canvas, struct bytes *to);

/* Merges the buckets of a histogram into a readable number of rows with round limits. */

#define BAR_ROWS_MAX 24

struct bar_rows {
	size_t count;
	/* Row i has the numbers from edge i on that are less than edge i + 1. */
	double edges[BAR_ROWS_MAX + 1];
	uint64_t counts[BAR_ROWS_MAX];
};

/* A sink that makes a histogram of a field, or one for each value of another field. */

struct field_hist {
	struct sink sink;
	struct named_events events;
	struct asked_field field;
	struct histogram_set set;
	uint64_t not_numbers; /* events that have something else there */
	enum value_type type; /* of the last one of these */
};

/* Afterwards set field, and by and the number of groups in set. */
void field_hist_begin(struct field_hist *hist, const char *event);
/*
 * Print it: 0, or 1 after a message if there is no number. What is left out is printed, too.
 */
int field_hist_print(const struct field_hist *hist, const struct event_kinds *kinds,
		     enum answer_form form);
/* Count from the beginning, for the values of set.by that have most alone. */
void field_hist_again(struct field_hist *hist);
void field_hist_free(struct field_hist *hist);

/* Histograms as text and as JSON. */

/* Two lines: count, least, mean and greatest; percentiles. */
void distribution_put(const struct histogram *histogram, enum unit unit, struct bytes *to);
/* Members of an open object; with has_buckets also the buckets. */
void distribution_json(const struct histogram *histogram, int has_buckets,
		       struct bytes *json);
/* The columns of a table with a row for each of several histograms, and such a row. */
void distribution_columns(struct text_table *table);
void distribution_row(const struct histogram *histogram, enum unit unit,
		      struct text_table *table);

#endif
