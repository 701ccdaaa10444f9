/* SPDX-License-Identifier: MIT */
/*
 * The most frequent of any number of texts, in bounded memory: each new one takes the place
 * of the least frequent (Metwally and others, "Efficient computation of frequent and top-k
 * elements in data streams", 2005). A count is exact or too high by at most its error.
 */
#ifndef UE__TOOLS_ANSWERS_REPORT_FACTS_FACTS_H
#define UE__TOOLS_ANSWERS_REPORT_FACTS_FACTS_H

#include <stddef.h>
#include <stdint.h>

#include "answers/counts/histogram.h"
#include "answers/counts/context.h"
#include "answers/stacks/stack_tally.h"
#include "common/cli/key_table.h"
#include "common/events/recorded_event.h"
#include "common/pairs/pairs.h"
#include "common/sched/sched.h"
#include "common/cli/memory.h"

/*
 * Pairs of which an expression about events leaves out the start or the stop, and not the
 * other: the rest of them is not a start that never ended.
 */

/* Zero it, begin, and then set the options of pairs: those of the pairs that are shown. */
struct cut_pairs {
	struct pairs pairs; /* of all events */
	uint64_t count;
};

void cut_pairs_begin(struct cut_pairs *cut);
/* Take an event, whether it is left out or not. */
void cut_pairs_take(struct cut_pairs *cut, struct event *event, int is_left_out);
/* Append a paragraph if there are any. */
void cut_pairs_put(uint64_t count, struct bytes *out);
/* Report them. */
void cut_pairs_report(uint64_t count);
/* The count stays. */
void cut_pairs_free(struct cut_pairs *cut);

#define LEVELS_KEPT 31u
#define TOP_VALUES 48
#define TOP_VALUE_LENGTH 96 /* longer texts are cut off */

struct top_value {
	uint64_t count;
	uint64_t error;
	uint64_t hash;
	uint32_t length;
	char text[TOP_VALUE_LENGTH];
};

struct top_values {
	uint64_t total;
	uint32_t used;
	uint32_t last; /* where the last one was found: values repeat */
	int is_exact; /* no value was replaced */
	struct top_value items[TOP_VALUES];
};

struct top_values *top_values_new(void);
void top_values_add(struct top_values *values, const char *text, size_t length);
/* The most frequent first. */
void top_values_sort(struct top_values *values);

/*
 * Counts over time, of events whose first and last times are not known before all are read.
 * A bin is as wide as a power of two of nanoseconds. When a time lies outside of all bins,
 * these become wider, so that their number stays: memory does not grow with the recording.
 */

#define BIN_COUNT 512

/* The span and the number of bins that all series of a page share. */
struct time_scale {
	int is_set;
	int64_t first, last; /* times that were added */
	unsigned int shift;  /* a bin has 2^shift nanoseconds */
	int64_t base;	     /* that of bin 0: time >> shift */
};

struct time_bins {
	unsigned int shift; /* the scale's when a time was last added */
	int64_t base;
	uint32_t counts[BIN_COUNT];
};

/*
 * Nanoseconds from one time to another. Times since 1970 as floating-point numbers would be
 * wrong by hundreds of nanoseconds.
 */
static inline double time_between(int64_t from, int64_t to)
{
	return to >= from ? (double)((uint64_t)to - (uint64_t)from) :
			    -(double)((uint64_t)from - (uint64_t)to);
}

/* Widen the scale so that it has a bin for this time. */
void time_scale_include(struct time_scale *scale, int64_t time);
/* Count at a time that the scale includes. */
void time_bins_add(struct time_bins *bins, const struct time_scale *scale, int64_t time,
		   uint32_t count);
/* Bring older counts to the scale; before they are read. */
void time_bins_adapt(struct time_bins *bins, const struct time_scale *scale);

/*
 * The facts that a page shows, gathered from events one by one. Memory is bounded whatever
 * the recording holds: everything that there can be many of has a limit, and a count of
 * the rest, which the page says.
 */

