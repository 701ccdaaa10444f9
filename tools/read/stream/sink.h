/* SPDX-License-Identifier: MIT */
/*
 * A sink of events: lines, aggregates, a table, a picture. Sources call it; a sink does not
 * know which source. It is the first member of a struct of its own. All functions but
 * take, or take_page, may be NULL; the latter is for programs and rings alone.
 */
#ifndef UE__TOOLS_STREAM_SINK_H
#define UE__TOOLS_STREAM_SINK_H

#include "common/events/recorded_event.h"

struct ue_capture_counts;
struct ue_captured_page;

struct sink {
	/*
	 * Once, when the source is open, or the program runs; of recordings also if none can
	 * be opened. 0, or -1 after a message.
	 */
	int (*begin)(struct sink *sink);
	/*
	 * An event that passed the filter; valid until the return. Returns 0, 1 to end, or -1
	 * after a message.
	 */
	int (*take)(struct sink *sink, struct event *event);
	/* An event that only the expression of the filter left out; valid until the return. */
	void (*take_left_out)(struct sink *sink, struct event *event);
	/*
	 * A record of the scheduler (common/sched/sched.h), in its place among events.
	 * Those that -e asks for are events for take(), too; other sinks get no others.
	 * The result as above.
	 */
	int (*take_sched)(struct sink *sink, const struct record *record);
	/*
	 * Live, instead of take() if it is set: events that passed the filter, in
	 * pages, which are in no order but that of their passes. The result as above.
	 * And the counts of missing events, after pages and at the end.
	 */
	int (*take_page)(struct sink *sink, const struct ue_captured_page *page);
	void (*take_losses)(struct sink *sink, const struct ue_capture_counts *counts);
	/* Live: before waiting, as nothing more has arrived. The result as above. */
	int (*wait)(struct sink *sink);
	/*
	 * Live: called every interval milliseconds, and when fd is readable. The result as
	 * above. With it, interval is above 0, and fd a descriptor or -1.
	 */
	int (*tick)(struct sink *sink);
	int interval;
	int fd;
	/* Files are not merged by time, but read one by one, each between these. */
	void (*begin_file)(struct sink *sink, const char *path);
	void (*end_file)(struct sink *sink);
	/* The rest of the file cannot be read: drop a part of an event. */
	void (*drop_part)(struct sink *sink);
	/*
	 * Called after the last event, before losses are reported. 0, or -1 after a
	 * message.
	 */
	int (*end)(struct sink *sink);
};

#endif
