/* SPDX-License-Identifier: MIT */
/* A sink that finds the end of each start, and how long it took. */
#ifndef UE__TOOLS_PAIRS_PAIRING_H
#define UE__TOOLS_PAIRS_PAIRING_H

#include "answers/counts/histogram.h"
#include "open_starts.h"
#include "answers/question/asked_field.h"
#include "read/stream/sink.h"

enum pair_key {
	PAIR_BY_EITHER, /* the activity if the event has one, otherwise the thread */
	PAIR_BY_FIELD,
	PAIR_BY_ACTIVITY,
	PAIR_BY_THREAD, /* several may be open: an end belongs to the newest */
};

struct pairing {
	struct sink sink;
	/* Options */
	int has_names;		   /* start and end; otherwise opcodes tell */
	int is_same;		   /* start and end are the same glob */
	struct named_events start, end;
	enum pair_key key;
	struct asked_field field;  /* of PAIR_BY_FIELD */
	struct histogram_set set;  /* by: of the start, or of the end if that lacks it */
	struct slowest_pairs slowest;
	struct open_starts open;
	/* Events */
	uint64_t starts, ends;
	uint64_t without_key;
	uint64_t without_time;
	uint64_t repeated;	/* starts followed by another one with the same key */
	uint64_t without_start; /* ends */
	/* Pairs */
	uint64_t by_activity, by_thread;
	uint64_t negative;	/* ended before they started */
	uint64_t other_clock;	/* whose times cannot be compared */
};

/* start, end: globs, or both NULL. Then set the options: key, most and so on. */
void pairing_begin(struct pairing *pairing, const char *start, const char *end);
/* Print it: 0, or 1 after messages if there is no pair, or if starts were dropped. */
int pairing_print(const struct pairing *pairing, const struct event_kinds *kinds,
		  int is_json);
void pairing_free(struct pairing *pairing);

#endif
