/* SPDX-License-Identifier: MIT */
/* Counts of kinds as series of metrics: by their labels, each of which occurs once. */
#ifndef UE__TOOLS_COLLECT_METRICS_METRICS_SERIES_H
#define UE__TOOLS_COLLECT_METRICS_METRICS_SERIES_H

#include "common/cli/options.h"
#include "export/tree/exported_event.h"
#include "metrics.h"

/* Programs choose names of up to 64 KiB; what is behind the cut is the same series. */
#define METRICS_VALUE_MAX 256

struct metrics_series {
	char *labels; /* provider="Shop",event="Order" */
	uint64_t events, bytes;
};

/* Add a text as the value of a label, without quotes. */
void metrics_value_add(struct bytes *text, struct clean_texts *texts, const char *value);
/* The number of them; *series is to be freed by metrics_series_free(). */
size_t metrics_series_make(const struct event_counts *counts, struct metrics_series **series);
/* Sort series, and make one of those with equal labels: the number of those that remain. */
size_t metrics_series_merge(struct metrics_series *series, size_t count);
void metrics_series_free(struct metrics_series *series, size_t count);

/*
 * Labels of the collector's own, NAME=VALUE, that each of its series has: series of two
 * collectors whose files node_exporter reads must differ, or it refuses all of them.
 */

#define METRICS_LABELS_MAX 8

/* The first word that is wrong, and why; or NULL. */
const char *metrics_labels_wrong(const struct words *labels, const char **reason);
/* Correct ones as in a series, collector="rings",site="b", to be freed. */
char *metrics_labels_text(const struct words *labels);

#endif
