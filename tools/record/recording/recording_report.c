/* SPDX-License-Identifier: MIT */
/* Reports gaps of a recording. */
#include "recording.h"

#include <stdlib.h>

#include "common/cli/memory.h"
#include "common/cli/clock.h"
#include "common/cli/message.h"
#include "common/records/ring_record.h"

#define REPORT_NS 60000000000u

/* List the last tracepoints that were added: "user_events:a, user_events:b". */
static void list_last(const struct recording *recording, size_t count, struct bytes *names)
{
	const struct perf_layout *layout = &recording->recorder.layout;
	const size_t first = layout->count - count;

	for (size_t i = 0; i < count; i++) {
		const struct listed_event *event = &layout->events[first + i].event;

		bytes_list(names, i, "%s:%s", event->system, event->name);
	}
}

static int is_due(struct recording *recording)
{
	const uint64_t time = (uint64_t)clock_now(CLOCK_MONOTONIC);

	if (!recording->is_lasting || recording_is_stopped())
		return 1;
	if (time < recording->next_report)
		return 0;
	recording->next_report = time + REPORT_NS;
	return 1;
}

/*
 * Nobody counts events that a program writes before the tool attaches to their
 * tracepoint.
 */
static void report_late(struct recording *recording)
{
	const size_t count = recording->late - recording->late_reported;
	AUTO(bytes_free) struct bytes names = { 0 };

	if (!count)
		return;
	list_last(recording, count, &names);
	message("%zu tracepoint%s appeared while %s: the first events of %s may be "
		"missing (up to %.2f s): %s. --register PROGRAM, or --register "
		"DEFINITION, makes %s exist before.", count, count == 1 ? "" : "s",
		recording->target.command.pid ? "the command ran" :
						"events were recorded",
		count == 1 ? "it" : "them", (double)recording->late_ns / 1e9,
		(const char *)names.at,
		count == 1 ? "it" : "them");
	if (recording->target.thread_count)
		message("Children and threads that had been started by then are not "
			"recorded with %s; --all records all processes.",
			count == 1 ? "it" : "them");
	recording->late_reported = recording->late;
	recording->late_ns = 0;
}

void recording_report_missed(struct recording *recording)
{
	struct processors *processors = &recording->recorder.processors;

	recording->has_missed |= recording->late || processors->gaps_ns;
	if (recording->late == recording->late_reported &&
	    processors->gaps_ns == processors->reported_ns)
		return;
	if (!is_due(recording))
		return;
	report_late(recording);
	processors_report(processors);
}

/* A typing error beside globs that match. Without any that do, report_none() reports. */
static void report_unmatched(const struct recording *recording,
			      const struct words *unmatched)
{
	const struct words *stacks = &recording->recorder.stacks_unmatched;

	if (recording->is_watched || !recording->recorder.tracepoints)
		return;
	for (size_t i = 0; i < unmatched->count; i++)
		message("There was no event that \"%s\" matches.", unmatched->items[i]);
	for (size_t i = 0; i < stacks->count; i++)
		if (stacks->items[i])
			message("There was no event that --stack \"%s\" matches.",
				stacks->items[i]);
}

/* They are neither in a ring nor counted by the kernel. */
static void report_losses_of_command(struct recording *recording)
{
	const struct ue_loss_page *page = recording->target.losses;
	uint64_t lost[UE_LOSS_REASONS];
	AUTO_FREE char *by_reason = NULL;

	for (int i = 0; page && i < UE_LOSS_REASONS; i++)
		lost[i] = __atomic_load_n(&page->lost[i], __ATOMIC_RELAXED);
	recording->lost_by_command = page ? losses_sum(lost) : 0;
	if (!recording->lost_by_command)
		return;
	by_reason = losses_text(lost);
	message("%llu event%s lost in the program: %s.",
		(unsigned long long)recording->lost_by_command,
		recording->lost_by_command == 1 ? " was" : "s were", by_reason);
}

void recording_report(struct recording *recording, const struct words *unmatched)
{
	recording_report_missed(recording);
	report_losses_of_command(recording);
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
	const char *soon = " Events of a program that the command starts must exist "
			   "before: use --register PROGRAM.";

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
		message("The command wrote no event, but %zu tracepoint%s: --all also "
			"records those of other processes.", early,
			early == 1 ? " exists" : "s exist");
}

int recording_is_whole(const struct recording *recording)
{
	const struct recorder *recorder = &recording->recorder;

	if (recorder->is_at_end && !recorder_has_events(recorder) && !recorder->lost &&
	    !recorder->left_out && !recording->lost_by_command)
		report_none(recording);
	return recorder_has_events(recorder) && !recorder->lost && !recorder->left_out &&
	       !recorder->failed_dumps && !recording->has_missed &&
	       !recording->lost_by_command;
}
