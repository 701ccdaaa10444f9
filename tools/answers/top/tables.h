/* SPDX-License-Identifier: MIT */
/* Counts of events: a table has a row for each event, process or thread. */
#ifndef UE__TOOLS_ANSWERS_TOP_TABLES_H
#define UE__TOOLS_ANSWERS_TOP_TABLES_H

#include <stddef.h>
#include <stdint.h>

#include "answers/counts/histogram.h"
#include "common/cli/key_table.h"
#include "common/events/recorded_event.h"
#include "common/pairs/pairs.h"

struct row {
	uint64_t key;
	char *name; /* harmless on a terminal */
	uint32_t pid, tid;
	uint64_t events, bytes, lost;
	uint32_t processes;  /* that wrote this event */
	uint64_t last_process; /* of them, plus 1 */
	uint64_t before;     /* events at the last refresh */
	double rate;	     /* between the last two */
};

/* Processes come and go without limit. Further ones share a row with this name. */
#define TABLE_ROWS_MAX 65536u
#define OTHERS "(others)"
#define OTHERS_KEY UINT64_MAX

struct table {
	struct row **rows; /* in the order in which they appeared; they never move */
	uint32_t count;
	struct key_table by_key;
};

/* The row with this key. A new one has no name, unless it is that of the others. */
struct row *table_find(struct table *table, uint64_t key);
/* Set the name, with '?' in place of control characters, unless it is the same. */
void row_set_name(struct row *row, const char *name);
/* Rates over this time, since the last call. */
void table_refresh(struct table *table, double seconds);
void table_free(struct table *table);

/* Starts and their ends, as common/pairs finds them: activities, and calls of threads. */

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

/* The data of an open start. */
struct open_activity {
	struct activity_row *row;
	uint32_t pid, tid;
};

struct activities {
	struct activity_row **rows;
	uint32_t count;
	uint32_t *by_kind; /* the index in rows, plus 1, by number of the event's kind */
	uint32_t kind_count;
	struct pairs pairs;
	uint64_t ended;
	int is_wall_clock; /* of the times */
};

/* If the event starts or ends an activity. */
void activity_table_take(struct activities *activities, struct event *event);
/* Rates over this time, since the last call. */
void activity_table_refresh(struct activities *activities, double seconds);
void activity_table_free(struct activities *activities);

#endif
