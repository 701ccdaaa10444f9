/* SPDX-License-Identifier: MIT */
/* Reports what a recording may lack. */
#include "recording.h"

#include "cli/message.h"

/* Events that a command writes before the tool sees their tracepoint are not counted. */
static void report_late(const struct recording *recording)
{
	if (recording->target.command.pid && recording->late)
		message("%zu tracepoint%s appeared while the command ran: the first events of "
			"%s may be missing. --register makes them exist before.",
			recording->late, recording->late == 1 ? "" : "s",
			recording->late == 1 ? "it" : "them");
}

/* A typing error beside globs that match. Without any that do, report_none() reports. */
static void report_unmatched(const struct recording *recording,
			      const struct words *unmatched)
{
	if (recording->is_watched)
		return;
	for (size_t i = 0; i < unmatched->count && recording->recorder.tracepoints; i++)
		message("There was no event that \"%s\" matches.", unmatched->items[i]);
}

void recording_report(const struct recording *recording, const struct words *unmatched)
{
	report_late(recording);
	report_unmatched(recording, unmatched);
	/* a reader of watched events evaluates the expression itself, and reports names */
	if (!recording->is_watched || !recording->recorder.events)
		event_filter_report(&recording->recorder.filter);
}

/* A recording without events is rarely intended. */
static void report_none(const struct recording *recording)
{
	size_t tracepoints = recording->is_unmatched ? 0 :
						       recording->recorder.tracepoints;
	size_t early = tracepoints - recording->late;
	const char *soon = " Events of a command that ends soon must exist before: use "
			   "--register.";

	if (tracepoints && recording->expression)
		message("No event passed --where.");
	else if (!tracepoints)
		message("There was no event that %s; \"userevents list\" shows which exist.%s",
			recording->globs.count ? "matches" : "a program registered",
			recording->target.command.pid ? soon : "");
	else if (!recording->target.command.pid)
		message("%zu tracepoint%s, but no event was written.", tracepoints,
			tracepoints == 1 ? " was recorded" : "s were recorded");
	else if (!early || recording->has_all_processes)
		message("No event was written while the command ran.");
	else
		message("The command wrote no event, but %zu tracepoint%s: --all also records those "
			"of other processes.", early,
			early == 1 ? " exists" : "s exist");
}

int recording_is_whole(const struct recording *recording)
{
	const struct recorder *recorder = &recording->recorder;

	if (recorder->is_at_end && !recorder->events && !recorder->lost &&
	    !recorder->left_out)
		report_none(recording);
	return recorder->events && !recorder->lost && !recorder->left_out &&
	       !recorder->failed_dumps;
}
