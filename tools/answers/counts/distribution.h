/* SPDX-License-Identifier: MIT */
/* Histograms as text and as JSON. */
#ifndef UE__TOOLS_ANSWERS_DISTRIBUTION_H
#define UE__TOOLS_ANSWERS_DISTRIBUTION_H

#include "common/cli/bytes.h"
#include "histogram.h"
#include "common/text/quantity_text.h"
#include "common/text/text_table.h"

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
