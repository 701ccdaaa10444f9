/* SPDX-License-Identifier: MIT */
/* A field that a question names, and how many events have it. */
#ifndef UE__TOOLS_ANSWERS_QUESTION_ASKED_FIELD_H
#define UE__TOOLS_ANSWERS_QUESTION_ASKED_FIELD_H

#include <stdint.h>

#include "common/cli/key_table.h"
#include "common/cli/options.h"
#include "common/events/field.h"
#include "common/events/recorded_event.h"
#include "common/pairs/pairs.h"

/* Names are kept of so many kinds of events, and at most so many of all. */
#define FIELD_NAMES_MAX 4096u

struct asked_field {
	struct field field;
	uint64_t found;	  /* events that have it */
	uint64_t missing; /* events that do not, or where it is null */
	/* Candidates of "did you mean": the fields of events that do not have it. */
	char **names;
	uint32_t name_count;
	uint8_t *is_known; /* by number of a kind: whether its names are there */
	uint32_t kinds;
};

/* Parse a word of the command line: 0, or -1 after a message. */
int asked_field_parse(struct asked_field *asked, const char *text);
/* The same as field_get(). */
int asked_field_get(struct asked_field *asked, struct event *event, struct value *value);
/* If no event had it: 1 after a message, with the nearest name that one had; otherwise 0. */
int asked_field_report(const struct asked_field *asked);
void asked_field_free(struct asked_field *asked);

/* Events that a question names by a glob. */

struct named_events {
	struct words globs; /* one, as event_kind_matches() takes it */
	uint64_t found;
	int8_t *matches; /* by number of a kind: 0 not checked yet, 1 yes, -1 no */
	uint32_t kinds;
};

void named_events_begin(struct named_events *named, const char *glob);
/* Whether an event of this kind is meant; counts those that are. */
int named_events_has(struct named_events *named, const struct event_kind *kind);
/*
 * If there was none: 1 after a message, with the nearest name that was there; otherwise 0.
 * filters: that may have excluded them, "-e and the times".
 */
int named_events_report(const struct named_events *named, const struct event_kinds *kinds,
			const char *filters);
void named_events_free(struct named_events *named);

/*
 * Numbers for values: 0, 1, 2, ... in the order in which values appear. Each is counted, up to
 * GROUPS_COUNTED of them; at the end those with most are shown, and the others together.
 *
 * A table that is full sheds the half with the lowest counts. Of such a value the count begins
 * anew, and may be too low by what was shed: its error, as of the algorithm "space saving".
 */

#define GROUP_OTHERS UINT32_MAX
#define GROUPS_COUNTED 65536u

struct group {
	uint32_t space; /* values of different spaces are different */
	uint64_t count;
	uint64_t error; /* at most so many more, which were shed */
	struct value value; /* with text of its own */
};

struct group_table {
	uint32_t most; /* that are shown */
	uint32_t count;
	struct group *groups;
	struct key_table by_value;
	uint64_t compound; /* values that were arrays or structs, which share a group */
	uint64_t shed; /* the error of a value that is new now */
	int is_fixed;	/* values that are new are GROUP_OTHERS */
	uint64_t unseen; /* such a value may have so many */
};

/* Count the value. The table must not be full. */
uint32_t group_find(struct group_table *table, uint32_t space, const struct value *value);
int groups_are_full(const struct group_table *table);
/*
 * Drop the half with the lowest counts; or all but those with the highest scores, of which there
 * is one for each group; NULL: the counts. The others keep their order, with new numbers.
 * Returns these by the old numbers, or GROUP_OTHERS, to be freed; NULL: all are kept.
 */
uint32_t *groups_shed(struct group_table *table);
uint32_t *groups_keep(struct group_table *table, uint32_t most, const double *scores);
/* Count those that there are from the beginning, and no others. */
void groups_fix(struct group_table *table);
/* Report why groups are missing. by: the field; others: how many events GROUP_OTHERS has. */
void groups_report(const struct group_table *table, const struct field *by,
		   uint64_t others);
void groups_free(struct group_table *table);

/* How many different processes there are in each of several sets. */

/* The limit of all sets together; 16 bytes each, in a table that is at most half full. */
#define SEEN_PROCESSES_MAX 262144u

struct seen_processes {
	struct key_table table; /* set << 32 | pid */
};

/*
 * Add a process to a set: 1 if it is new there, 0 if it is not, -1 if there is no room.
 */
int seen_processes_add(struct seen_processes *sets, uint32_t set, uint32_t pid);
/*
 * Sets become others, or one with others: to[set] is the new number of each of count sets.
 * counted(context, set) is called for each process that these have then.
 */
void seen_processes_join(struct seen_processes *sets, const uint32_t *to, uint32_t count,
			 void (*counted)(void *context, uint32_t set), void *context);
void seen_processes_free(struct seen_processes *sets);

/* Starts and ends that a question names, and the key by which they are pairs. */

/* The words of the command line. */
struct pair_options {
	const char *start, *end; /* globs; NULL: opcodes tell */
	const char *key;
	int by_activity, by_thread;
};

#define PAIR_OPTIONS(o)                                                                   \
	{ .name = "start", .text = &(o).start, .value = "GLOB", .is_path = 1,             \
	  .help = "Pairs are events of this name, or GLOB as of -e, and the next\n"       \
		  "of --stop with their key, instead of the EventHeader events\n"         \
		  "with the opcodes start and stop." },                                   \
	{ .name = "stop", .text = &(o).end, .value = "GLOB", .is_path = 1,                \
	  .help = "The events that end those of --start." },                              \
	{ .name = "key", .letter = 'k', .text = &(o).key, .value = "FIELD", .is_path = 1, \
	  .help = "Events with an equal value of this field are a pair; of\n"             \
		  "any type, or pid, tid and so on." },                                   \
	{ .name = "activity", .flag = &(o).by_activity,                                   \
	  .help = "Events of one activity (of EventHeader) are a pair." },                \
	{ .name = "thread", .letter = 't', .flag = &(o).by_thread,                        \
	  .help = "Events of one thread are a pair; they may be nested, as\n"             \
		  "calls are. The default is --activity for events that\n"                \
		  "have one, --thread for others." }

struct asked_pairs {
	int has_names; /* start and end */
	int is_same;   /* they are the same glob */
	struct named_events start, end;
	struct asked_field field; /* the key of PAIR_BY_FIELD */
	/* Events with a field of the name of the key, and with the property alone. */
	const struct event_kind *with_field, *with_property;
};

/* Check for options that exclude each other: 0, or EXIT_WRONG_USAGE after a message. */
int pair_options_check(const struct pair_options *options, const struct usage *usage);
/* Begin, and set the options of pairs, which refer to it: 0, or -1 after a message. */
int asked_pairs_begin(struct asked_pairs *asked, const struct pair_options *options,
		      struct pairs *pairs);
/*
 * Report a name that no event has, or a key: 1 after a message; otherwise 0. filters: that may
 * have excluded events, "-e and the times".
 */
int asked_pairs_report(const struct asked_pairs *asked, const struct event_kinds *kinds,
		       const char *filters);
/* Warn of a key that was a field of some events, and a property of others. */
void asked_pairs_warn(const struct asked_pairs *asked);
void asked_pairs_free(struct asked_pairs *asked);

#endif
