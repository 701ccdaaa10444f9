/* SPDX-License-Identifier: MIT */
/* The counts of a collector, and their text. */
#ifndef UE__TOOLS_COLLECT_METRICS_H
#define UE__TOOLS_COLLECT_METRICS_H

#include <stdint.h>

#include "event_counts.h"
#include "kept_counts.h"
#include "record/recording/recorder_copy.h"

/* Programs that asked for a ring (--socket). */
struct guest_counts {
	uint64_t limit; /* 0: none can ask */
	uint64_t rings; /* that programs have now */
	uint64_t refused;
};

struct metrics {
	struct event_counts kinds;
	struct kept_counts *kept;
	struct guest_counts guests;
	int64_t started;  /* of the wall clock */
	char *labels; /* of each series, metrics_labels_text(); NULL: none */
	struct delivery *delivery; /* NULL: nothing is exported */
	struct copy_counts *copy;  /* NULL: nothing is recorded */
	const struct recorder_counts *recorder; /* NULL: events are not the kernel's */
};

/* Why events that were written will not arrive: the places that lose them. */
enum loss_reason {
	LOSS_LIBRARY,
	LOSS_RING,
	LOSS_FILTER,
	LOSS_RATE_LIMIT,
	LOSS_QUEUE,
	LOSS_RECEIVER,
	LOSS_RESTART,
	LOSS_REASONS, /* their number */
};

const char *loss_reason_name(enum loss_reason reason);
void metrics_losses(const struct metrics *metrics, uint64_t lost[LOSS_REASONS]);

/* Add all counts in the text format of Prometheus. */
void metrics_text(const struct metrics *metrics, struct bytes *text);
/* Write that into a file, which appears whole. 0 or -errno. */
int metrics_file_write(const char *path, const struct bytes *text);

#endif
