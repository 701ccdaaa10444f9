/* SPDX-License-Identifier: MIT */
/* A sink that finds the end of each start, and how long it took. */
#ifndef UE__TOOLS_PAIRS_PAIRING_H
#define UE__TOOLS_PAIRS_PAIRING_H

#include "answers/compare/compare.h"
#include "answers/counts/histogram.h"
#include "answers/question/asked_field.h"
#include "common/pairs/pairs.h"
#include "common/sched/sched.h"
#include "common/where/where.h"
#include "read/stream/stream.h"

/*
 * The data of an open start. The events within it are kept up to a limit for each start, and
 * one for all together.
 */
struct kept_within {
	struct kept_record kept;
	uint32_t depth; /* 0: of the activity itself; 1: of its child, and so on */
};

struct kept_start {
	struct kept_record kept;
	struct value by; /* the group, with text in the same memory; VALUE_NONE without one */
	struct kept_within *within;
	uint32_t count;
	uint64_t left_out;
	size_t bytes; /* of those within */
	struct thread_mark mark; /* the last member, only there if pairing.has_threads */
};

#define WITHIN_MAX 100u
#define WITHIN_BYTES ((uint64_t)16 << 20)

/* The pairs of events that took longest, with their text. */

#define SLOWEST_MAX 1000u

struct slow_pair {
	int64_t nanoseconds;
	struct bytes start; /* a line of text, or a JSON object */
	struct bytes within; /* lines, or a JSON array */
	uint64_t left_out;
	struct bytes end;
	int has_times;
	struct thread_times times; /* of the thread, between them */
};

struct slowest_pairs {
	uint32_t most;
	int is_json;
	int has_within; /* the events within pairs are shown */
	uint32_t count;
	struct slow_pair *items; /* the slowest first */
};

/* Put a record as a line of text, or a JSON object, in place of the one before. */
void record_put(const struct record *record, int is_json, struct bytes *to);

/* What threads did in the pairs of a histogram, and of a set of them. */

void thread_sums_add(struct histogram *histogram, const struct thread_times *times);
/* The same member of a row, for struct histogram_set. */
void thread_sums_more(const struct histogram *histogram, struct bytes *json);

struct pairing {
	struct sink sink;
	/* Options */
	struct asked_pairs asked;
	struct histogram_set set;  /* by: of the start, or of the end if that lacks it */
	struct slowest_pairs slowest;
	int lists_open; /* starts that never ended */
	struct pairs pairs; /* its key and limits are options, too */
	struct families families; /* if events within pairs are shown */
	const char *expression; /* which pairs are meant; NULL: all */
	struct where *where;	/* the same, parsed */
	/* Compared: each pair is also a value of a side, or of one that an expression tells. */
	struct comparison *comparison;
	int side;
	struct where *split;
	int has_threads; /* the states of threads in pairs are printed, too */
	struct thread_states threads;
	struct event_kinds *kinds;
	uint64_t excluded; /* pairs that do not pass */
	uint64_t listed;   /* starts that never ended */
	struct record last; /* the last one with a time; its bytes are gone */
	int has_failed;	   /* after a message */
	uint64_t within_bytes;
};

/* kinds: of the events. 0, or -1 after a message. Then set the options. */
int pairing_begin(struct pairing *pairing, const struct pair_options *options,
		  struct event_kinds *kinds);
/* Print the states of threads in pairs of the stream, too. */
void pairing_follow_threads(struct pairing *pairing, const struct stream *stream);
/* Choose pairs by an expression: 0, or -1 after a message. */
int pairing_choose(struct pairing *pairing, const char *expression);
/*
 * Is a pair one of those that were chosen? 1, 0, or -1 after a message. stop: NULL, if there is
 * none; then the duration is so far.
 */
int pairing_passes(struct pairing *pairing, const struct kept_start *start, struct event *stop,
		   int has_duration, int64_t nanoseconds);
/* Find the pairs again, for the values of set.by that have most alone. */
void pairing_again(struct pairing *pairing);
int pairing_has_pairs(const struct pairing *pairing);
/* Print it: 0, or 1 after messages if there is no pair, or if starts were dropped. */
int pairing_print(struct pairing *pairing, enum answer_form form);
/* The same of pairs that are compared elsewhere. */
int pairing_report(struct pairing *pairing);
void pairing_free(struct pairing *pairing);

#endif
