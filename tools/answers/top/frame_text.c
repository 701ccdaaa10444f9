/* SPDX-License-Identifier: MIT */
/* Describes a frame in words: its source, and sums of all events. */
#include <inttypes.h>
#include <stdio.h>

#include "common/cli/clock.h"
#include "table_text.h"
#include "top.h"

void describe_source(const struct top *top, char *text, size_t size)
{
	const double seconds = (double)(clock_now(CLOCK_MONOTONIC) - top->begun) / 1e9;

	if (top->source == TOP_RUN)
		snprintf(text, size, "%s", top->source_name);
	else if (top->source == TOP_RING)
		snprintf(text, size, "ring %s", top->source_name);
	else if (top->is_sampled)
		snprintf(text, size, "kernel, every event recorded");
	else if (!top_needs_samples(top))
		snprintf(text, size, "kernel, tracepoints counted");
	else
		snprintf(text, size, "kernel, every event recorded for %.0f s", seconds);
}

static void describe_activities(const struct top *top, char *text, size_t size)
{
	const struct activities *all = &top->collected.activities;
	int length = snprintf(text, size, "%" PRIu32 " open, %" PRIu64 " ended", all->open,
			      all->ended);

	if (all->without_start)
		length += snprintf(text + length, size - (size_t)length,
				   ", %" PRIu64 " ended that began before", all->without_start);
	if (all->restarted)
		length += snprintf(text + length, size - (size_t)length,
				   ", %" PRIu64 " began again", all->restarted);
	if (all->dropped)
		snprintf(text + length, size - (size_t)length,
			 ", %" PRIu64 " left out: too many are open", all->dropped);
}

void describe_counts(const struct top *top, char *text, size_t size)
{
	char rate[QUANTITY_TEXT_MAX], bytes[QUANTITY_TEXT_MAX];
	int length;

	if (top->control.view == VIEW_ACTIVITIES || top->control.view == VIEW_OPEN) {
		describe_activities(top, text, size);
		return;
	}
	figure_text(rate, top->rate, FIGURE_RATE);
	length = snprintf(text, size, "%" PRIu64 " events, %s/s", top->total, rate);
	figure_text(bytes, (double)top->bytes, FIGURE_BYTES);
	if (!top->collected.is_counted)
		snprintf(text + length, size - (size_t)length, ", %s bytes, %" PRIu64 " lost",
			 bytes, top->lost);
	else if (top_needs_samples(top))
		snprintf(text + length, size - (size_t)length,
			 ", %" PRIu64 " lost while recording", top->lost);
}
