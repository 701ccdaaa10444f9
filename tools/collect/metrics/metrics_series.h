/* SPDX-License-Identifier: MIT */
/* Counts of kinds as series of metrics: by their labels, each of which occurs once. */
#ifndef UE__TOOLS_COLLECT_METRICS_SERIES_H
#define UE__TOOLS_COLLECT_METRICS_SERIES_H

#include "event_counts.h"
#include "export/tree/exported_event.h"

/* Programs choose names of up to 64 KiB; what is behind the cut is the same series. */
#define METRICS_VALUE_MAX 256

struct metrics_series {
	char *labels; /* provider="Shop",event="Order" */
	uint64_t events, bytes;
};

/* The number of them; *series is to be freed by metrics_series_free(). */
size_t metrics_series_make(const struct event_counts *counts, struct metrics_series **series);
void metrics_series_free(struct metrics_series *series, size_t count);

/* Add the value of a label, as it is between quotes. */
void metrics_value_add(struct bytes *text, struct clean_texts *texts, const char *value);

#endif
