/* SPDX-License-Identifier: MIT */
/*
 * Tracepoints that the kernel's perf counts, without recording them. That is exact, loses
 * nothing, and costs the writer less than a sample; but it neither yields processes nor
 * bytes, nor the events of an EventHeader tracepoint.
 */
#ifndef UE__TOOLS_TOP_COUNTING_H
#define UE__TOOLS_TOP_COUNTING_H

#include "common/cli/options.h"
#include "record/target/processors.h"
#include "record/target/recorded_processes.h"
#include "tables.h"
#include "kernel/tracefs/event_list.h"

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
/* At the end: report what was not counted, on processors that came. */
void counting_report(struct counting *counting);
/* Set the counts of the rows; returns their sum. */
uint64_t counting_read(struct counting *counting);
/* Whether all processes have ended whose events are counted. */
int counting_is_over(struct counting *counting);
void counting_end(struct counting *counting);

#endif
