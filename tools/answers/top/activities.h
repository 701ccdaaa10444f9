/* SPDX-License-Identifier: MIT */
/*
 * EventHeader activities: from an event with opcode start to one with opcode stop and the
 * same activity id.
 */
#ifndef UE__TOOLS_TOP_ACTIVITIES_H
#define UE__TOOLS_TOP_ACTIVITIES_H

#include <stddef.h>
#include <stdint.h>

#include "answers/counts/histogram.h"
#include "common/events/recorded_event.h"

/* Activities that may be open at a time; further ones are dropped, and counted. */
#define ACTIVITIES_MAX 65536u
/* Events that start activities, each with a histogram; further ones share one. */
#define ACTIVITY_STARTS_MAX 1024u

/* All activities that the same event starts. */
struct activity_row {
	const char *name; /* of that event, harmless on a terminal */
	uint64_t open, ended;
	uint64_t before; /* ended at the last refresh */
	double rate;
	struct histogram durations; /* nanoseconds */
};

struct open_activity {
	struct activity_row *row; /* NULL: a slot without activity */
	uint8_t id[16];
	int64_t start;
	uint32_t pid;
};

struct activities {
	struct activity_row **rows;
	uint32_t count;
	uint32_t *by_kind; /* the index in rows, plus 1, by number of the event's kind */
	uint32_t kind_count;
	struct open_activity *slots; /* a hash table */
	uint32_t slot_count, open;
	uint64_t ended;
	uint64_t dropped;	/* there was no room */
	uint64_t without_start; /* ended, but their start was not seen */
	uint64_t restarted;	/* started again before they ended */
	int is_wall_clock;	/* of the times */
};

/* If the event starts or ends an activity. */
void activity_table_take(struct activities *activities, const struct event *event);
/* Rates over this time, since the last call. */
void activity_table_refresh(struct activities *activities, double seconds);
void activity_table_free(struct activities *activities);

#endif
