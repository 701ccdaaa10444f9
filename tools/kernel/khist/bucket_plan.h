/* SPDX-License-Identifier: MIT */
/*
 * How often numbers of each range occurred: a distribution as the kernel counted it. Ranges of
 * one distribution are equal or have no number in common.
 */
#ifndef UE__TOOLS_KERNEL_KHIST_COUNTS_BUCKET_PLAN_H
#define UE__TOOLS_KERNEL_KHIST_COUNTS_BUCKET_PLAN_H

#include <stddef.h>
#include <stdint.h>

#include "common/events/field.h"
#include "hist_file.h"

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

#endif