#define KINDS_GATHERED 256	/* with facts of their own */
#define FIELDS_GATHERED 384	/* of all kinds */
#define FIELDS_OF_KIND 32
#define FIELD_NAME_MAX 120	/* bytes; longer names are cut off */
#define VALUES_OF_NUMBER 12	/* a number with more values has a histogram alone */
#define PROCESSES_COUNTED 64	/* of a kind */
#define LANES_GATHERED 512	/* threads */
#define MARKS_GATHERED 1500	/* events that are shown one by one */
#define LOSSES_GATHERED 200	/* places */
#define ACTIVITIES_DRAWN 1500	/* the longest */
#define GROUPS_GATHERED 64	/* pairs of start and stop */
#define SLOWEST_OF_GROUP 10
#define BREAKDOWNS_GATHERED 96	/* of all groups */
#define BREAKDOWNS_OF_GROUP 6
#define VALUES_OF_BREAKDOWN 12	/* with more, there is none */
#define KEYS_MAX 512		/* bytes of the fields of a start that are kept */
#define ERRORS_GATHERED 60	/* with the events before them */
#define ERRORS_OF_KIND 5	/* the first ones */
#define OPEN_GATHERED 50	/* starts that never ended, the oldest */
#define BEFORE_NS INT64_C(10000000)
#define BEFORE_LINES 20		/* the last ones */
#define BEFORE_COUNTED 2000u	/* with those that are left out */
#define CHILDREN_COUNTED 256u	/* events of child activities, on other threads */
#define CHILDREN_PASSED 8192u	/* those on the same thread, which are passed over */
#define EVENT_TEXT_MAX 400	/* bytes of the text of an event */

enum severity { SEVERITY_PLAIN, SEVERITY_WARNING, SEVERITY_ERROR, SEVERITIES };

/* Events over time, by severity. */
struct series {
	struct time_bins *of[SEVERITIES]; /* NULL: none */
};

struct field_facts {
	char name[FIELD_NAME_MAX];
	uint32_t name_length;
	uint64_t count;
	uint64_t absent; /* null */
	int is_number;
	int is_too_wide; /* for its histogram, which is hostile */
	struct histogram histogram; /* of a number */
	struct top_values *values;  /* NULL: a number with too many */
};

struct kind_facts {
	const struct event_kind *kind; /* NULL: all that are beyond the limit */
	uint64_t count;
	uint64_t of_severity[SEVERITIES];
	uint64_t bytes;
	uint64_t malformed;
	int has_time;
	int64_t first, last;
	uint32_t levels; /* a bit for each; from LEVELS_KEPT - 1 on they share one */
	struct series series;
	uint32_t processes[PROCESSES_COUNTED];
	uint32_t process_count; /* PROCESSES_COUNTED + 1: more */
	struct field_facts *fields[FIELDS_OF_KIND];
	uint32_t field_count;
	uint64_t fields_omitted; /* values of further fields */
};

/* A thread, or all that are beyond the limit. */
struct lane {
	uint32_t number;
	int has_pid, has_tid, is_rest;
	uint32_t pid, tid;
	char comm[32];
	uint64_t count;
	uint64_t activities;
	uint64_t lost;
	struct series series;
};

/* An event that is shown by itself. */
struct mark {
	int64_t time;
	uint32_t lane;
	enum severity severity;
	uint32_t error; /* its number among errors, from 1; 0: none */
	const struct event_kind *kind;
	char *text;
};

/* Events before another one, the last first. */
struct line_before {
	int64_t time;
	const struct event_kind *kind;
	int is_own; /* of the same activity */
	uint32_t depth; /* 1: its child's, 2: that one's child's, ...; otherwise 0 */
	char *text;
};

struct before {
	struct line_before *lines; /* NULL: none */
	uint32_t count;
	uint32_t last;	   /* so many of them; the rest are the first ones */
	uint32_t left_out; /* between the two; as many as there are, or BEFORE_COUNTED */
	int is_asked;
	int has_children;  /* events of child activities */
	int has_more;	   /* there are more, which are not counted */
};

struct error {
	int64_t time;
	uint32_t lane;
	const struct event_kind *kind;
	char *text;
	struct before before;
};

struct loss {
	int64_t time;
	int has_time;
	uint32_t lane;
	uint32_t count;
};

/* A start with its stop; the data of an open start. Texts may be NULL: "". */
struct activity {
	int64_t start, stop; /* as far apart as the activity took */
	int is_off; /* the time line, as it has times of another clock */
	uint32_t lane;	/* of the start */
	uint32_t group; /* without a stop: GROUPS_GATHERED */
	uint32_t events; /* between them */
	enum severity worst; /* of its events */
	const struct event_kind *kind; /* of the start */
	int is_ended;
	char *start_text;
	char *stop_text;
	char *keys;	 /* fields of the start: names and values, each with a NUL */
	uint32_t keys_length;
	uint64_t number; /* of pairs, from 1 */
	struct before before; /* of the slowest: their ends */
	/* The times of its thread, if the recording has records of the scheduler. */
	struct thread_mark mark;
	int has_times;
	struct thread_times times;
};

