/* SPDX-License-Identifier: MIT */
/* All that top knows of the events so far, in bounded memory. */
#ifndef UE__TOOLS_TOP_COLLECT_H
#define UE__TOOLS_TOP_COLLECT_H

#include "activities.h"
#include "common/events/recorded_event.h"
#include "answers/question/group_table.h"
#include "tables.h"

struct collected {
	struct table events; /* by number of the kind; counted ones by id of the tracepoint */
	struct table processes, threads;
	struct pid_sets writers; /* by number of the kind */
	int lacks_writers;	 /* there was no room for all */
	struct activities activities;
	uint64_t total, bytes;
	uint64_t before; /* total at the last refresh */
	double rate;
	int knows_lost; /* processes report their losses */
	int is_counted; /* events and total come from counters, not from collect_event() */
};

/* Count an event. */
void collect_event(struct collected *collected, const struct event *event);
/* Compute rates over this time, since the last call. */
void collect_refresh(struct collected *collected, double seconds);
/* Forget what collect_event() found. */
void collect_forget(struct collected *collected);
void collect_free(struct collected *collected);

#endif
