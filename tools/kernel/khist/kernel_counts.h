/* SPDX-License-Identifier: MIT */
/* Fields of an event that the kernel can count by, as its format describes them. */
#ifndef UE__TOOLS_KERNEL_KHIST_KERNEL_COUNTS_H
#define UE__TOOLS_KERNEL_KHIST_KERNEL_COUNTS_H

#include <stddef.h>
#include <stdint.h>

#include "common/events/field.h"
#include "kernel/tracefs/hist_file.h"
#include "kernel/tracefs/kernel_field.h"

struct key_field {
	char *name; /* in a trigger: "status", "common_cpu" */
	int is_text, is_signed;
	uint32_t size; /* in bytes; of a text of any length: 0 */
};

/*
 * A field of the event, or tid or cpu, the thread and the processor that wrote it, unless the
 * event has a field of this name. verb: for "cannot VERB NAME: ...". 0, or -1 after a message:
 * there is none, or the kernel cannot count by it.
 */
int key_field_find(const struct listed_event *event, const char *name, const char *verb,
		   struct key_field *field);
/* Whether the event has a field of this name; or of one that may have been meant. */
int key_field_exists(const struct listed_event *event, const char *name);
int key_field_is_near(const struct listed_event *event, const char *name);
/* The field in a synthetic event, with another name: "u32 NAME", "char NAME[]"; to be freed. */
char *key_field_declare(const struct key_field *field, const char *name);
/* The number that the kernel prints, with the field's sign. */
int64_t key_field_signed(const struct key_field *field, uint64_t printed);
void key_field_free(struct key_field *field);

/*
 * How often numbers of each range occurred: a distribution as the kernel counted it. Ranges of
 * one distribution are equal or have no number in common.
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
 * The kernel's buckets are all of one width, or powers of 2. Buckets whose width grows with the
 * numbers come from several histograms, each with a filter for its share of the numbers:
 *
 *	hist:keys=ns if ns < 1000
 *	hist:keys=ns.buckets=10 if ns >= 1000 && ns < 100000
 *	hist:keys=ns.buckets=1000 if ns >= 100000 && ...
 *
 * So every number is known within 1 %, and no histogram has more than 9,900 buckets.
 *
 * To the kernel's buckets, numbers below 0 are large ones: one bucket may have the greatest
 * numbers of a type and its least, or reach from below 0 above it. So numbers with a sign have
 * histograms of their own for each.
 */

#define PLAN_PIECES_MAX 24

struct plan_piece {
	char *modifier; /* ".buckets=10", ".log2", "" */
	char *filter;	/* NULL: none */
	uint64_t least, most; /* of the numbers that it passes; int64_t of a signed field */
};

struct bucket_plan {
	struct plan_piece pieces[PLAN_PIECES_MAX];
	size_t count;
	enum hist_key_kind kind; /* of all pieces */
	int is_relative; /* the buckets grow */
	uint64_t width;	 /* of the buckets, if all have one; else 0 */
};

/*
 * text: "auto", "exact", "log2" or a width, times scale. 0; or an exit status after a message,
 * "cannot VERB: ...".
 */
int bucket_plan_make(struct bucket_plan *plan, const struct key_field *field,
		     const char *text, uint64_t scale, const char *verb);
/*
 * The range of the numbers in a cell that the kernel printed for a piece. It may print limits
 * that the piece or the field's type does not have.
 */
struct range bucket_plan_range(const struct bucket_plan *plan, const struct key_field *field,
			       size_t piece, const struct hist_cell *cell);
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
	/* Which of the fields groups have: all but the first; or all, if that is a text. */
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
 * The ranges themselves, if they are few and full. Otherwise rows of equal width, or rows that
 * grow as 1, 2, 5, 10, 20, ... do: those which tell more of the numbers apart. A range is never
 * divided, so a row may end later than a round number. No rows if there are no ranges.
 */
void count_rows_make(const struct ranges *ranges, struct count_rows *rows);

#endif
