/* SPDX-License-Identifier: MIT */
/* The parts that the sources share. */
#ifndef UE__TOOLS_READ_STREAM_DELIVER_H
#define UE__TOOLS_READ_STREAM_DELIVER_H

#include <signal.h>
#include <stdint.h>
#include <userevents/capture.h>

#include "common/records/ring_record.h"
#include "stream.h"

/* Filter a record, and pass it on; as sink->take(). captured: or NULL. */
int deliver(struct stream *stream, struct sink *sink, const struct record *record,
	    const struct ue_captured *captured);

/*
 * The same for the events of a page, if the sink takes pages. The page is left
 * with those that pass.
 */
int deliver_page(struct stream *stream, struct sink *sink, struct ring_events *events,
		 struct ue_captured_page *page);

/*
 * Count what an input lost between records: lost is the increase of input->lost while the
 * record was read; record: or NULL at the end.
 */
void count_lost_apart(struct stream *stream, uint64_t lost, const struct record *record);

/*
 * Call ask() for globs of tracepoints in a ring, with context, as the stacks that were asked for
 * need them. deliver() drops the stacks of other events of these tracepoints. Returns 0, or the
 * first other result; failed is then the glob.
 */
int stacks_ask(const struct stream *stream,
	       int (*ask)(void *context, const char *tracepoints), void *context,
	       const char **failed);
/* Report globs of --stack that no event matched. */
void stacks_report(const struct stream *stream);

/* The sink's other functions, which it need not have. */
int sink_begin(struct sink *sink);
int sink_wait(struct sink *sink);
int sink_end(struct sink *sink);

/* The dispositions of SIGINT, SIGTERM and SIGHUP before a source took them. */
struct kept_signals {
	struct sigaction actions[3];
};

void signals_keep(struct kept_signals *kept);
void signals_restore(const struct kept_signals *kept);

/* When the sink's next tick is due. */
struct ticks {
	int64_t next; /* of CLOCK_MONOTONIC; 0: not begun */
};

/* Milliseconds until then, at most most; -1: no tick, and most is -1. */
int ticks_left(struct ticks *ticks, const struct sink *sink, int most);
/* Call tick() if it is due or fd is readable; as that. */
int ticks_pass(struct ticks *ticks, struct sink *sink);

/* Reports at the end of a program that was run. */

#endif
