/* SPDX-License-Identifier: MIT */
/*
 * Tracepoints that the kernel's perf counts, without recording them. That is exact, loses
 * nothing, and costs the writer less than a sample; but it neither yields processes nor
 * bytes, nor the events of an EventHeader tracepoint.
 */
#ifndef UE__TOOLS_ANSWERS_TOP_COUNTING_H
#define UE__TOOLS_ANSWERS_TOP_COUNTING_H

#include "answers/question/asked_field.h"
#include "common/cli/options.h"
#include "common/events/recorded_event.h"
#include "kernel/tracefs/tracing_files.h"
#include "record/target/processors.h"
#include "tables.h"

struct counter_fd {
	int fd;
	int cpu; /* -1: any */
};

struct counter {
	struct row *row;
	uint32_t id; /* of the tracepoint */
	struct counter_fd *fds; /* one for each processor or thread */
	size_t count;
	uint64_t before; /* counted by descriptors of processors that went */
};

struct counting {
	struct event_list list;
	struct target target;
	struct processors processors;
	struct table *events; /* where the counts go */
	struct counter *counters;
	size_t count;
};

/*
 * Begin to count the events that match globs, of the processes pids, or of all without any.
 * tracefs: the directory as given, or NULL. 0, or an exit status after a message.
 */
int counting_begin(struct counting *counting, const struct words *globs,
		   const struct words *pids, const char *tracefs, struct table *events);
/* Readable: look. -1: only the time says when. */
int counting_fd(const struct counting *counting);
/*
 * Count also events and processors that have appeared meanwhile: 0, or -1 after a
 * message.
 */
int counting_look(struct counting *counting);
/* Called at the end: report the time that was not counted, on processors that came. */
void counting_report(struct counting *counting);
/* Set the counts of the rows; returns their sum. */
uint64_t counting_read(struct counting *counting);
/* Whether all processes have ended whose events are counted. */
int counting_is_over(struct counting *counting);
void counting_end(struct counting *counting);

/* All that top knows of the events so far, in bounded memory. */

struct collected {
	struct table events; /* by number of the kind; counted ones by id of the tracepoint */
	struct table processes, threads;
	struct seen_processes writers; /* by number of the kind */
	int lacks_writers;	 /* there was no room for all */
	struct activities activities;
	uint64_t total, bytes;
	uint64_t before; /* total at the last refresh */
	double rate;
	int knows_lost; /* processes report their losses */
	int is_counted; /* events and total come from counters, not from collect_event() */
};

/* Count an event. */
void collect_event(struct collected *collected, struct event *event);
/* Compute rates over this time, since the last call. */
void collect_refresh(struct collected *collected, double seconds);
/* Forget the result of collect_event(). */
void collect_forget(struct collected *collected);
void collect_free(struct collected *collected);

#endif
