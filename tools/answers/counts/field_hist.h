/* SPDX-License-Identifier: MIT */
/* A sink that makes a histogram of a field, or one for each value of another field. */
#ifndef UE__TOOLS_ANSWERS_COUNTS_FIELD_HIST_H
#define UE__TOOLS_ANSWERS_COUNTS_FIELD_HIST_H

#include "answers/question/asked_field.h"
#include "common/text/answer_form.h"
#include "common/cli/memory.h"
#include "common/text/amount.h"
#include "common/text/text_table.h"
#include "read/stream/sink.h"
#include "histogram.h"

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
