/* SPDX-License-Identifier: MIT */
/* Starts and ends that a question names, and the key by which they are pairs. */
#ifndef UE__TOOLS_ANSWERS_QUESTION_ASKED_PAIRS_H
#define UE__TOOLS_ANSWERS_QUESTION_ASKED_PAIRS_H

#include "answers/question/asked_field.h"
#include "common/pairs/pairs.h"

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

/* Check what excludes each other: 0, or EXIT_WRONG_USAGE after a message. */
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
