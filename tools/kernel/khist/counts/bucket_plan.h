/* SPDX-License-Identifier: MIT */
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
#ifndef UE__TOOLS_KHIST_COUNTS_BUCKET_PLAN_H
#define UE__TOOLS_KHIST_COUNTS_BUCKET_PLAN_H

#include "hist_file.h"
#include "key_field.h"
#include "ranges.h"

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