/* How long activities took whose starts have the same value of a field. */
struct breakdown_value {
	char *text;
	struct histogram durations;
	uint64_t failed;
};

struct breakdown {
	char *name;
	struct breakdown_value values[VALUES_OF_BREAKDOWN];
	uint32_t count;
	int has_too_many; /* values; those that are there mean nothing */
};

/* Activities with the largest difference of times; a heap, the shortest first. */
struct longest {
	struct activity *items;
	uint32_t count, room;
};

struct activity_group {
	const struct event_kind *start, *stop;
	struct histogram durations; /* in nanoseconds; sums: thread_times */
	uint64_t failed; /* with an event of severity error */
	struct longest slowest;
	struct breakdown *breakdowns[BREAKDOWNS_OF_GROUP];
	uint32_t breakdown_count;
};

struct facts {
	uint64_t events, bytes, malformed;
	uint64_t of_severity[SEVERITIES];
	uint64_t eventheader;
	uint64_t without_time; /* or of another clock than the first event */
	int is_wall_clock;
	struct time_scale scale;
	struct series series;

	struct kind_facts **kinds; /* by their number, up to KINDS_GATHERED */
	uint32_t kind_count;
	struct kind_facts rest;
	uint32_t kinds_beyond; /* how many kinds are in rest */
	uint32_t field_count;

	struct lane *lanes;
	uint32_t lane_count;
	struct key_table by_thread; /* of lanes */
	uint32_t last_lane;

	struct mark *marks;
	uint32_t mark_count;
	uint64_t plain_marks_omitted, marks_omitted;

	struct error *errors;
	uint32_t error_count;
	struct recent_events recent;
	struct families families;
	struct recent_events of_children; /* found by each parent of the event's activity */

	uint64_t lost_here; /* at known places */
	struct series losses_series;
	struct loss *losses;
	uint32_t loss_count;
	uint64_t places_omitted;

	int has_sched; /* there were records of the scheduler */
	struct thread_states threads;
	struct pairs pairs;
	struct cut_pairs cut; /* taken by the user */
	struct longest drawn, open;
	struct activity_group *groups;
	uint32_t group_count;
	uint32_t breakdown_count;
	uint64_t ended, never_ended; /* activities */
	uint64_t not_grouped;

	struct event_kinds *of_source;
	struct stack_tally stacks;

	struct bytes text; /* scratch */
	struct bytes path;
	struct bytes keys; /* of the event */
};

/* kinds: of the events that it takes. */
void facts_begin(struct facts *facts, struct event_kinds *kinds);
/* Take an event. */
void facts_take(struct facts *facts, struct event *event);
/* Take a record of the scheduler. */
void facts_take_sched(struct facts *facts, const struct record *record);
/* Called after the last event: open activities become activities without an end. */
void facts_end(struct facts *facts);
void facts_free(struct facts *facts);

/* The rest is used in this room only. */

void fields_take(struct facts *facts, struct kind_facts *kind, struct event *event);
void fields_free(struct kind_facts *kind);

/* Remember a field of the event, if there is room. */
void keys_add(struct facts *facts, const char *name, size_t name_length, const char *text,
	      size_t length);
void breakdowns_take(struct facts *facts, struct activity_group *group,
		     const struct activity *activity);
void breakdowns_free(struct activity_group *group);

void activities_begin(struct facts *facts);
/* Whether the event starts or ends an activity. */
int activities_take(struct facts *facts, struct event *event, const struct lane *lane,
		    enum severity severity, int is_timed);
void activities_end(struct facts *facts);
void activities_free(struct facts *facts);

/* A time so long ago. */
static inline int64_t time_before(int64_t time, int64_t nanoseconds)
{
	return __builtin_sub_overflow(time, nanoseconds, &time) ? INT64_MIN : time;
}

/* Find the states of its thread from a time up to the event, which has one. */
void before_find(struct facts *facts, struct event *event, int64_t from,
		 struct before *before);
/* Find the states of an open start's thread from a time on. */
void before_find_open(struct facts *facts, const struct lane *lane, int64_t from,
		      struct before *before);
void before_free(struct before *before);
/* The event may be before others. */
void before_keep(struct facts *facts, struct event *event);
/* Remember an error, which has a time: its number, or 0 if there are enough. */
uint32_t error_take(struct facts *facts, struct event *event, const struct lane *lane);
void errors_free(struct facts *facts);

/* The event as a line of text of at most EVENT_TEXT_MAX bytes, to be freed. */
char *event_line(struct facts *facts, struct event *event);

#endif
